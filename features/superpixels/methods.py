"""Three superpixel methods: graph merging (default), quick shift and SLIC.

A method is a value with its parameters. For every method, labels are connected regions numbered
0 … P−1 in reading order.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.ndimage import gaussian_filter1d
from skimage.segmentation import quickshift, slic

from segboost._types import Float32Array
from segboost.features.image import RGB, ImageLike, as_rgb
from segboost.features.luv import rgb_to_luv
from segboost.features.setting_checks import Number, check_settings
from segboost.features.superpixels.connectivity import Labels, connected_regions
from segboost.features.superpixels.first_cut import felzenszwalb_regions
from segboost.features.superpixels.merging import MergeCost, merge_regions

USUAL_PIXELS = 640 * 480
"""The image size that numbers of superpixels refer to."""
COUNT = Number(1, 200_000, whole=True)
AREA = Number(1, 10**6, whole=True)
SIGMA = Number(0, 100)


class SuperpixelMethod(Protocol):
    """Protocol of a superpixel method: a frozen dataclass with a name and `cut`."""

    kind: ClassVar[str]
    """The name of the method in a configuration."""

    def cut(self, rgb: RGB, luv: Float32Array) -> Labels:
        """Return connected labels 0 … P−1, shape (H, W), of an image given in RGB and LUV.

        LUV may be followed by further planes to compare; see `compared_planes`.
        """
        ...


@dataclass(frozen=True)
class GraphMerging:
    """Small regions by graph-based segmentation, joined by similarity to at most `count`.

    Parameters
    ----------
    max_count : int
        Maximum number of superpixels of an image of 640 × 480 pixels or fewer. Larger images may
        have as many per pixel as one of that size, up to `count_limit`.
    count_limit : int
        Maximum number of superpixels of any image, unless `max_count` is larger.
    sigma : float
        Deviation of the Gaussian smoothing before the segmentation, in pixels.
    scale : float
        Scale of the initial segmentation; larger values give larger regions.
    min_area : int
        Minimum area of a superpixel in pixels.
    max_ratio : float
        Maximum area of a superpixel in units of H·W / count, so that a patch around its
        centre can describe it.
    compactness : float
        The colour difference that a distance of sqrt(H·W / count) is equivalent to when
        regions are joined.
    """

    max_count: int = 950
    sigma: float = 0.8
    scale: float = 3.0
    min_area: int = 12
    max_ratio: float = 4.0
    compactness: float = 4.0
    cost: MergeCost = field(default_factory=MergeCost)
    count_limit: int = 4000
    kind: ClassVar[str] = "graph"

    def __post_init__(self) -> None:
        counts = {"max_count": COUNT, "count_limit": COUNT, "min_area": AREA, "sigma": SIGMA}
        ratios = {name: Number(0, 1e6) for name in ("scale", "max_ratio", "compactness")}
        check_settings(self, {**counts, **ratios})
        if not isinstance(self.cost, MergeCost):
            raise ValueError(f"cost: expected a MergeCost, got {str(self.cost)[:100]}")

    def count(self, height: int, width: int) -> int:
        """Return the largest number of superpixels of an image of this size.

        Examples
        --------
        >>> method = GraphMerging()
        >>> [method.count(*size) for size in ((240, 320), (480, 640), (600, 800), (3000, 4000))]
        [950, 950, 1484, 4000]
        """
        as_dense = round(self.max_count * height * width / USUAL_PIXELS)
        return max(self.max_count, min(as_dense, self.count_limit))

    def cut(self, rgb: RGB, luv: Float32Array) -> Labels:
        """Return connected labels 0 … P−1, P ≤ `count` of the image's size."""
        smooth = luv
        for axis in (0, 1):
            smooth = gaussian_filter1d(smooth, self.sigma, axis, mode="nearest", truncate=3)
        height, width, _ = luv.shape
        count = self.count(height, width)
        mean_area = max(height * width / count, self.min_area)
        # Pixels of equal colour join in reading order, which gives stripes; keep these short.
        first = felzenszwalb_regions(smooth, self.scale, 5, int(mean_area / 4))
        places = np.indices((height, width), np.float32) * (self.compactness / mean_area**0.5)
        described = np.concatenate([smooth, np.moveaxis(places, 0, 2)], axis=2)
        return merge_regions(
            first,
            described,
            count,
            self.min_area,
            self.max_ratio * mean_area,
            self.cost,
        )


@dataclass(frozen=True)
class QuickShift:
    """Quick shift with the settings of the StructBoost paper's experiments.

    A mode may consist of several connected regions; parts below `min_area` pixels are joined to
    the most similar neighbour.
    """

    kernel_size: float = 2.0
    max_dist: float = 8.0
    ratio: float = 0.5
    min_area: int = 12
    kind: ClassVar[str] = "quickshift"

    def __post_init__(self) -> None:
        # Every pixel is compared with all others within three kernel sizes.
        sizes = {"kernel_size": Number(1, 10), "max_dist": Number(0, 1e6)}
        check_settings(self, {**sizes, "ratio": Number(0, 1), "min_area": AREA})

    def cut(self, rgb: RGB, luv: Float32Array) -> Labels:
        """Return connected labels 0 … P−1."""
        modes = quickshift(
            rgb.astype(np.float64),
            ratio=self.ratio,
            kernel_size=self.kernel_size,
            max_dist=self.max_dist,
            rng=0,
        )
        return merge_regions(connected_regions(modes), luv, luv.size, self.min_area)


@dataclass(frozen=True)
class Slic:
    """Simple linear iterative clustering: compact superpixels of about equal size."""

    n_segments: int = 1500
    compactness: float = 10.0
    sigma: float = 0.0
    kind: ClassVar[str] = "slic"

    def __post_init__(self) -> None:
        check_settings(
            self, {"n_segments": COUNT, "sigma": SIGMA, "compactness": Number(1e-6, 1e6)}
        )

    def cut(self, rgb: RGB, luv: Float32Array) -> Labels:
        """Return connected labels 0 … P−1, about `n_segments` of them."""
        clusters = slic(
            rgb,
            n_segments=self.n_segments,
            compactness=self.compactness,
            sigma=self.sigma,
            start_label=0,
        )
        return connected_regions(clusters)


METHODS: dict[str, type[SuperpixelMethod]] = {
    method.kind: method for method in (GraphMerging, QuickShift, Slic)
}


def find_superpixels(image: ImageLike, method: SuperpixelMethod | None = None) -> Labels:
    """Segment an image into superpixels.

    Parameters
    ----------
    image : ndarray or PIL.Image.Image
        Any input of `as_rgb`.
    method : SuperpixelMethod, optional
        By default `GraphMerging` with its defaults.

    Returns
    -------
    ndarray of int32, shape (H, W)
        Connected labels 0 … P−1 in reading order.

    Examples
    --------
    >>> import numpy as np
    >>> image = np.zeros((40, 40), np.uint8)
    >>> image[:, 20:] = 255
    >>> labels = find_superpixels(image)
    >>> np.intersect1d(labels[:, :20], labels[:, 20:]).size  # no label crosses the edge
    0
    """
    rgb = as_rgb(image)
    return (GraphMerging() if method is None else method).cut(rgb, rgb_to_luv(rgb))


def method_to_config(method: SuperpixelMethod) -> dict[str, Any]:
    """Return a method as JSON values."""
    return {"kind": method.kind, **asdict(method)}  # type: ignore[call-overload]


def method_from_config(config: dict[str, Any]) -> SuperpixelMethod:
    """Return the method of a configuration; ValueError if it is invalid."""
    options = dict(config)
    kind = options.pop("kind", None)
    if kind not in METHODS:
        raise ValueError(f"superpixels: expected kind {' or '.join(METHODS)}, got {kind!r}")
    try:
        if isinstance(options.get("cost"), dict):
            options["cost"] = MergeCost(**options["cost"])
        return METHODS[kind](**options)
    except TypeError as error:
        raise ValueError(f"superpixels of kind {kind}: {error}") from None
