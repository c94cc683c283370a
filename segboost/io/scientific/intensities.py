"""Scale intensities to bytes by percentiles, and choose the channels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segboost._types import AnyArray, ByteArray, FloatArray
from segboost.io.errors import ImageFileError

PERCENTILES = (0.2, 99.8)
"""The percentiles of the training images that become black and white."""
EXTREMES = (0.01, 99.99)
"""The same for an image given to a model trained on photographs: its range without outliers."""
SAMPLES = 200_000
"""Pixels of a page that enter the percentiles, on a regular grid."""
MOST_CHANNELS = 512
MOST_OUTSIDE = 0.2
"""A note is shown if a larger share of the pixels lies outside the scale."""
COLOURS = 3


@dataclass(frozen=True)
class IntensityScale:
    """The channels that are used, and their values that become 0 and 255.

    Parameters
    ----------
    file_channels : int
        The number of channels of the files.
    channels : tuple of int
        Those that are used, in order: the first three become red, green and blue.
    low, high : tuple of float
        One per used channel.

    Raises
    ------
    ValueError
        If a value is invalid; the message names it.
    """

    file_channels: int
    channels: tuple[int, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.file_channels <= MOST_CHANNELS:
            raise ValueError(f"file_channels: expected 1 to {MOST_CHANNELS}")
        check_channels(self.channels, self.file_channels)
        if not len(self.channels) == len(self.low) == len(self.high):
            raise ValueError("low, high: expected one value per channel")
        for low, high in zip(self.low, self.high, strict=True):
            if not (math.isfinite(low) and math.isfinite(high) and low <= high):
                raise ValueError(f"low, high: expected an interval, got {low} to {high}")

    @property
    def n_further(self) -> int:
        """The number of channels beyond the three that become colours."""
        return max(len(self.channels) - COLOURS, 0)

    def __call__(self, values: AnyArray) -> ByteArray:
        """Return scaled values: red, green, blue and further channels.

        One channel is repeated; of two, the third colour is their mean. Values that are not
        finite become 0.

        Parameters
        ----------
        values : ndarray of shape (H, W, file_channels)

        Returns
        -------
        ndarray of uint8, shape (H, W, 3 + n_further)
        """
        if values.ndim != 3 or values.shape[2] != self.file_channels:
            raise ImageFileError(
                f"{values.shape[-1]} channels, but {self.file_channels} were expected: choose "
                "them with --channels"
            )
        planes = [
            _to_bytes(values[..., c], low, high)
            for c, low, high in zip(self.channels, self.low, self.high, strict=True)
        ]
        if len(planes) == 1:
            planes *= COLOURS
        elif len(planes) == 2:
            planes.append(((planes[0].astype(np.uint16) + planes[1]) // 2).astype(np.uint8))
        return np.stack(planes, axis=2)

    def to_dict(self) -> dict[str, Any]:
        """Return the scale as JSON values."""
        return {
            "file_channels": self.file_channels,
            "channels": list(self.channels),
            "low": list(self.low),
            "high": list(self.high),
        }

    @classmethod
    def from_dict(cls, found: Any) -> IntensityScale:
        """Return the scale that `to_dict` described; ValueError if it is invalid."""
        if not isinstance(found, Mapping):
            raise ValueError("intensities: expected an object")
        try:
            lists = [list(found[key]) for key in ("channels", "low", "high")]
            count = found["file_channels"]
            whole = [count, *lists[0]]
            if not all(isinstance(n, int) and not isinstance(n, bool) for n in whole):
                raise ValueError("intensities: channels must be whole numbers")
            low, high = (tuple(float(v) for v in values) for values in lists[1:])
        except (KeyError, TypeError) as error:
            raise ValueError(f"intensities: incomplete, {error}") from None
        return cls(count, tuple(lists[0]), low, high)


def check_channels(channels: Sequence[int], available: int) -> None:
    """Raise ImageFileError unless the channels exist and none is named twice."""
    if not channels or len(set(channels)) < len(channels):
        raise ImageFileError(f"channels: expected different numbers, got {list(channels)}")
    for channel in channels:
        if not 0 <= channel < available:
            raise ImageFileError(
                f"channels: there is no channel {channel}, the image has 0 to {available - 1}"
            )


def sample_pixels(page: AnyArray) -> FloatArray:
    """Return pixels on a regular grid of a page, (H, W, C) → (n, C) with n near `SAMPLES`."""
    height, width, channels = page.shape
    step = max(1, math.isqrt(height * width // SAMPLES))
    return page[step // 2 :: step, step // 2 :: step].reshape(-1, channels).astype(np.float64)


def learn_scale(
    samples: Iterable[FloatArray],
    dtype: np.dtype[Any],
    channels: Sequence[int] | None = None,
    percentiles: tuple[float, float] = PERCENTILES,
    joint: bool = False,
) -> IntensityScale:
    """Return the scale of images by the percentiles of their pixels; bytes are kept as they are.

    Parameters
    ----------
    samples : iterable of ndarray of shape (n, C)
        From `sample_pixels`, of all pages of the training images.
    dtype : numpy.dtype
        Of the files.
    channels : sequence of int, optional
        All of them by default.
    percentiles : (float, float)
    joint : bool
        Whether all channels get the same scale, so that colours keep their hue.
    """
    pixels = np.concatenate(list(samples))
    count = pixels.shape[1]
    chosen = tuple(range(count)) if channels is None else tuple(channels)
    check_channels(chosen, count)
    if dtype == np.uint8:
        return IntensityScale(count, chosen, (0.0,) * len(chosen), (255.0,) * len(chosen))
    ends = []
    for channel in chosen:
        values = pixels[:, list(chosen)] if joint else pixels[:, channel]
        values = values[np.isfinite(values)]
        if not values.size:
            raise ImageFileError(f"channel {channel} holds no finite value")
        ends.append(np.percentile(values, percentiles))
    low, high = (tuple(float(end[n]) for end in ends) for n in (0, 1))
    return IntensityScale(count, chosen, low, high)


def describe_values(page: AnyArray, channels: Sequence[int] | None = None) -> list[str]:
    """Return notes on unusual values of a page: not finite, or constant.

    Parameters
    ----------
    page : ndarray of shape (H, W, C)
    channels : sequence of int, optional
        Those that are used; all of them by default.
    """
    notes = []
    for channel in range(page.shape[2]) if channels is None else channels:
        values = page[..., channel]
        odd = 0 if values.dtype.kind != "f" else int(values.size - np.isfinite(values).sum())
        if odd:
            notes.append(f"channel {channel}: {odd} pixels are NaN or infinite and taken as black")
        elif values.size > 1 and values.min() == values.max():
            notes.append(f"channel {channel} is constant")
    return notes


def describe_range(samples: Sequence[FloatArray], scale: IntensityScale) -> list[str]:
    """Return notes on channels with many values outside the scale.

    Parameters
    ----------
    samples : sequence of ndarray of shape (n, C)
        From `sample_pixels`.
    scale : IntensityScale
    """
    pixels, notes = np.concatenate(samples), []
    for channel, low, high in zip(scale.channels, scale.low, scale.high, strict=True):
        values = pixels[:, channel]
        values = values[np.isfinite(values)]
        for what, outside in (("darker", values < low), ("brighter", values > high)):
            if values.size and outside.mean() > MOST_OUTSIDE:
                notes.append(
                    f"channel {channel}: {outside.mean():.0%} of the pixels are {what} than "
                    f"{low if what == 'darker' else high:g}, see --intensities"
                )
    return notes


def _to_bytes(values: AnyArray, low: float, high: float) -> ByteArray:
    if values.dtype == np.uint8 and (low, high) == (0.0, 255.0):
        return values
    # A constant channel has no width: its values and below are black, those above white.
    width = max(high - low, float(np.finfo(np.float32).tiny))
    with np.errstate(over="ignore", invalid="ignore"):
        unit = (values.astype(np.float64) - low) / width
    unit = np.nan_to_num(unit, nan=0.0, posinf=1.0, neginf=0.0)
    if values.dtype.kind == "f":
        unit[~np.isfinite(values)] = 0.0
    return np.rint(np.clip(unit, 0, 1) * 255).astype(np.uint8)
