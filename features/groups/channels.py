"""Statistics of the channels beyond the first three, which are taken as red, green and blue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import ndimage

from segboost._types import Float32Array, FloatArray
from segboost.features.groups.base import Range
from segboost.features.image_context import ImageContext
from segboost.features.setting_checks import Number, check_settings
from segboost.features.superpixels.adjacency import region_means

STATISTICS = (
    "mean",
    "deviation",
    "minus neighbours",
    "minus image",
    "gradient",
    "deviation 5×5",
    "deviation 15×15",
)
"""Per channel; the last three are means of a texture map over the superpixel."""
WINDOWS = (5, 15)


@dataclass(frozen=True)
class ChannelGroup:
    """Intensity and texture of further channels, per superpixel.

    Parameters
    ----------
    count : int
        The number of channels that images have beyond three.
    """

    count: int

    def __post_init__(self) -> None:
        check_settings(self, {"count": Number(1, 509, whole=True)}, "channels")

    @property
    def name(self) -> str:
        """``channels``."""
        return "channels"

    def compute(self, context: ImageContext) -> Float32Array:
        """Return the statistics of all channels, shape (P, 7 count)."""
        further = context.further
        if further is None or further.shape[2] != self.count:
            found = 3 if further is None else 3 + further.shape[2]
            raise ValueError(
                f"image: expected {3 + self.count} channels for the group 'channels', got {found}"
            )
        whole = None if context.page is None else context.page.means().further
        parts = [
            channel_statistics(context, further[..., n], None if whole is None else whole[n])
            for n in range(self.count)
        ]
        return np.concatenate(parts, axis=1).astype(np.float32)

    def columns(self, width: int) -> tuple[str, ...]:
        """Return channel and statistic of each column; the first further channel is number 3."""
        return tuple(f"channel {3 + n} {what}" for n in range(self.count) for what in STATISTICS)

    def value_range(self) -> Range | None:
        """Return None: the values stay float32."""
        return None

    def to_config(self) -> dict[str, Any]:
        """Return the kind and the number of channels."""
        return {"kind": "channels", "count": self.count}


def channel_statistics(
    context: ImageContext, channel: Float32Array, whole: float | None = None
) -> FloatArray:
    """Return the statistics of one channel, (H, W) in [0, 1] → (P, 7); see `STATISTICS`.

    `whole` is the channel's mean in the page that the image is a part of.
    """
    values = channel.astype(np.float64)
    texture = [ndimage.gaussian_gradient_magnitude(values, 1.0)]
    for window in WINDOWS:
        mean = ndimage.uniform_filter(values, window)
        square = ndimage.uniform_filter(values**2, window)
        texture.append(np.sqrt(np.maximum(square - mean**2, 0)))
    maps = np.stack([values, values**2, *texture], axis=2)
    found = region_means(context.labels, maps, context.count)
    mean = found[:, :1]
    deviation = np.sqrt(np.maximum(found[:, 1:2] - mean**2, 0))
    area = context.area[:, None].astype(np.float64)
    weight = context.neighbours @ area
    around = np.where(
        weight > 0, (context.neighbours @ (area * mean)) / np.maximum(weight, 1), mean
    )
    if whole is None:
        whole = float((area * mean).sum() / area.sum())
    return np.concatenate([mean, deviation, mean - around, mean - whole, found[:, 2:]], axis=1)
