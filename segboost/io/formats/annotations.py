"""Annotations in all formats: outlined objects of an image, with classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from segboost._types import AnyArray, BoolArray, ByteArray, Int32Array
from segboost.io.formats.polygons import (
    DEFAULT_TOLERANCE,
    Polygon,
    bounding_box,
    fill_polygons,
    paint_polygon,
    polygon_area,
    trace_labels,
    trace_polygons,
)
from segboost.io.legend import VOID
from segboost.io.opening import MAX_PIXELS, check_size


@dataclass(frozen=True, eq=False)
class Annotation:
    """One object.

    Parameters
    ----------
    class_index : int
    polygons : tuple of Polygon
        In pixels from the upper left corner of the image.
    pixels : ndarray of bool, shape (H, W), optional
        The object as a mask, from formats that store one; used instead of the polygons.
    score : float, optional
        Probability of the class.
    measurements : dict
        Further columns of the object, for formats that keep them.
    page : int
        Page of a stack.
    """

    class_index: int
    polygons: tuple[Polygon, ...] = ()
    pixels: BoolArray | None = None
    score: float | None = None
    measurements: dict[str, float] = field(default_factory=dict)
    page: int = 0

    @property
    def area(self) -> float:
        """Area in pixels."""
        if self.pixels is not None:
            return float(self.pixels.sum())
        return sum(polygon_area(polygon) for polygon in self.polygons)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """x, y, width and height of the box around the object; zeros if it is empty."""
        if self.pixels is None:
            return bounding_box(self.polygons) if self.polygons else (0.0, 0.0, 0.0, 0.0)
        rows, columns = (np.flatnonzero(self.pixels.any(axis=axis)) for axis in (1, 0))
        if not rows.size:
            return 0.0, 0.0, 0.0, 0.0
        (left, right), (top, bottom) = columns[[0, -1]].tolist(), rows[[0, -1]].tolist()
        return float(left), float(top), right - left + 1.0, bottom - top + 1.0

    def fill(self, shape: tuple[int, int]) -> BoolArray:
        """Return the pixels of the object, shape (H, W)."""
        return self.pixels if self.pixels is not None else fill_polygons(self.polygons, shape)

    def paint(self, canvas: AnyArray, value: int) -> None:
        """Set the pixels of the object in an image, shape (H, W), in place."""
        if self.pixels is not None:
            canvas[self.pixels] = value
            return
        for polygon in self.polygons:
            paint_polygon(canvas, polygon, value)


@dataclass(frozen=True, eq=False)
class AnnotatedImage:
    """The annotations of one image.

    Parameters
    ----------
    name : str
        Name of the image file.
    width, height : int
    annotations : tuple of Annotation
        Where objects overlap, later ones cover earlier ones.
    notes : tuple of str
        Notes on what a reader left out.
    planes : tuple of (int, int)
        Positions in z and t of the pages of a stack; empty for a single page.
    """

    name: str
    width: int
    height: int
    annotations: tuple[Annotation, ...] = ()
    notes: tuple[str, ...] = ()
    planes: tuple[tuple[int, int], ...] = ()

    @property
    def pages(self) -> int:
        """The number of pages."""
        return max(len(self.planes), 1)

    def mask(self, page: int | None = None) -> ByteArray:
        """Return the classes as a mask, shape (H, W); 0 where there is no object.

        Parameters
        ----------
        page : int, optional
            The page of a stack; all annotations by default.
        """
        check_size(self.width, self.height, MAX_PIXELS)
        mask = np.zeros((self.height, self.width), dtype=np.uint8)
        for annotation in self._on(page):
            annotation.paint(mask, annotation.class_index)
        return mask

    def labels(self, page: int | None = None) -> Int32Array:
        """Return the objects as a label image, shape (H, W): 1 … n, 0 where there is none."""
        check_size(self.width, self.height, MAX_PIXELS)
        labels = np.zeros((self.height, self.width), dtype=np.int32)
        for number, annotation in enumerate(self._on(page), start=1):
            annotation.paint(labels, number)
        return labels

    def _on(self, page: int | None) -> list[Annotation]:
        return [a for a in self.annotations if page is None or a.page == page]


def annotate_mask(
    name: str,
    mask: AnyArray,
    tolerance: float = DEFAULT_TOLERANCE,
    background: int | None = 0,
) -> AnnotatedImage:
    """Return the connected parts of the classes of a mask as annotations.

    Parameters
    ----------
    name : str
        Name of the image file.
    mask : ndarray of integers, shape (H, W)
        Class indices; 255 is void and left out.
    tolerance : float
        See `trace_polygons`.
    background : int, optional
        The class that is not outlined; None to outline all classes.
    """
    classes = [int(c) for c in np.unique(mask) if c not in (background, VOID)]
    found = [
        Annotation(index, (polygon,))
        for index in classes
        for polygon in trace_polygons(mask == index, tolerance)
    ]
    return AnnotatedImage(name, mask.shape[1], mask.shape[0], tuple(found))


def annotate_labels(
    name: str,
    labels: AnyArray,
    classes: Sequence[int] | AnyArray,
    tolerance: float = DEFAULT_TOLERANCE,
    scores: Sequence[float] | AnyArray | None = None,
    page: int = 0,
) -> AnnotatedImage:
    """Return the objects of a label image as annotations.

    Parameters
    ----------
    name : str
    labels : ndarray of integers, shape (H, W)
        Objects 1 … n; 0 where there is none.
    classes : sequence of int, length n
        The class of each object.
    tolerance : float
        See `trace_polygons`.
    scores : sequence of float, length n, optional
    page : int
    """
    outlines = trace_labels(labels, tolerance)
    if len(outlines) > len(classes):
        raise ValueError(f"classes: expected {len(outlines)}, one per object, got {len(classes)}")
    found = annotate_outlines(outlines, classes, scores, page)
    return AnnotatedImage(name, labels.shape[1], labels.shape[0], tuple(found))


def annotate_outlines(
    outlines: Sequence[Sequence[Polygon]],
    classes: Sequence[int] | AnyArray,
    scores: Sequence[float] | AnyArray | None = None,
    page: int = 0,
) -> list[Annotation]:
    """Return the polygons of objects as annotations; objects without any are left out.

    Parameters
    ----------
    outlines : sequence of sequence of Polygon, length n
    classes : sequence of int, length n
    scores : sequence of float, length n, optional
    page : int
    """
    return [
        Annotation(
            int(classes[n]),
            tuple(polygons),
            score=None if scores is None else float(scores[n]),
            page=page,
        )
        for n, polygons in enumerate(outlines)
        if polygons
    ]


def check_names(images: Sequence[AnnotatedImage], class_names: Sequence[str]) -> None:
    """Raise ValueError if an annotation has a class without a name."""
    for image in images:
        for annotation in image.annotations:
            if not 0 <= annotation.class_index < len(class_names):
                raise ValueError(
                    f"{image.name}: class {annotation.class_index} has no name; "
                    f"{len(class_names)} names are given"
                )
