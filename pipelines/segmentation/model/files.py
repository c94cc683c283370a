"""A trained segmenter as one folder of JSON and npz, written whole or not at all.

``model.json`` and its npz file hold all but the CRF, which has a sub-folder named by its content.
The document is renamed into place last and names both by checksum: a reader sees the old model
or the new one, never a mixture.
"""

from __future__ import annotations

import copy
import hashlib
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.baselines.stump_sum import StumpSum
from segboost.estimators.crf import CRFStructBoost
from segboost.features.groups.base import FeatureGroup
from segboost.features.groups.user_groups import FolderGroup, FunctionGroup, refuse_imports
from segboost.features.groups.words import Codebook
from segboost.features.presets import Preset, preset_from_config
from segboost.pipelines.runtime.artefact_key import file_key
from segboost.pipelines.segmentation.borders.refinement import BorderRefinement
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings, PotentialSettings
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel, UnaryModel
from segboost.pipelines.segmentation.potentials.context import ContextPotential
from segboost.pipelines.segmentation.potentials.crf_potentials import CRFModel
from segboost.pipelines.segmentation.potentials.linear import LinearPotential
from segboost.pipelines.segmentation.potentials.linear_words import LinearWords
from segboost.pipelines.segmentation.potentials.trees import TreePotential
from segboost.saving.registry import FAMILIES, pack_model, unpack_model
from segboost.storage.folder import (
    DOCUMENT,
    ModelFileError,
    PackedModel,
    one_line,
    pack_folder,
    read_any,
    read_folder,
    write_folder,
    write_packed,
)
from segboost.storage.ownership import (
    ForeignFileError,
    check_model_folder,
    read_manifest,
    remove_model,
)
from segboost.weak.checks import read_array

KIND = "segmenter"
CRF_NAME = re.compile(r"crf-([0-9a-f]{64})")
CRF_KINDS = tuple(FAMILIES)
Arrays = dict[str, npt.NDArray[Any]]


def save_segmenter(
    model: SegmentationModel,
    folder: str | os.PathLike[str],
    extra: Mapping[str, Any] | None = None,
) -> Path:
    """Write a segmenter to a folder; an older one there is replaced at the end.

    The bytes depend on the model alone: times of learning are left out.

    Parameters
    ----------
    model : SegmentationModel
    folder : path
        Made where it does not exist.
    extra : mapping, optional
        Plain JSON values to keep with the model.
    """
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    check_model_folder(path)
    before = _owned_crf(path)
    crf = None if model.crf is None else _save_crf(model.crf, path)
    document: dict[str, Any] = {
        "config": model.config.to_dict(),
        "preset": model.preset.to_config(),
        "groups": list(model.unary.stumps),
        "widths": dict(model.widths),
        "context": model.unary.context is not None,
        "potentials": asdict(model.potentials),
        "offset": model.offset,
        "calibration": model.calibration is not None,
        "words": None if model.words is None else {"bias": model.words.bias},
        "crf": crf,
        "extra": dict(extra or {}),
    }
    if model.unary.linear is not None:
        document["linear"] = True
    if model.borders is not None:
        document["borders"] = asdict(model.borders.settings)
    write_folder(path, KIND, document, _pack(model))
    if before is not None and before.name != crf:
        remove_model(before)
    return path


def load_segmenter(
    folder: str | os.PathLike[str], allow_import: Collection[str] = ()
) -> SegmentationModel:
    """Return the segmenter that `save_segmenter` wrote; it predicts the same, to the bit.

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
        model = _restore(document, arrays, Path(folder), allow_import)
        _try_out(model)
    except ModelFileError:
        raise
    except Exception as error:  # content of any kind may be at fault in any way
        raise ModelFileError(f"{folder} does not describe a segmenter: {one_line(error)}") from None
    return model


def pack_crf(model: CRFModel) -> PackedModel:
    """Return a CRF of either kind as a document and arrays, without the seconds of its rounds."""
    timeless: Any = copy.copy(model)
    timeless.history_ = [replace(step, seconds=0.0) for step in model.history_]
    return pack_model(timeless)


def unpack_crf(packed: PackedModel, source: object, method: str) -> CRFModel:
    """Return the CRF that `pack_crf` took apart.

    Raises
    ------
    ModelFileError
        Where the parts are damaged or not those of a CRF that this method learns.
    """
    model = unpack_model(packed, source)
    expected = CRFStructuredSVM if method == "ssvm" else CRFStructBoost
    if not isinstance(model, expected):
        found = type(model).__name__
        raise ModelFileError(f"{source} holds a {found}, expected a {expected.__name__}")
    return model


def _save_crf(model: CRFModel, folder: Path) -> str:
    """Write the CRF to a sub-folder named by its content; return the name."""
    packed = pack_crf(model)
    files = pack_folder(packed.kind, packed.document, packed.arrays)
    name = f"crf-{hashlib.sha256(files[DOCUMENT]).hexdigest()}"
    if (folder / name).is_symlink():
        raise ForeignFileError(f"{folder / name} is a symbolic link: move it away")
    (folder / name).mkdir(exist_ok=True)
    write_packed(folder / name, files)
    return name


def _owned_crf(folder: Path) -> Path | None:
    """Return the sub-folder of the CRF of the segmenter in a folder; None if it is not as saved."""
    document = read_manifest(folder)
    try:
        name = CRF_NAME.fullmatch(document["content"]["crf"]) if document is not None else None
    except (KeyError, TypeError):
        return None
    if name is None or (folder / name[0]).is_symlink():
        return None
    saved = folder / name[0] / DOCUMENT
    return folder / name[0] if saved.is_file() and file_key(saved) == name[1] else None


def _pack(model: SegmentationModel) -> Arrays:
    arrays: Arrays = {"scale": model.unary.scale}
    codebook = next((g.codebook for g in model.preset.groups if hasattr(g, "codebook")), None)
    if codebook is not None:
        arrays |= {f"codebook_{k}": a for k, a in codebook.to_arrays().items()}
    for number, stumps in enumerate(model.unary.stumps.values()):
        arrays |= {f"unary{number}_{k}": a for k, a in stumps.pack().items()}
    if model.unary.trees is not None:
        arrays |= {f"trees_{k}": a for k, a in model.unary.trees.to_arrays().items()}
    if model.unary.linear is not None:
        arrays |= {f"linear_{k}": a for k, a in model.unary.linear.to_arrays().items()}
    if model.unary.context is not None:
        arrays |= {f"context_{k}": a for k, a in model.unary.context.to_arrays().items()}
    if model.words is not None:
        arrays["words_coef"] = model.words.coef
    if model.borders is not None:
        arrays |= {f"borders_{k}": a for k, a in model.borders.to_arrays().items()}
    if model.calibration is not None:
        arrays |= {f"calibration_{k}": a for k, a in model.calibration.to_arrays().items()}
    return arrays


def _restore(
    document: Mapping[str, Any], arrays: Arrays, folder: Path, allow_import: Collection[str]
) -> SegmentationModel:
    config = SegmentationConfig.from_dict(_present(document["config"]), warn=False)
    groups: list[str] = document["groups"]
    stumps = {
        name: StumpSum.unpack(_part(arrays, f"unary{number}_"))
        for number, name in enumerate(groups)
    }
    preset = _restore_preset(document["preset"], arrays, folder, allow_import)
    trees, context, linear = None, None, None
    names = [group.name for group in preset.groups]
    if document.get("linear", False):
        linear = LinearPotential.from_arrays(names, _part(arrays, "linear_"))
    if document["context"]:
        trees = TreePotential.from_arrays(names, _part(arrays, "trees_"))
        raw = names if config.context_raw_columns else ()
        context = ContextPotential.from_arrays(_part(arrays, "context_"), raw)
    scale = read_array(arrays, "scale", "f", (None,))
    if not (scale > 0).all():
        raise ValueError("the stored array 'scale' has values that are not positive")
    words = None
    if document["words"] is not None:
        coef = read_array(arrays, "words_coef", "f", (None,))
        words = LinearWords(coef, float(document["words"]["bias"]))
    calibration = None
    if document.get("calibration", False):  # older folders have none
        calibration = Calibration.from_arrays(_part(arrays, "calibration_"))
    return SegmentationModel(
        config,
        preset,
        UnaryModel(stumps, trees, context, scale, config.trees_in_crf, linear),
        _restore_crf(document["crf"], folder, config.method),
        PotentialSettings.from_dict(document["potentials"]),
        words,
        float(document["offset"]),
        calibration,
        _restore_borders(document.get("borders"), arrays),
        {str(k): int(n) for k, n in document.get("widths", {}).items()},  # older ones have none
    )


def _present(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return settings of a model as they are called now: version 0.1's `default` is `classic`."""
    if "group_classifiers" not in settings and settings.get("preset") == "default":
        return {**settings, "preset": "classic"}
    return settings


def _restore_borders(settings: Mapping[str, Any] | None, arrays: Arrays) -> BorderRefinement | None:
    if settings is None:
        return None
    checked = BorderSettings(**{**settings, "layers": tuple(settings["layers"])})
    return BorderRefinement.from_arrays(_part(arrays, "borders_"), checked)


def _restore_preset(
    config: Mapping[str, Any], arrays: Arrays, folder: Path, allow_import: Collection[str]
) -> Preset:
    try:
        refuse_imports(config["groups"], allow_import, "the model")
    except ValueError as error:
        raise ModelFileError(str(error)) from None
    method = config["superpixels"]
    if method["kind"] == "graph":  # older folders have one number for images of all sizes
        method = {"count_limit": method["max_count"], **method}
    groups = [_find_network(group, folder) for group in config["groups"]]
    preset = preset_from_config({**config, "superpixels": method, "groups": groups})
    if preset.needs_codebook:
        preset = preset.with_codebook(Codebook.from_arrays(_part(arrays, "codebook_")))
    return preset


def _find_network(group: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """Return a group; where its network is not where it was, with the copy in the model folder.

    Either must have the checksum that the group names.
    """
    file = group.get("file")
    if group.get("kind") != "network" or file is None:
        return group
    if not isinstance(group.get("sha256"), str):
        raise ModelFileError(f"{folder} does not say which network file it needs")
    beside = folder / Path(str(file)).name
    return {**group, "file": str(beside)} if beside.is_file() else group


def _restore_crf(name: str | None, folder: Path, method: str) -> CRFModel | None:
    if name is None:
        return None
    place = folder / Path(name).name
    if not (place / DOCUMENT).is_file():
        raise ModelFileError(f"{folder} is not complete: its {name} is missing")
    if name != f"crf-{file_key(place / DOCUMENT)}":
        raise ModelFileError(f"{place} was edited or damaged: its checksum does not match")
    return unpack_crf(read_any(place, CRF_KINDS), place, method)


def _try_out(model: SegmentationModel) -> None:
    """Segment a small image: parts that do not fit each other show here, not at first use."""
    groups = [_without_files(group, model.widths) for group in model.preset.groups]
    model = replace(model, preset=replace(model.preset, groups=tuple(groups)))
    image = model.prepare(np.zeros((32, 32, 3), dtype=np.uint8))
    for group, stumps in model.unary.stumps.items():
        # The compiled sums do not check where they read.
        if stumps.n_stumps and stumps.feature.max() >= image.groups[group].shape[1]:
            raise ValueError(f"the stumps of {group} ask for features that it does not have")
    model.score_pixels(image)


def _without_files(group: FeatureGroup, widths: Mapping[str, int]) -> FeatureGroup:
    """Return a group; zeros for a folder of features, which has none of the small image."""
    if not isinstance(group, FolderGroup):
        return group
    width = widths[group.name]
    return FunctionGroup(group.name, lambda _, labels: np.zeros((labels.max() + 1, width)))


def _part(arrays: Arrays, prefix: str) -> Arrays:
    return {k.removeprefix(prefix): a for k, a in arrays.items() if k.startswith(prefix)}
