"""Label images and colour masks of other tools as class masks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segboost._types import AnyArray, ByteArray, Int64Array
from segboost.io.errors import ImageFileError
from segboost.io.legend import VOID

MOST_SHOWN = 5
"""Number of unknown values or colours that a message lists."""
LOSSY = "if a lossy format or scaling made them, save the mask as PNG without smoothing"
"""Advice if there are more unknown values than that."""


class UnknownColoursError(ImageFileError):
    """A mask has colours that the legend does not."""


def mask_of_labels(labels: AnyArray) -> ByteArray:
    """Return the foreground of a label image (ImageJ, napari, CellPose), shape (H, W).

    Parameters
    ----------
    labels : ndarray of integers, shape (H, W)
        0 where there is no object, else the number of the object.

    Raises
    ------
    ValueError
        If the values are not non-negative whole numbers.

    Examples
    --------
    >>> mask_of_labels(np.array([[0, 7], [300, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    if labels.ndim != 2:
        raise ValueError(f"labels: expected shape (H, W), got {labels.shape}")
    whole = labels.dtype.kind in "bui" or bool((np.rint(labels) == labels).all())
    if not whole or (labels.dtype.kind in "if" and bool((labels < 0).any())):
        raise ValueError("labels: expected non-negative whole numbers, one per object")
    return (labels > 0).astype(np.uint8)


def mask_of_colours(
    picture: ByteArray,
    colours: Sequence[tuple[int, int, int]],
    void: tuple[int, int, int] | None = None,
) -> ByteArray:
    """Return the classes of a mask in colours, shape (H, W).

    Parameters
    ----------
    picture : ndarray of uint8, shape (H, W, 3)
    colours : sequence of (red, green, blue)
        By class index.
    void : (red, green, blue), optional
        The colour of pixels that are ignored.

    Raises
    ------
    UnknownColoursError
        If the picture has other colours; the message lists them. It is an `ImageFileError`.

    Examples
    --------
    >>> picture = np.array([[[0, 0, 0], [255, 0, 0]]], np.uint8)
    >>> mask_of_colours(picture, [(0, 0, 0), (255, 0, 0)]).tolist()
    [[0, 1]]
    """
    if picture.ndim != 3 or picture.shape[2] != 3:
        raise ValueError(f"picture: expected shape (H, W, 3), got {picture.shape}")
    codes = _codes(picture)
    known = {int(_codes(np.array(colour))): n for n, colour in enumerate(colours)}
    if len(known) < len(colours):
        raise ValueError("colours: two classes have the same colour")
    if void is not None:
        known[int(_codes(np.array(void)))] = VOID
    found, inverse = np.unique(codes, return_inverse=True)
    odd = [int(code) for code in found if int(code) not in known]
    if odd:
        shown = ", ".join(f"#{code:06x}" for code in odd[:MOST_SHOWN])
        more = f" and {len(odd) - MOST_SHOWN} more" if len(odd) > MOST_SHOWN else ""
        count = int(np.isin(codes, odd).sum())
        advice = LOSSY if len(odd) > MOST_SHOWN else "add them to the legend (255 is void)"
        raise UnknownColoursError(
            f"the colours {shown}{more} ({count} pixels) are not in the legend: {advice}"
        )
    table = np.array([known[int(code)] for code in found], dtype=np.uint8)
    return table[inverse].reshape(picture.shape[:2])


def _codes(colours: AnyArray) -> Int64Array:
    """Return colours as single numbers."""
    wide = colours.astype(np.int64)
    return (wide[..., 0] << 16) | (wide[..., 1] << 8) | wide[..., 2]
