"""Objects of a segmented image: label image, table and outlines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from segboost._types import AnyArray, ByteArray
from segboost.io.formats.annotations import (
    AnnotatedImage,
    Annotation,
    annotate_labels,
    annotate_outlines,
)
from segboost.io.legend import ClassLegend
from segboost.io.opening import MAX_PIXELS
from segboost.io.scientific.image_info import ImageInfo
from segboost.io.scientific.tiff_output import SIDE
from segboost.io.scientific.window import Window
from segboost.pipelines.objects.finding import ObjectSettings, find_objects
from segboost.pipelines.objects.large.finding import find_large_objects
from segboost.pipelines.objects.large.measuring import PageValues, measure_large_objects
from segboost.pipelines.objects.large.outlines import trace_large_objects
from segboost.pipelines.objects.large.page_file import LargeLimits, cut_bands, open_page
from segboost.pipelines.objects.measuring import measure_objects
from segboost.pipelines.objects.table_file import PageObjects

IN_MEMORY = MAX_PIXELS
"""Larger pages are measured by windows, with their mask and labels in temporary files."""
LIMITS = LargeLimits()


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
        If given, outlines are also traced, with this tolerance in pixels.
    """

    name: str
    info: ImageInfo
    settings: ObjectSettings
    legend: ClassLegend
    tolerance: float | None = None
    tables: list[PageObjects] = field(default_factory=list)
    outlines: list[Annotation] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _files: ExitStack = field(default_factory=ExitStack)

    @property
    def is_large(self) -> bool:
        """Whether the pages are too large to be measured in memory."""
        return self.info.n_pixels > IN_MEMORY

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

    def add_large(
        self,
        page: int,
        mask: Iterable[ByteArray],
        probability: Iterable[ByteArray] | None,
        values: Callable[[Window], AnyArray],
        folder: Path,
    ) -> Iterator[AnyArray]:
        """Measure the objects of a large page and return its label image as bands.

        Parameters
        ----------
        page : int
        mask : iterable of ndarray of uint8, shape (h, W)
            Class indices, as bands from top to bottom.
        probability : iterable of ndarray of uint8, shape (h, W), or None
        values : callable
            Returns the original intensities in a window, shape (h, w, C).
        folder : Path
            Holds temporary files of up to ten bytes per pixel until the next page is added or
            the collector is closed.
        """
        self.close()
        shape, enter = self.info.shape, self._files.enter_context
        given = enter(open_page(folder, shape, np.uint8)).fill(mask)
        labels, scratch = (enter(open_page(folder, shape, np.int32)) for _ in range(2))
        objects = find_large_objects(given, labels, scratch, self.settings, LIMITS)
        unit = None
        if probability is not None:
            unit = enter(open_page(folder, shape, np.uint8)).fill(probability).read
        measured = PageValues(values, unit)
        names, size = self.legend.names, self.info.pixel_size
        table = measure_large_objects(objects, names, measured, size, LIMITS)
        self.tables.append(PageObjects(self.name, page, table))
        if self.tolerance is not None:
            outlines = trace_large_objects(objects, scratch, self.tolerance, LIMITS)
            scores = None if unit is None else table["mean_probability"]
            self.outlines += annotate_outlines(outlines, objects.classes, scores, page)
        if objects.not_split:
            self.notes.append(_describe_not_split(objects.not_split, page, self.info.pages))
        return (labels.read(band) for band in cut_bands(labels.whole, SIDE))

    def close(self) -> None:
        """Remove temporary files."""
        self._files.close()

    @property
    def count(self) -> int:
        """The number of objects so far."""
        return sum(len(page.table["object"]) for page in self.tables)

    @property
    def area(self) -> float:
        """The total area of the objects so far, in the unit of the table."""
        return float(sum(np.sum(page.table["area"]) for page in self.tables))

    def annotated(self) -> AnnotatedImage:
        """Return the outlines as annotations of the image."""
        info = self.info
        return AnnotatedImage(
            self.name, info.width, info.height, tuple(self.outlines), planes=info.planes
        )


def _describe_not_split(count: int, page: int, pages: int) -> str:
    where = f" of page {page}" if pages > 1 else ""
    what = f"1 part{where} is" if count == 1 else f"{count} parts{where} are"
    return f"{what} not split: the box around a part must have at most {LIMITS.largest} pixels"
