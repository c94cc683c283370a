"""Reading and writing image and annotation files as arrays and tables, also for notebooks.

Names are imported on first use, so that the command line starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segboost.io.errors import ImageFileError
    from segboost.io.formats.annotations import (
        AnnotatedImage,
        Annotation,
        annotate_labels,
        annotate_mask,
    )
    from segboost.io.formats.coco import read_coco, write_coco
    from segboost.io.formats.geojson import read_geojson, write_geojson
    from segboost.io.formats.labelme import read_labelme, write_labelme
    from segboost.io.formats.masks import mask_of_colours, mask_of_labels
    from segboost.io.image_files import read_image
    from segboost.io.legend import ClassLegend, read_legend
    from segboost.io.object_table import read_objects
    from segboost.io.pixel_size import PixelSize
    from segboost.io.scientific.image_info import ImageInfo, ScientificImage
    from segboost.io.scientific.intensities import IntensityScale, learn_scale, sample_pixels
    from segboost.io.scientific.sources import open_source, read_info, read_scientific
    from segboost.io.scientific.tiff_output import write_tiff_stack

_HOME = {
    "AnnotatedImage": "formats.annotations",
    "Annotation": "formats.annotations",
    "ClassLegend": "legend",
    "ImageFileError": "errors",
    "ImageInfo": "scientific.image_info",
    "IntensityScale": "scientific.intensities",
    "PixelSize": "pixel_size",
    "ScientificImage": "scientific.image_info",
    "annotate_labels": "formats.annotations",
    "annotate_mask": "formats.annotations",
    "learn_scale": "scientific.intensities",
    "mask_of_colours": "formats.masks",
    "mask_of_labels": "formats.masks",
    "open_source": "scientific.sources",
    "read_coco": "formats.coco",
    "read_geojson": "formats.geojson",
    "read_image": "image_files",
    "read_info": "scientific.sources",
    "read_labelme": "formats.labelme",
    "read_legend": "legend",
    "read_objects": "object_table",
    "read_scientific": "scientific.sources",
    "sample_pixels": "scientific.intensities",
    "write_coco": "formats.coco",
    "write_geojson": "formats.geojson",
    "write_labelme": "formats.labelme",
    "write_tiff_stack": "scientific.tiff_output",
}

__all__ = [
    "AnnotatedImage",
    "Annotation",
    "ClassLegend",
    "ImageFileError",
    "ImageInfo",
    "IntensityScale",
    "PixelSize",
    "ScientificImage",
    "annotate_labels",
    "annotate_mask",
    "learn_scale",
    "mask_of_colours",
    "mask_of_labels",
    "open_source",
    "read_coco",
    "read_geojson",
    "read_image",
    "read_info",
    "read_labelme",
    "read_legend",
    "read_objects",
    "read_scientific",
    "sample_pixels",
    "write_coco",
    "write_geojson",
    "write_labelme",
    "write_tiff_stack",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"segboost.io.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
