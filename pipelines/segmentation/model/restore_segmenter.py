"""Restore a segmenter from a document and arrays, including older formats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from segboost.io.legend import TWO_CLASSES, ClassLegend
from segboost.pipelines.segmentation.borders.refinement import BorderRefinement
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings, PotentialSettings
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.pipelines.segmentation.model.crf_files import load_crf
from segboost.pipelines.segmentation.model.prefixed_arrays import Arrays, arrays_with_prefix
from segboost.pipelines.segmentation.model.restored_preset import restore_preset
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.pipelines.segmentation.model.unary_model import restore_unaries
from segboost.pipelines.segmentation.potentials.linear_words import LinearWords
from segboost.weak.checks import read_array, read_number


def restore_segmenter(
    document: Mapping[str, Any], arrays: Arrays, folder: Path, allow_import: Collection[str]
) -> SegmentationModel:
    """Return the segmenter of a document and arrays that were read from a folder."""
    config = SegmentationConfig.from_dict(_present(document["config"]), warn=False)
    preset = restore_preset(document["preset"], arrays, folder, allow_import)
    names = [group.name for group in preset.groups]
    unary = restore_unaries(document, arrays, names, config)
    words = None
    if document["words"] is not None:
        coef = read_array(arrays, "words_coef", "f", (None,))
        words = LinearWords(coef, read_number(document["words"], "bias"))
    calibration = None
    if document.get("calibration", False):  # older folders have none
        calibration = Calibration.from_arrays(arrays_with_prefix(arrays, "calibration_"))
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
        _restore_legend(document.get("legend")),
    )


def _present(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a model's settings under current names: `classic` was once `default`."""
    if "group_classifiers" not in settings and settings.get("preset") == "default":
        return {**settings, "preset": "classic"}
    return settings


def _restore_legend(legend: Mapping[str, Any] | None) -> ClassLegend:
    """Return the legend of two classes; older folders have none."""
    found = TWO_CLASSES if legend is None else ClassLegend.from_dict(legend)
    if found.n_classes != 2:
        raise ValueError(f"the legend must have two classes, got {found.n_classes}")
    return found


def _restore_borders(settings: Mapping[str, Any] | None, arrays: Arrays) -> BorderRefinement | None:
    if settings is None:
        return None
    checked = BorderSettings.from_dict(settings)
    return BorderRefinement.from_arrays(arrays_with_prefix(arrays, "borders_"), checked)
