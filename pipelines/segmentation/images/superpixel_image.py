"""An image as seen by the learners: superpixels, their graph, features and truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from segboost._types import AnyArray, ByteArray, Float32Array, FloatArray, Int32Array, Int64Array
from segboost.features.extract import ImageFeatures
from segboost.pipelines.runtime.artefact_store import Artefact
from segboost.pipelines.segmentation.images.page_view import PageView
from segboost.pipelines.segmentation.metrics.confusion import class_counts
from segboost.pipelines.segmentation.metrics.scores import check_mask

GROUP = "group:"


@dataclass(frozen=True, eq=False)
class SuperpixelImage:
    """The superpixels of an image with their graph, features and, if known, truth.

    Parameters
    ----------
    name : str
    superpixels : ndarray of int32, shape (H, W)
    area : ndarray of int64, shape (P,)
    centres : ndarray of int64, shape (P, 2)
        Row and column.
    edges : ndarray of int64, shape (E, 2)
    boundary_length, luv_difference : ndarray of shape (E,)
    groups : mapping of name to ndarray of shape (P, d)
    counts : ndarray of int64, shape (P, K), or None
        Labelled pixels of each class; None if there is no mask.
    pixels : ndarray of uint8, shape (H, W, 3), or None
        The image itself, if borders are to be refined; not part of the artefact.
    maps : mapping of (scale, layer) to ndarray of float32, shape (C, h, w)
        Maps of the built-in network that were already computed; not part of the artefact.
    page : PageView or None
        Where the image lies in a large page, if it is a part of one; not part of the artefact.
    """

    name: str
    superpixels: Int32Array
    area: Int64Array
    centres: Int64Array
    edges: Int64Array
    boundary_length: AnyArray
    luv_difference: AnyArray
    groups: Mapping[str, AnyArray]
    counts: Int64Array | None = None
    pixels: ByteArray | None = None
    maps: Mapping[tuple[float, str], Float32Array] = field(default_factory=dict)
    page: PageView | None = None

    @classmethod
    def from_features(
        cls, name: str, features: ImageFeatures, page: PageView | None = None
    ) -> Self:
        """Return the image of these features, without truth."""
        graph = features.adjacency
        return cls(
            name,
            features.superpixels,
            features.area,
            features.centres,
            np.asarray(graph.edges, dtype=np.int64),
            graph.boundary_length,
            graph.luv_difference,
            {key: group.values for key, group in features.groups.items()},
            maps=features.maps,
            page=page,
        )

    @classmethod
    def from_artefact(cls, name: str, artefact: Artefact) -> Self:
        """Return the image that `to_artefact` stored."""
        arrays = artefact.arrays
        plain: dict[str, Any] = {k: a for k, a in arrays.items() if not k.startswith(GROUP)}
        groups = {k.removeprefix(GROUP): a for k, a in arrays.items() if k.startswith(GROUP)}
        return cls(name, groups=groups, **plain)

    def to_artefact(self) -> Artefact:
        """Return the superpixels, the graph and the features as arrays."""
        names = (
            "superpixels",
            "area",
            "centres",
            "edges",
            "boundary_length",
            "luv_difference",
        )
        arrays = {name: getattr(self, name) for name in names}
        return Artefact(arrays | {f"{GROUP}{key}": a for key, a in self.groups.items()})

    def with_truth(self, mask: ByteArray, n_classes: int = 2) -> Self:
        """Return the image with the pixel counts of a mask (0 … K−1, and 255 for void)."""
        checked = check_mask(mask) if n_classes == 2 else mask
        return replace(self, counts=class_counts(self.superpixels, checked, n_classes))

    def without_groups(self) -> Self:
        """Return the image without its features, which take most of the memory."""
        return replace(self, groups={}, pixels=None, maps={})

    @property
    def n_superpixels(self) -> int:
        """Number of superpixels P."""
        return len(self.area)

    def wanted_pixels(self, rows: Int64Array, columns: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return those of the pixels that are wanted: for a tile, those in its core."""
        if self.page is None or self.page.core is None:
            return rows, columns
        down, across = self.page.core
        inside = (rows >= down.start) & (rows < down.stop)
        inside &= (columns >= across.start) & (columns < across.stop)
        return rows[inside], columns[inside]

    @property
    def mean_area(self) -> float:
        """Pixels per superpixel, in the whole page."""
        return float(self.area.mean() if self.page is None else self.page.part.means().mean_area)

    @property
    def positions(self) -> FloatArray:
        """Row and column of the centres as shares of the whole page's sides, shape (P, 2)."""
        if self.page is None:
            return self.centres / np.array(self.superpixels.shape)
        part = self.page.part
        return part.on_page(self.centres) / part.shape

    @property
    def class_counts(self) -> Int64Array:
        """The labelled pixels of each class, shape (P, K); ValueError if there is no mask."""
        if self.counts is None:
            raise ValueError(f"image {self.name!r} has no mask to learn from or to measure with")
        return self.counts

    @property
    def truth(self) -> tuple[Int64Array, Int64Array]:
        """The labelled foreground and background pixels of two classes."""
        counts = self.class_counts
        if counts.shape[1] != 2:
            raise ValueError(f"image {self.name!r} has {counts.shape[1]} classes, expected two")
        return np.ascontiguousarray(counts[:, 1]), np.ascontiguousarray(counts[:, 0])

    @property
    def labels(self) -> Int64Array:
        """The class with most of the labelled pixels, shape (P,); the lower one on a tie."""
        return np.argmax(self.class_counts, axis=1).astype(np.int64)

    @property
    def labelled(self) -> FloatArray:
        """The number of labelled pixels of every superpixel, shape (P,)."""
        return self.class_counts.sum(axis=1).astype(np.float64)
