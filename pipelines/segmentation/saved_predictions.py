"""The answers of a model on its test images, kept with the run for its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segboost.pipelines.runtime.artefact_file import (
    Artefact,
    DamagedArtefactError,
    read_artefact,
    write_artefact,
)
from segboost.pipelines.runtime.artefact_key import file_key
from segboost.pipelines.segmentation.evaluation import RegionAnswer
from segboost.pipelines.segmentation.stages.features import TrainingImage
from segboost.storage.folder import DOCUMENT

FILE, STAGE = "answers.npz", "answers"


@dataclass(frozen=True, eq=False)
class KeptAnswer:
    """The answer of a model for an image, with the digests of the image and its mask."""

    answer: RegionAnswer
    image_key: str
    mask_key: str


def keep_answers(
    folder: Path, items: Sequence[TrainingImage], answers: Mapping[str, RegionAnswer]
) -> Path:
    """Write the answers of a model into its folder.

    Parameters
    ----------
    folder : Path
        With the model.
    items : sequence of TrainingImage
    answers : mapping of name to RegionAnswer
        For every item.
    """
    ordered = [answers[item.name] for item in items]
    arrays = {
        "score": np.concatenate([a.score for a in ordered]),
        "foreground": np.concatenate([a.foreground for a in ordered]),
        "background": np.concatenate([a.background for a in ordered]),
        "start": np.cumsum([0, *(a.score.size for a in ordered)]),
    }
    images = [[item.name, item.image_key(), item.mask_key()] for item in items]
    path = folder / FILE
    key = file_key(folder / DOCUMENT)
    write_artefact(path, STAGE, key, Artefact(arrays, {"images": images}))
    return path


def read_answers(folder: Path) -> dict[str, KeptAnswer] | None:
    """Return the answers of the model in a folder by the names of the images.

    None if they were not saved, are damaged, or belong to another model.
    """
    try:
        found = read_artefact(folder / FILE, STAGE, file_key(folder / DOCUMENT))
        start = found.arrays["start"]
        parts = [
            np.split(found.arrays[name], start[1:-1])
            for name in ("score", "foreground", "background")
        ]
        return {
            name: KeptAnswer(RegionAnswer(*arrays), image_key, mask_key)
            for (name, image_key, mask_key), *arrays in zip(
                found.document["images"], *parts, strict=True
            )
        }
    except (OSError, DamagedArtefactError, KeyError, ValueError, TypeError):
        return None
