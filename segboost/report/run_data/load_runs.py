"""Load finished runs from disk: one that ``segboost train`` wrote, or a folder of several."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from segboost.io.legend import TWO_CLASSES, ClassLegend
from segboost.pipelines.runtime.run_log import read_run_log
from segboost.pipelines.segmentation.config.segmentation_config import METHODS
from segboost.pipelines.segmentation.metrics.predictions import Scores, scores_from_dict
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter, load_segmenter
from segboost.pipelines.segmentation.saved_predictions import SavedPrediction, read_predictions
from segboost.pipelines.segmentation.training_run import LOG, SCORES, SETTINGS
from segboost.storage.folder import DOCUMENT
from segboost.storage.regular_file import read_regular

TABLE = "table.json"
"""Written by ``segboost reproduce segmentation`` next to its runs."""
LARGEST_BYTES = 2**28
"""Maximum size of a JSON file, in bytes."""


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
    allow_import : collection of str
        Functions and folders that the model may use.
    """

    folder: Path
    document: Mapping[str, Any]
    options: Mapping[str, Any]
    allow_import: Collection[str] = ()

    @property
    def dataset(self) -> str:
        """The name of the data set."""
        return str(self.document["dataset"])

    @property
    def method(self) -> str:
        """The training method."""
        return str(self.document["method"])

    @property
    def scores(self) -> Scores | None:
        """The scores over all test images; None if there were no test images."""
        test = self.document["test"]
        return None if test is None else scores_from_dict(test["scores"])

    @property
    def legend(self) -> ClassLegend:
        """Names and colours of the classes."""
        return read_classes(self.document)

    @cached_property
    def model(self) -> Segmenter:
        """The model; loaded on first access."""
        return load_segmenter(self.folder, self.allow_import)

    @cached_property
    def predictions(self) -> dict[str, SavedPrediction] | None:
        """The predictions for the test images, if the run stored them."""
        return read_predictions(self.folder)

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """The log since the last start; empty if there is none."""
        try:
            events = read_run_log(self.folder / LOG)
        except OSError:
            return []
        starts = [i for i, event in enumerate(events) if event.get("event") == "start"]
        return events[starts[-1] :] if starts else []


def find_runs(folder: Path, allow_import: Collection[str] = ()) -> list[Run]:
    """Return the run in a folder, or those in its sub-folders, ordered by data set and method.

    Raises
    ------
    ValueError
        If there is no run.
    """
    if (folder / DOCUMENT).is_file():
        return [_read_run(folder, allow_import)]
    if not folder.is_dir():
        raise ValueError(f"folder {folder} does not exist: give a model folder of segboost train")
    places = sorted(p.parent for p in folder.glob(f"*/{SCORES}"))
    found = [_read_run(place, allow_import) for place in places if (place / DOCUMENT).is_file()]
    if not found:
        raise ValueError(
            f"{folder} contains no run: give the --output folder of segboost train or of segboost "
            "reproduce segmentation"
        )
    return sorted(found, key=lambda run: (run.dataset, METHODS.index(run.method)))


def read_table(folder: Path) -> dict[tuple[str, str], Mapping[str, float]]:
    """Return the paper's figures by method and category, in percent; empty if there are none."""
    try:
        rows: Sequence[Mapping[str, Any]] = json.loads(read_regular(folder / TABLE, LARGEST_BYTES))[
            "rows"
        ]
        return {(r["method"], r["category"]): r["paper"] for r in rows if r["paper"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def _read_run(folder: Path, allow_import: Collection[str]) -> Run:
    document = _read_json(folder / SCORES)
    missing = [key for key in ("dataset", "method", "test", "n_train") if key not in document]
    if missing:
        raise ValueError(f"{folder / SCORES} has no {missing[0]!r}: train the model again")
    _check_scores(document, folder / SCORES)
    options = _read_json(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}
    return Run(folder, document, options, allow_import)


def _check_scores(document: Mapping[str, Any], path: Path) -> None:
    """Raise ValueError if the document is not a valid record of scores, for example if edited."""
    try:
        test, trials = document["test"], document.get("validation") or []
        if test is not None:
            scores_from_dict(test["scores"])
            good = all(isinstance(name, str) for name in test["images"])
        else:
            good = True
        for trial in trials:
            good &= trial["C"] > 0 and isinstance(trial["loss"], str)
            good &= trial["mean_iou"] is None or 0 <= trial["mean_iou"] <= 1
        read_classes(document)
        good &= not trials or (document["C"] > 0 and isinstance(document["loss"], str))
        good &= document["method"] in METHODS and isinstance(document["dataset"], str)
    except (TypeError, KeyError, ValueError, AttributeError):
        good = False
    if not good:
        raise ValueError(f"{path} is not a valid record of scores: train the model again")


def read_classes(document: Mapping[str, Any]) -> ClassLegend:
    """Return the classes of a run; runs of earlier versions had two."""
    found = document.get("classes")
    return TWO_CLASSES if found is None else ClassLegend.from_dict(found)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_regular(path, LARGEST_BYTES))
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read ({error.strerror}): the run is unfinished; resume it with "
            "segboost train --resume"
        ) from None
    except (ValueError, RecursionError):
        raise ValueError(f"{path} is damaged (not JSON): train the model again") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path} is damaged (not a JSON object): train the model again")
    return found
