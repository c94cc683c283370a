"""Data shared by all feature groups of an image, computed on first use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

from segboost._types import AnyArray, Float32Array, Int64Array
from segboost.features.image import RGB, ImageLike, as_rgb, check_labels
from segboost.features.kernel import kernel
from segboost.features.luv import rgb_to_luv
from segboost.features.page import FIELD, PagePart
from segboost.features.superpixels.adjacency import Adjacency, find_adjacency
from segboost.features.superpixels.connectivity import Labels

T = TypeVar("T")

# The luma of ITU-R BT.601.
_LUMA = np.array([0.299, 0.587, 0.114], np.float32)


class ImageContext:
    """An image with its superpixels, and shared intermediate results.

    Parameters
    ----------
    image : ndarray or PIL.Image.Image
        Any input of `as_rgb`.
    labels : ndarray of integers, shape (H, W)
        Superpixels 0 … P−1.
    name : str
        The name of the image without extension, used by groups that are read from disk.
    largest_patch : int
        The largest patch size in pixels that will be needed: images are padded for it once.
    luv : ndarray of float32, shape (H, W, 3), optional
        The image in LUV, if already known.
    groups : sequence of FeatureGroup
        The groups that will be computed, so that those of a network share one pass.
    keep_maps : collection of (float, str)
        Scale and layer of maps of the built-in network to keep in `maps`, if a group computes
        them.
    further : ndarray of float32, shape (H, W, C), optional
        Channels beyond the three of `image`, in [0, 1].
    page : PagePart, optional
        The image's position in a large page, if it is a part of one.
    """

    def __init__(
        self,
        image: ImageLike,
        labels: AnyArray,
        name: str = "",
        largest_patch: int = 16,
        luv: Float32Array | None = None,
        groups: Sequence[Any] = (),
        keep_maps: Collection[tuple[float, str]] = (),
        further: Float32Array | None = None,
        page: PagePart | None = None,
    ) -> None:
        self.rgb: RGB = as_rgb(image)
        height, width, _ = self.rgb.shape
        self.labels: Labels = check_labels(labels, (height, width))
        self.name = name
        self.largest_patch = largest_patch
        self.groups = tuple(groups)
        self.keep_maps = frozenset(keep_maps)
        self.further = further
        self.page = page
        self.maps: dict[tuple[float, str], Float32Array] = {}
        self._luv = luv
        self._kept: tuple[Hashable, Any] | None = None
        self._memory: dict[Hashable, Any] = {}

    def keep_latest(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return the result of `build`, cached while the key stays the same.

        Only the latest result is kept: groups of a family are computed in turn, and responses
        are large.
        """
        if self._kept is None or self._kept[0] != key:
            self._kept = None  # release the old result before the new one is computed
            self._kept = (key, build())
        kept: T = self._kept[1]
        return kept

    def cached(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return the result of `build`, computed once for each key; for small results."""
        if key not in self._memory:
            self._memory[key] = build()
        kept: T = self._memory[key]
        return kept

    @property
    def count(self) -> int:
        """The number of superpixels, P."""
        return int(self.area.size)

    @cached_property
    def area(self) -> Int64Array:
        """Number of pixels of each superpixel, shape (P,)."""
        return np.bincount(self.labels.ravel())

    @cached_property
    def luv(self) -> Float32Array:
        """The image in LUV, shape (H, W, 3)."""
        return rgb_to_luv(self.rgb) if self._luv is None else self._luv

    @cached_property
    def grey(self) -> Float32Array:
        """The luma in [0, 255], shape (H, W)."""
        return np.asarray(self.rgb @ _LUMA * np.float32(255))

    @cached_property
    def adjacency(self) -> Adjacency:
        """The neighbourhood graph."""
        return find_adjacency(self.labels, self.luv)

    @cached_property
    def centres(self) -> Int64Array:
        """The pixel (row, column) of each superpixel nearest to its centroid, shape (P, 2).

        A concave region may not contain its centroid; a patch there would show something else.
        """
        return nearest_to_centroid(self.labels, self.area)

    @property
    def expected_count(self) -> float:
        """The number of superpixels; for a part of a page, the page's average for its size."""
        if self.page is None:
            return self.count
        return self.labels.size / self.page.means().mean_area

    @property
    def page_centres(self) -> tuple[Int64Array, Int64Array]:
        """The centres in coordinates of the whole page or image, and its height and width."""
        if self.page is None:
            return self.centres, np.array(self.labels.shape)
        return self.page.on_page(self.centres), self.page.shape

    @property
    def reference_shape(self) -> tuple[int, int]:
        """The height and width that lengths and areas are compared with."""
        height, width = self.labels.shape
        return (height, width) if self.page is None else (FIELD, FIELD)

    @cached_property
    def neighbours(self) -> csr_array:
        """The symmetric 0/1 adjacency matrix with a zero diagonal, shape (P, P)."""
        low, high = self.adjacency.edges.T
        rows, columns = np.concatenate([low, high]), np.concatenate([high, low])
        ones = np.ones(rows.size, np.float32)
        return csr_array((ones, (rows, columns)), shape=(self.count, self.count))

    def within(self, steps: int) -> csr_array:
        """Return the 0/1 matrix of superpixels at most `steps` apart, with a diagonal of ones."""
        near = csr_array(
            (np.ones(self.count, np.float32), (np.arange(self.count),) * 2),
            shape=(self.count, self.count),
        )
        for _ in range(steps):
            near = near + near @ self.neighbours
            near.data[:] = 1
        return near


@kernel
def nearest_to_centroid(labels: Labels, area: Int64Array) -> Int64Array:
    """Return each region's pixel nearest to its centroid (first in reading order), shape (P, 2)."""
    sums = np.zeros((area.size, 2))
    best = np.full(area.size, np.inf)
    centres = np.zeros((area.size, 2), np.int64)
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            sums[labels[i, j], 0] += i
            sums[labels[i, j], 1] += j
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            p = labels[i, j]
            distance = (i - sums[p, 0] / area[p]) ** 2 + (j - sums[p, 1] / area[p]) ** 2
            if distance < best[p]:
                best[p] = distance
                centres[p, 0] = i
                centres[p, 1] = j
    return centres


def pad_by_reflection(values: AnyArray, margin: int) -> AnyArray:
    """Pad the first two axes by reflection at the edge of the border pixels.

    ``… c b a | a b c …``: unlike reflection at pixel centres, it is defined for images one pixel
    wide, and it repeats for margins wider than the image.
    """
    widths = [(margin, margin)] * 2 + [(0, 0)] * (values.ndim - 2)
    return np.pad(values, widths, mode="symmetric")
