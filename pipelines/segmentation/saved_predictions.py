"""The predictions of a model on its test images, kept with the run for its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segboost._types import AnyArray
from segboost.pipelines.runtime.artefact_file import (
    Artefact,
    DamagedArtefactError,
    read_artefact,
    write_artefact,
)
from segboost.pipelines.runtime.artefact_key import file_key
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.metrics.predictions import (
    ClassPrediction,
    ImagePrediction,
    RegionPrediction,
)
from segboost.storage.folder import DOCUMENT

FILE, STAGE = "answers.npz", "answers"


@dataclass(frozen=True, eq=False)
class SavedPrediction:
    """The prediction of a model for an image, with the digests of the image and its mask."""

    prediction: ImagePrediction
    image_key: str
    mask_key: str


def save_predictions(
    folder: Path, items: Sequence[TrainingImage], predictions: Mapping[str, ImagePrediction]
) -> Path:
    """Write the predictions of a model into its folder.

    Parameters
    ----------
    folder : Path
        The folder with the model.
    items : sequence of TrainingImage
    predictions : mapping of name to RegionPrediction or ClassPrediction
        For every item.
    """
    arrays = _pack([predictions[item.name] for item in items])
    images = [[item.name, item.image_key(), item.mask_key()] for item in items]
    path = folder / FILE
    key = file_key(folder / DOCUMENT)
    write_artefact(path, STAGE, key, Artefact(arrays, {"images": images}))
    return path


def read_predictions(folder: Path) -> dict[str, SavedPrediction] | None:
    """Return the predictions of the model in a folder by the names of the images.

    None if they were not saved, are damaged, or belong to another model.
    """
    try:
        found = read_artefact(folder / FILE, STAGE, file_key(folder / DOCUMENT))
        return {
            name: SavedPrediction(prediction, image_key, mask_key)
            for (name, image_key, mask_key), prediction in zip(
                found.document["images"], _unpack(found.arrays), strict=True
            )
        }
    except (OSError, DamagedArtefactError, KeyError, ValueError, TypeError):
        return None


def _pack(ordered: Sequence[ImagePrediction]) -> dict[str, AnyArray]:
    regions = [a for a in ordered if isinstance(a, RegionPrediction)]
    if len(regions) == len(ordered):
        return {
            "score": np.concatenate([a.score for a in regions]),
            "foreground": np.concatenate([a.foreground for a in regions]),
            "background": np.concatenate([a.background for a in regions]),
            "start": np.cumsum([0, *(a.score.size for a in regions)]),
        }
    classes = [a for a in ordered if isinstance(a, ClassPrediction)]
    return {
        "confusion": np.stack([a.confusion for a in classes]),
        "calibration": np.stack([a.calibration for a in classes]),
    }


def _unpack(arrays: Mapping[str, AnyArray]) -> list[ImagePrediction]:
    if "confusion" in arrays:
        pairs = zip(arrays["confusion"], arrays["calibration"], strict=True)
        return [ClassPrediction(*pair) for pair in pairs]
    cuts = arrays["start"][1:-1]
    parts = [np.split(arrays[name], cuts) for name in ("score", "foreground", "background")]
    return [RegionPrediction(*pair) for pair in zip(*parts, strict=True)]
