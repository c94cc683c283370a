"""Finished runs on disk: one that ``segboost train`` wrote, or a folder of several."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from segboost.pipelines.runtime.run_log import read_run_log
from segboost.pipelines.segmentation.config.segmentation_config import METHODS
from segboost.pipelines.segmentation.metrics.scores import SegmentationScores
from segboost.pipelines.segmentation.model.files import load_segmenter
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.run import LOG, SCORES, SETTINGS
from segboost.pipelines.segmentation.saved_predictions import KeptAnswer, read_answers
from segboost.storage.folder import DOCUMENT

TABLE = "table.json"
"""What ``segboost reproduce segmentation`` writes beside its runs."""


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run.

    Parameters
    ----------
    folder : Path
    document : mapping
        Its ``scores.json``.
    options : mapping
        Its ``run.json``.
    """

    folder: Path
    document: Mapping[str, Any]
    options: Mapping[str, Any]

    @property
    def dataset(self) -> str:
        """The name of the data set."""
        return str(self.document["dataset"])

    @property
    def method(self) -> str:
        """How it was learned."""
        return str(self.document["method"])

    @property
    def scores(self) -> SegmentationScores | None:
        """Over all test images; None where there were none."""
        test = self.document["test"]
        return None if test is None else SegmentationScores.from_dict(test["scores"])

    @cached_property
    def model(self) -> SegmentationModel:
        """The model; read when it is first asked for."""
        return load_segmenter(self.folder)

    @cached_property
    def answers(self) -> dict[str, KeptAnswer] | None:
        """What the model said of the test images, where the run kept it."""
        return read_answers(self.folder)

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """The log since the last start; empty where there is none."""
        try:
            events = read_run_log(self.folder / LOG)
        except OSError:
            return []
        starts = [i for i, event in enumerate(events) if event.get("event") == "start"]
        return events[starts[-1] :] if starts else []


def find_runs(folder: Path) -> list[Run]:
    """Return the run in a folder, or those in its sub-folders, by data set and method.

    Raises
    ------
    ValueError
        Where there is none.
    """
    if (folder / DOCUMENT).is_file():
        return [_read_run(folder)]
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: name one that segboost train wrote")
    places = sorted(p.parent for p in folder.glob(f"*/{SCORES}"))
    found = [_read_run(place) for place in places if (place / DOCUMENT).is_file()]
    if not found:
        raise ValueError(
            f"{folder} holds no run: name the folder of segboost train --output, or of segboost "
            "reproduce segmentation --output"
        )
    return sorted(found, key=lambda run: (run.dataset, METHODS.index(_known(run))))


def read_table(folder: Path) -> dict[tuple[str, str], Mapping[str, float]]:
    """Return the paper's figures by method and category, in per cent; empty where none are kept."""
    try:
        rows: Sequence[Mapping[str, Any]] = json.loads((folder / TABLE).read_bytes())["rows"]
        return {(r["method"], r["category"]): r["paper"] for r in rows if r["paper"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _read_run(folder: Path) -> Run:
    document = _read_json(folder / SCORES)
    missing = [key for key in ("dataset", "method", "test", "n_train") if key not in document]
    if missing:
        raise ValueError(f"{folder / SCORES} has no {missing[0]!r}: train the model again")
    options = _read_json(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}
    return Run(folder, document, options)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read ({error.strerror}): the run has not ended; train again with "
            "--resume"
        ) from None
    except ValueError:
        raise ValueError(f"{path} is damaged: it is not JSON; train the model again") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path} is damaged: it is not an object; train the model again")
    return found


def _known(run: Run) -> Any:
    if run.method not in METHODS:
        raise ValueError(f"{run.folder} was made by an unknown method {run.method!r}")
    return run.method
