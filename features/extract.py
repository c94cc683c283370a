"""Feature extraction: from an image to superpixels, their graph and their features."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from segboost._types import AnyArray, ByteArray, Float32Array, Int64Array
from segboost.features.groups.base import FeatureGroup
from segboost.features.groups.words import Codebook
from segboost.features.image import ImageLike, as_rgb, split_channels
from segboost.features.image_context import ImageContext
from segboost.features.luv import rgb_to_luv
from segboost.features.page import PagePart
from segboost.features.presets import Preset, find_preset
from segboost.features.superpixels.adjacency import Adjacency
from segboost.features.superpixels.blocks import cut_blocks
from segboost.features.superpixels.connectivity import Labels
from segboost.features.superpixels.planes import compared_planes

Dtype = Literal["float32", "uint8"]
SMALLEST_SIDE = 64
MOST_PADDED, MOST_PADDING = 2_000_000, 8
"""Number of padded pixels that is always allowed, and the limit per image pixel above it."""


@dataclass(frozen=True, eq=False)
class GroupFeatures:
    """The features of one group.

    Parameters
    ----------
    name : str
    values : ndarray of float32 or uint8, shape (P, d)
    columns : tuple of str
        The names of the d columns.
    """

    name: str
    values: Float32Array | ByteArray
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ImageFeatures:
    """The input of CRF learning: superpixels, their graph and their features.

    Parameters
    ----------
    superpixels : ndarray of int32, shape (H, W)
        Labels 0 … P−1.
    area : ndarray of int64, shape (P,)
        Number of pixels of each superpixel.
    centres : ndarray of int64, shape (P, 2)
        Row and column of the pixel on which patches are centred.
    adjacency : Adjacency
    groups : mapping of str to GroupFeatures
        In the order of the preset.
    maps : mapping of (float, str) to ndarray of float32, shape (C, h, w)
        Requested maps of the built-in network that a group computed.
    """

    superpixels: Labels
    area: Int64Array
    centres: Int64Array
    adjacency: Adjacency
    groups: Mapping[str, GroupFeatures]
    maps: Mapping[tuple[float, str], Float32Array] = field(default_factory=dict)

    def __getitem__(self, name: str) -> AnyArray:
        """Return the matrix of a group, shape (P, d)."""
        return self.groups[name].values


def extract_features(
    image: ImageLike,
    preset: str | Preset = "default",
    codebook: Codebook | None = None,
    superpixels: AnyArray | None = None,
    name: str = "",
    dtype: Dtype = "float32",
    maps: Collection[tuple[float, str]] = (),
    page: PagePart | None = None,
) -> ImageFeatures:
    """Segment an image into superpixels and compute the feature groups of a preset.

    The result depends only on the arguments: the same bytes on every run and in every process.

    Parameters
    ----------
    image : ndarray or PIL.Image.Image
        Any input of `as_rgb`; with further channels if the preset has a group for them.
    preset : {"default", "fast", "classic", "paper"} or Preset
    codebook : Codebook, optional
        Visual words from `learn_codebook`; required if the preset has a word group without one.
    superpixels : ndarray of integers, shape (H, W), optional
        Labels 0 … P−1 to use instead of the preset's method.
    name : str
        The image's name without extension, for groups that are read from disk.
    dtype : {"float32", "uint8"}
        uint8 quantises groups with a known range to 256 levels, for learners that bin their
        features; other groups stay float32.
    maps : collection of (float, str)
        Scale and layer of network maps to keep, if a group of the preset computes them.
    page : PagePart, optional
        The image's position in a large page: its features equal those of the whole page. The
        image's sides are multiples of `segboost.features.page.GRID`.

    Returns
    -------
    ImageFeatures

    Examples
    --------
    >>> import numpy as np
    >>> from segboost.features import extract_features
    >>> image = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    >>> features = extract_features(image, "fast")
    >>> features["network"].shape[1]
    736
    """
    chosen = find_preset(preset)
    if codebook is not None:
        chosen = chosen.with_codebook(codebook)
    if dtype not in ("float32", "uint8"):
        raise ValueError(f"dtype: expected 'float32' or 'uint8', got {dtype!r}")
    colours, further = split_channels(image, chosen.n_further)
    rgb = as_rgb(colours)
    check_padding(rgb.shape[0], rgb.shape[1], chosen)
    luv = rgb_to_luv(rgb)
    if superpixels is not None:
        labels = superpixels
    elif page is not None:
        planes, origin = compared_planes(luv, further), (page.top, page.left)
        labels = cut_blocks(chosen.superpixels, rgb, planes, origin, page.block)
    else:
        labels = chosen.superpixels.cut(rgb, compared_planes(luv, further))
    context = ImageContext(
        rgb, labels, name, chosen.largest_patch, luv, chosen.groups, maps, further, page
    )
    groups = {group.name: compute_group(group, context, dtype) for group in chosen.groups}
    graph = context.adjacency
    return ImageFeatures(context.labels, context.area, context.centres, graph, groups, context.maps)


def check_padding(height: int, width: int, preset: Preset) -> None:
    """Refuse an image so thin that padding it for the patches would take gigabytes.

    Responses of patches take about 300 bytes per padded pixel, and networks pad images to their
    smallest input.
    """
    reach = max(SMALLEST_SIDE, preset.largest_patch)
    padded = (height + reach) * (width + reach)
    if padded > MOST_PADDED and padded > MOST_PADDING * height * width:
        raise ValueError(
            f"the image is too thin: {width}×{height} pixels would be padded to "
            f"{width + reach}×{height + reach}: cut it into pieces"
        )


def compute_group(
    group: FeatureGroup, context: ImageContext, dtype: Dtype = "float32"
) -> GroupFeatures:
    """Return the features of one group for an image, with the names of the columns."""
    values = group.compute(context)
    bounds = group.value_range()
    columns = group.columns(values.shape[1])
    if dtype == "uint8" and bounds is not None:
        return GroupFeatures(group.name, quantise(values, *bounds), columns)
    return GroupFeatures(group.name, values, columns)


def quantise(values: Float32Array, low: Float32Array, high: Float32Array) -> ByteArray:
    """Round to 256 levels: ``round(255 (x − low) / (high − low))``, clipped at both ends."""
    unit = (values - low) * (np.float32(255) / (high - low))
    return np.clip(np.rint(unit), 0, 255).astype(np.uint8)
