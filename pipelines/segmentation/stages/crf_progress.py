"""What learning a CRF tells while it goes on: choices tried, then rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from segboost.pipelines.runtime.progress import LearningStep
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.stages.crf import LearnedCRF, Trial

TRIALS, CRF = "crf trials", "crf"


Tell = Callable[[str, int, int | None, str], Any]
"""Called with stage, done, total (None where nobody knows) and a note."""


class CRFProgress:
    """Turns the trials and steps of `learn_crf` into reports of two stages.

    Parameters
    ----------
    tell : callable
        Takes stage, done, total and a note.
    config : SegmentationConfig
    """

    def __init__(self, tell: Tell, config: SegmentationConfig) -> None:
        self._tell = tell
        # A structured SVM adds cutting planes until its gap is closed.
        self._total = config.n_iterations if config.method == "structboost" else None
        self._rounds = 0

    def trial(self, done: int, total: int, best: Trial | None) -> None:
        """Take the number of choices tried, and the best of them so far."""
        note = ""
        if best is not None:
            note = f"best so far: C = {best.C:g}, loss by {best.loss}"
            note += f", validation mean IoU {best.scores.mean_iou:.4f}"
        self._tell(TRIALS, done, total, note)

    def step(self, step: LearningStep) -> None:
        """Take a step of the fit on all images."""
        self._rounds += 1
        note = f"objective {step.objective:.5g}, gap {100 * step.gap:.2g}%"
        # Partial labels make two fits of so many rounds.
        done = self._rounds if self._total is None else min(self._rounds, self._total)
        self._tell(CRF, done, self._total, note)

    def end(self, learned: LearnedCRF) -> None:
        """Take the outcome, learned now or kept from an earlier run."""
        rounds = len(learned.model.history_)
        note = f"C = {learned.C:g}, loss by {learned.potentials.loss}"
        self._tell(CRF, rounds, rounds, note if self._rounds else f"{note}; kept from before")
