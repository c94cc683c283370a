"""Restore a segmenter from a document and arrays, including older formats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from segboost.features.groups.user_groups import refuse_imports
from segboost.features.groups.words import Codebook
from segboost.features.presets import Preset, preset_from_config
from segboost.pipelines.segmentation.borders.refinement import BorderRefinement
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings, PotentialSettings
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.pipelines.segmentation.model.crf_files import load_crf
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.model.unaries import Arrays, part_of, restore_unaries
from segboost.pipelines.segmentation.potentials.linear_words import LinearWords
from segboost.storage.folder import ModelFileError
from segboost.weak.checks import read_array, read_number


def restore_segmenter(
    document: Mapping[str, Any], arrays: Arrays, folder: Path, allow_import: Collection[str]
) -> SegmentationModel:
    """Return the segmenter of a document and arrays that were read from a folder."""
    config = SegmentationConfig.from_dict(_present(document["config"]), warn=False)
    preset = _restore_preset(document["preset"], arrays, folder, allow_import)
    names = [group.name for group in preset.groups]
    unary = restore_unaries(document, arrays, names, config)
    words = None
    if document["words"] is not None:
        coef = read_array(arrays, "words_coef", "f", (None,))
        words = LinearWords(coef, read_number(document["words"], "bias"))
    calibration = None
    if document.get("calibration", False):  # older folders have none
        calibration = Calibration.from_arrays(part_of(arrays, "calibration_"))
    return SegmentationModel(
        config,
        preset,
        unary,
        load_crf(document["crf"], folder, config.method),
        PotentialSettings.from_dict(document["potentials"]),
        words,
        read_number(document, "offset"),
        calibration,
        _restore_borders(document.get("borders"), arrays),
        {str(k): int(n) for k, n in document.get("widths", {}).items()},  # older ones have none
    )


def _present(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a model's settings under current names: version 0.1's `default` is `classic`."""
    if "group_classifiers" not in settings and settings.get("preset") == "default":
        return {**settings, "preset": "classic"}
    return settings


def _restore_borders(settings: Mapping[str, Any] | None, arrays: Arrays) -> BorderRefinement | None:
    if settings is None:
        return None
    checked = BorderSettings.from_dict(settings)
    return BorderRefinement.from_arrays(part_of(arrays, "borders_"), checked)


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
        preset = preset.with_codebook(Codebook.from_arrays(part_of(arrays, "codebook_")))
    return preset


def _find_network(group: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """Return a group; if its network file has moved, with the copy in the model folder.

    Either must have the checksum that the group names.
    """
    file = group.get("file")
    if group.get("kind") != "network" or file is None:
        return group
    if not isinstance(group.get("sha256"), str):
        raise ModelFileError(f"{folder} does not say which network file it needs")
    beside = folder / Path(str(file)).name
    return {**group, "file": str(beside)} if beside.is_file() else group
