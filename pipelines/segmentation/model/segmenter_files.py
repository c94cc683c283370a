"""A trained segmenter as one folder of JSON and npz, written atomically.

``model.json`` and its npz file hold everything except the CRF, which has a sub-folder named by its
content. The document is renamed into place last and names both by checksum: a reader sees the old
model or the new one, never a mixture.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from segboost.features.groups.base import FeatureGroup
from segboost.features.groups.user_groups import FolderGroup, FunctionGroup
from segboost.io.legend import TWO_CLASSES
from segboost.pipelines.segmentation.model.class_segmenter import ClassSegmentationModel
from segboost.pipelines.segmentation.model.class_segmenter_files import (
    describe_classes,
    pack_classes,
    restore_classes,
)
from segboost.pipelines.segmentation.model.crf_files import owned_crf, save_crf
from segboost.pipelines.segmentation.model.prefixed_arrays import Arrays
from segboost.pipelines.segmentation.model.restore_segmenter import restore_segmenter
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.model.unary_model import pack_unaries
from segboost.storage.folder import ModelFileError, one_line, read_folder, write_folder
from segboost.storage.ownership import check_model_folder, remove_model

KIND = "segmenter"
Segmenter = SegmentationModel | ClassSegmentationModel


def as_two_class_model(model: Segmenter) -> SegmentationModel:
    """Return a model of two classes as such; ValueError if it has more."""
    if isinstance(model, ClassSegmentationModel):
        raise ValueError(f"expected a model of two classes, this one has {model.n_classes}")
    return model


def save_segmenter(
    model: Segmenter,
    folder: str | os.PathLike[str],
    extra: Mapping[str, Any] | None = None,
) -> Path:
    """Write a segmenter to a folder; an older one there is replaced at the end.

    The bytes depend on the model alone: times of learning are left out.

    Parameters
    ----------
    model : SegmentationModel or ClassSegmentationModel
    folder : path
        Created if it does not exist.
    extra : mapping, optional
        Plain JSON values to keep with the model.
    """
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    check_model_folder(path)
    before = owned_crf(path)
    crf = None if model.crf is None else save_crf(model.crf, path)
    document = _describe(model)
    document |= {"crf": crf, "extra": dict(extra or {})}
    write_folder(path, KIND, document, _pack(model))
    if before is not None and before.name != crf:
        remove_model(before)
    return path


def _describe(model: Segmenter) -> dict[str, Any]:
    """Return the document of a model, without its CRF."""
    if isinstance(model, ClassSegmentationModel):
        return {"classes": model.n_classes, **describe_classes(model)}
    document: dict[str, Any] = {
        "config": model.config.to_dict(),
        "preset": model.preset.to_config(),
        "groups": list(model.unary.stumps),
        "widths": dict(model.widths),
        "context": model.unary.context is not None,
        "potentials": asdict(model.potentials),
        "offset": model.threshold,
        "calibration": model.calibration is not None,
        "words": None if model.words is None else {"bias": model.words.bias},
    }
    if model.unary.linear is not None:
        document["linear"] = True
    if model.borders is not None:
        document["borders"] = asdict(model.borders.settings)
    if model.legend != TWO_CLASSES:
        document["legend"] = model.legend.to_dict()
    return document


def load_segmenter(folder: str | os.PathLike[str], allow_import: Collection[str] = ()) -> Segmenter:
    """Return the segmenter that `save_segmenter` wrote; its predictions are bit-identical.

    Parameters
    ----------
    folder : path
    allow_import : collection of str
        Functions (``"package.module:function"``) and folders of features that the model may use.
        A model that names any other is refused: loading it would run or read what it names.

    Raises
    ------
    ModelFileError
        With one line that says what is wrong with the folder.
    """
    document, arrays = read_folder(folder, KIND)
    try:
        restore = restore_classes if "classes" in document else restore_segmenter
        model: Segmenter = restore(document, arrays, Path(folder), allow_import)
        _try_out(model)
    except ModelFileError:
        raise
    except Exception as error:  # arbitrary content may fail in any way
        raise ModelFileError(f"{folder} does not describe a segmenter: {one_line(error)}") from None
    return model


def _pack(model: Segmenter) -> Arrays:
    codebook = next((g.codebook for g in model.preset.groups if hasattr(g, "codebook")), None)
    words = {} if codebook is None else codebook.to_arrays()
    own = pack_classes(model) if isinstance(model, ClassSegmentationModel) else _pack_binary(model)
    return {**own, **{f"codebook_{k}": a for k, a in words.items()}}


def _pack_binary(model: SegmentationModel) -> Arrays:
    arrays = pack_unaries(model.unary)
    if model.words is not None:
        arrays["words_coef"] = model.words.coef
    if model.borders is not None:
        arrays |= {f"borders_{k}": a for k, a in model.borders.to_arrays().items()}
    if model.calibration is not None:
        arrays |= {f"calibration_{k}": a for k, a in model.calibration.to_arrays().items()}
    return arrays


def _try_out(model: Segmenter) -> None:
    """Segment a small image, to find parts that do not fit together before the first use."""
    groups = [_without_files(group, model.widths) for group in model.preset.groups]
    model = replace(model, preset=replace(model.preset, groups=tuple(groups)))
    image = model.prepare(np.zeros((32, 32, 3 + model.preset.n_further), dtype=np.uint8))
    if isinstance(model, ClassSegmentationModel):
        model.score_pixels(image)
        return
    for group, stumps in model.unary.stumps.items():
        # The compiled sums do not check array bounds.
        if stumps.n_stumps and stumps.feature.max() >= image.groups[group].shape[1]:
            raise ValueError(f"the stumps of {group} use features that it does not have")
    model.score_pixels(image)


def _without_files(group: FeatureGroup, widths: Mapping[str, int]) -> FeatureGroup:
    """Return a group; a folder of features, which has none for the small image, gives zeros."""
    if not isinstance(group, FolderGroup):
        return group
    width = widths[group.name]
    return FunctionGroup(group.name, lambda _, labels: np.zeros((labels.max() + 1, width)))
