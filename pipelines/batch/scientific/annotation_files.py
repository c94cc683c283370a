"""Write the outlines of an image's objects in the formats of other tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from segboost.io.formats.annotations import AnnotatedImage
from segboost.io.formats.coco import write_coco
from segboost.io.formats.geojson import write_geojson
from segboost.io.formats.labelme import write_labelme
from segboost.io.legend import ClassLegend
from segboost.pipelines.batch.scientific.output_names import COCO


def write_annotations(
    output: Path, stem: str, image: AnnotatedImage, legend: ClassLegend, formats: Sequence[str]
) -> None:
    """Write the outlines of an image in the wanted formats.

    Parameters
    ----------
    output : Path
    stem : str
    image : AnnotatedImage
    legend : ClassLegend
    formats : sequence of {"coco", "geojson", "labelme"}
    """
    if "geojson" in formats:
        write_geojson(output / f"{stem}.geojson", image, legend.names, legend.colours)
    if "labelme" in formats:
        write_labelme(output / f"{stem}.json", image, legend.names)
    if "coco" in formats:
        (output / COCO).mkdir(exist_ok=True)
        write_coco(output / COCO / f"{stem}.json", [image], legend.names)
