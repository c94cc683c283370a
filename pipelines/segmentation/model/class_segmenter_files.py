"""A segmenter of several classes as a document and arrays, and back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from segboost.io.legend import ClassLegend
from segboost.pipelines.segmentation.borders.class_refinement import ClassRefinement
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings, PotentialSettings
from segboost.pipelines.segmentation.decisions.class_calibration import ClassCalibration
from segboost.pipelines.segmentation.model.class_segmenter import ClassSegmentationModel
from segboost.pipelines.segmentation.model.class_unary_model import ClassUnaryModel
from segboost.pipelines.segmentation.model.crf_files import load_crf
from segboost.pipelines.segmentation.model.prefixed_arrays import Arrays, arrays_with_prefix
from segboost.pipelines.segmentation.model.restored_preset import restore_preset
from segboost.weak.checks import read_array


def describe_classes(model: ClassSegmentationModel) -> dict[str, Any]:
    """Return the document of a model, without its CRF."""
    borders = None if model.borders is None else asdict(model.borders.settings)
    return {
        "config": model.config.to_dict(),
        "preset": model.preset.to_config(),
        "legend": model.legend.to_dict(),
        "widths": dict(model.widths),
        "potentials": asdict(model.potentials),
        "borders": borders,
    }


def pack_classes(model: ClassSegmentationModel) -> Arrays:
    """Return the arrays of a model, without its CRF and its codebook."""
    arrays: Arrays = {f"unary_{k}": a for k, a in model.unary.to_arrays().items()}
    arrays |= {f"calibration_{k}": a for k, a in model.calibration.to_arrays().items()}
    arrays |= {f"probability_{k}": a for k, a in model.probability.to_arrays().items()}
    arrays["offsets"] = model.offsets
    if model.borders is not None:
        arrays |= {f"borders_{k}": a for k, a in model.borders.to_arrays().items()}
    return arrays


def restore_classes(
    document: Mapping[str, Any], arrays: Arrays, folder: Path, allow_import: Collection[str]
) -> ClassSegmentationModel:
    """Return the segmenter of a document and arrays that were read from a folder."""
    config = SegmentationConfig.from_dict(document["config"], warn=False)
    legend = ClassLegend.from_dict(document["legend"])
    preset = restore_preset(document["preset"], arrays, folder, allow_import)
    groups = [group.name for group in preset.groups]
    calibration = ClassCalibration.from_arrays(arrays_with_prefix(arrays, "calibration_"))
    offsets = read_array(arrays, "offsets", "f", (legend.n_classes,))
    probability = ClassCalibration.from_arrays(arrays_with_prefix(arrays, "probability_"))
    if not len(calibration.constant) == len(probability.constant) == legend.n_classes:
        raise ValueError(f"the calibration must have {legend.n_classes} classes")
    return ClassSegmentationModel(
        config,
        preset,
        legend,
        ClassUnaryModel.from_arrays(arrays_with_prefix(arrays, "unary_"), groups, legend.n_classes),
        load_crf(document["crf"], folder, config.method),
        PotentialSettings.from_dict(document["potentials"]),
        calibration,
        offsets,
        probability,
        _restore_borders(document["borders"], arrays, legend.n_classes),
        {str(k): int(n) for k, n in document["widths"].items()},
    )


def _restore_borders(
    settings: Mapping[str, Any] | None, arrays: Arrays, n_classes: int
) -> ClassRefinement | None:
    if settings is None:
        return None
    checked = BorderSettings.from_dict(settings)
    found = ClassRefinement.from_arrays(arrays_with_prefix(arrays, "borders_"), checked)
    if found.booster.n_classes != n_classes:
        raise ValueError(f"the border refinement must have {n_classes} classes")
    return found
