"""An image as seen by the learners: superpixels, their graph, features and truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray
from segboost.features.extract import ImageFeatures
from segboost.pipelines.runtime.artefact_store import Artefact
from segboost.pipelines.segmentation.metrics.scores import region_counts

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
    foreground, background : ndarray of int64, shape (P,), or None
        Labelled pixels of each class; None if there is no mask.
    pixels : ndarray of uint8, shape (H, W, 3), or None
        The image itself, if borders are to be refined; not part of the artefact.
    maps : mapping of (scale, layer) to ndarray of float32, shape (C, h, w)
        Maps of the built-in network that were already computed; not part of the artefact.
    """

    name: str
    superpixels: npt.NDArray[np.int32]
    area: npt.NDArray[np.int64]
    centres: npt.NDArray[np.int64]
    edges: npt.NDArray[np.int64]
    boundary_length: npt.NDArray[Any]
    luv_difference: npt.NDArray[Any]
    groups: Mapping[str, npt.NDArray[Any]]
    foreground: npt.NDArray[np.int64] | None = None
    background: npt.NDArray[np.int64] | None = None
    pixels: npt.NDArray[np.uint8] | None = None
    maps: Mapping[tuple[float, str], npt.NDArray[np.float32]] = field(default_factory=dict)

    @classmethod
    def from_features(cls, name: str, features: ImageFeatures) -> Self:
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
        )

    @classmethod
    def from_artefact(cls, name: str, artefact: Artefact) -> Self:
        """Return what `to_artefact` stored."""
        arrays = artefact.arrays
        plain: dict[str, Any] = {k: a for k, a in arrays.items() if not k.startswith(GROUP)}
        groups = {k.removeprefix(GROUP): a for k, a in arrays.items() if k.startswith(GROUP)}
        return cls(name, groups=groups, **plain)

    def to_artefact(self) -> Artefact:
        """Return all but the truth as arrays."""
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

    def with_truth(self, mask: npt.NDArray[np.uint8]) -> Self:
        """Return the image with the pixel counts of a mask (0, 1, and 255 for void)."""
        foreground, background = region_counts(self.superpixels, mask)
        return replace(self, foreground=foreground, background=background)

    def without_groups(self) -> Self:
        """Return the image without its features, which take most of the memory."""
        return replace(self, groups={}, pixels=None, maps={})

    @property
    def n_superpixels(self) -> int:
        """Number of superpixels P."""
        return len(self.area)

    @property
    def truth(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The labelled foreground and background pixels; ValueError if there is no mask."""
        if self.foreground is None or self.background is None:
            raise ValueError(f"image {self.name!r} has no mask to learn or to measure with")
        return self.foreground, self.background

    @property
    def labels(self) -> npt.NDArray[np.int64]:
        """The majority label of the labelled pixels, shape (P,); ties are background."""
        foreground, background = self.truth
        return (foreground > background).astype(np.int64)

    @property
    def labelled(self) -> FloatArray:
        """The number of labelled pixels of every superpixel, shape (P,)."""
        foreground, background = self.truth
        return (foreground + background).astype(np.float64)
