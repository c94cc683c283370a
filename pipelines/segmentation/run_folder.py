"""The files of a training run next to the model, and the check of its output folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from segboost.pipelines.segmentation.saved_predictions import FILE as PREDICTIONS
from segboost.storage.output_record import check_inputs_stay
from segboost.storage.ownership import (
    DOCUMENT,
    ForeignFileError,
    check_model_folder,
    read_manifest,
)
from segboost.storage.whole_file import check_replaceable

SETTINGS, SCORES, LOG, CACHE = "run.json", "scores.json", "train.jsonl", "cache"
LOG_PART = f"{LOG}.part"
_LOG_OPENING = b'{"time": "'


def check_run_folder(folder: Path, inputs: Iterable[Path] = ()) -> None:
    """Refuse a folder where a training run would replace files that segboost did not write.

    Parameters
    ----------
    folder : Path
        It need not exist.
    inputs : iterable of Path
        Files that the run reads; they are never replaced.

    Raises
    ------
    ForeignFileError, NotReplaceableError
    """
    names = (SETTINGS, SCORES, LOG, LOG_PART, PREDICTIONS, DOCUMENT)
    check_inputs_stay(inputs, [folder / name for name in names])
    for name in names:
        check_replaceable(folder / name)
    check_model_folder(folder)
    model = read_manifest(folder)
    if model is not None and model.get("kind") != "segmenter":
        raise ForeignFileError(f"{folder} holds a model of another kind: choose another --output")
    if model is not None or _is_log(folder / LOG) or _is_log(folder / LOG_PART):
        return  # all these names belong to the run
    found = [name for name in names if (folder / name).exists()]
    if found:
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        raise ForeignFileError(
            f"{folder / found[0]}{more} does not belong to a training run: choose another --output "
            "or move it away"
        )


def _is_log(path: Path) -> bool:
    """Whether a file is the log of a run, possibly one that was stopped in its first line."""
    try:
        with open(path, "rb") as file:
            opening = file.read(len(_LOG_OPENING))
    except OSError:
        return False
    return _LOG_OPENING.startswith(opening)
