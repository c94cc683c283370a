"""Objects of a segmented image: label image, table and annotation files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from segboost._types import AnyArray, ByteArray
from segboost.io.errors import ImageFileError
from segboost.io.formats.annotations import AnnotatedImage, Annotation, annotate_labels
from segboost.io.legend import ClassLegend
from segboost.io.opening import MAX_PIXELS
from segboost.io.scientific.image_info import ImageInfo
from segboost.pipelines.objects.finding import ObjectSettings, find_objects
from segboost.pipelines.objects.measuring import measure_objects
from segboost.pipelines.objects.table_file import PageObjects


@dataclass(eq=False)
class ObjectCollector:
    """Finds the objects of the pages of an image, one page at a time.

    Parameters
    ----------
    name : str
        Name of the image file.
    info : ImageInfo
    settings : ObjectSettings
    legend : ClassLegend
    tolerance : float, optional
        If given, outlines are traced, too.
    """

    name: str
    info: ImageInfo
    settings: ObjectSettings
    legend: ClassLegend
    tolerance: float | None = None
    tables: list[PageObjects] = field(default_factory=list)
    outlines: list[Annotation] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.info.n_pixels > MAX_PIXELS:
            raise ImageFileError(
                f"objects are found in pages of at most {MAX_PIXELS} pixels: segment it without "
                "--objects"
            )

    def add(
        self, page: int, mask: ByteArray, probability: ByteArray | None, values: AnyArray
    ) -> Iterator[AnyArray]:
        """Measure the objects of a page and yield its label image as one band.

        Parameters
        ----------
        page : int
        mask : ndarray of uint8, shape (H, W)
            Class indices.
        probability : ndarray of uint8, shape (H, W), or None
        values : ndarray of shape (H, W, C)
            Original intensities.
        """
        objects = find_objects(mask, self.settings)
        unit = None if probability is None else probability / 255.0
        table = measure_objects(
            objects, self.legend.names, unit, values, pixel_size=self.info.pixel_size
        )
        self.tables.append(PageObjects(self.name, page, table))
        if self.tolerance is not None:
            scores = None if unit is None else table["mean_probability"]
            classes = objects.classes
            found = annotate_labels(
                self.name, objects.labels, classes, self.tolerance, scores, page
            )
            self.outlines += found.annotations
        yield objects.labels

    @property
    def count(self) -> int:
        """The number of objects so far."""
        return sum(len(page.table["object"]) for page in self.tables)

    @property
    def area(self) -> float:
        """Their total area, in the unit of the table."""
        return float(sum(np.sum(page.table["area"]) for page in self.tables))

    def annotated(self) -> AnnotatedImage:
        """Return the outlines as annotations of the image."""
        info = self.info
        return AnnotatedImage(
            self.name, info.width, info.height, tuple(self.outlines), planes=info.planes
        )


def write_annotations(
    output: Path, stem: str, image: AnnotatedImage, legend: ClassLegend, formats: Sequence[str]
) -> None:
    """Write the outlines of an image in the wanted formats of one file per image.

    Parameters
    ----------
    output : Path
    stem : str
    image : AnnotatedImage
    legend : ClassLegend
    formats : sequence of {"geojson", "labelme"}
    """
    from segboost.io.formats.geojson import write_geojson
    from segboost.io.formats.labelme import write_labelme

    if "geojson" in formats:
        write_geojson(output / f"{stem}.geojson", image, legend.names, legend.colours)
    if "labelme" in formats:
        write_labelme(output / f"{stem}.json", image, legend.names)
