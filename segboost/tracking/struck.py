"""Struck: a structured SVM on Haar features with a budget of support vectors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from segboost._types import FloatArray
from segboost.features.boxes.haar import haar_features
from segboost.features.boxes.layout import Places
from segboost.tracking.box_tracker import BoxTracker
from segboost.tracking.larank import Kernel, LaRank, Pattern, gaussian_kernel, linear_kernel
from segboost.tracking.learner import Learner
from segboost.tracking.sampling import TrainingBoxes
from segboost.tracking.settings import TrackerSettings
from segboost.tracking.view import Look, TargetView

SIGMA = 0.2
"""Width parameter of the Gaussian kernel, as set by the authors of Struck."""


@dataclass(frozen=True, eq=False)
class KernelModel:
    """F(box) = Σ_s β_s k(φ_s, φ(box)) on Haar features."""

    kernel: Kernel
    vectors: FloatArray
    beta: FloatArray
    unit: float = 1.0

    def scores(self, look: Look, offsets: Places) -> FloatArray:
        """Return F of the boxes at these offsets, shape (P,)."""
        return self.kernel(describe(look, offsets).T, self.vectors) @ self.beta


def describe(look: Look, offsets: Places) -> FloatArray:
    """Return the Haar features of boxes, shape (192, P)."""
    layout = look.layout
    return haar_features(look.sums, layout.height, layout.width, offsets + look.border)


class StruckLearner:
    """LaRank steps at every frame; the budget of support vectors replaces a window."""

    def __init__(self, boxes: TrainingBoxes, machine: LaRank) -> None:
        self._loss = boxes.loss
        self.machine = machine

    def describe(self, look: Look, offsets: Places) -> FloatArray:
        """Return the Haar features of boxes."""
        return describe(look, offsets)

    def add(self, features: FloatArray, anchor: bool) -> None:
        """Run the LaRank steps for a frame."""
        self.machine.add(Pattern(np.ascontiguousarray(features.T), self._loss))

    def train(self, first: bool) -> KernelModel:
        """Freeze the support vectors."""
        machine = self.machine
        return KernelModel(machine.kernel, machine.vectors, machine.betas)


class StruckTracker(BoxTracker):
    """Struck with the same search as `StructBoostTracker`; it keeps the size of the box.

    Parameters
    ----------
    random_state : int
        Seed for the training boxes, the augmented frames and the choice of old patterns.
    kernel : "gaussian" or "linear"
    C : float
    budget : int
        Maximum number of support vectors.
    settings : TrackerSettings, optional
        Scale search is always off, every frame is trusted, and the model learns at every frame.
    """

    def __init__(
        self,
        random_state: int = 0,
        *,
        kernel: Literal["gaussian", "linear"] = "gaussian",
        C: float = 100.0,
        budget: int = 50,
        settings: TrackerSettings | None = None,
    ) -> None:
        fixed = replace(settings or TrackerSettings(), scale_step=None, every=1, trust=0.0)
        super().__init__(fixed, random_state)
        if kernel not in ("gaussian", "linear"):
            raise ValueError(f"kernel must be 'gaussian' or 'linear', got {kernel!r}")
        self._kernel: Kernel = gaussian_kernel(SIGMA) if kernel == "gaussian" else linear_kernel
        self._C, self._budget = C, budget

    def _make_learner(self, view: TargetView, boxes: TrainingBoxes) -> Learner:
        rng = np.random.default_rng([self.random_state, 1])
        return StruckLearner(boxes, LaRank(self._kernel, self._C, self._budget, rng))
