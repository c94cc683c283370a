"""Mask files: which values mean foreground, background and void."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image

from segboost._types import AnyArray, ByteArray
from segboost.datasets.base import BACKGROUND, FOREGROUND
from segboost.io.errors import ImageFileError
from segboost.io.legend import VOID
from segboost.io.opening import open_image

ENCODINGS = ("auto", "binary", "index")
Encoding = Literal["auto", "binary", "index"]

_CHOOSE = 'give the encoding: "binary" (255 is foreground) or "index" (1 is foreground, 255 void)'


class AmbiguousMasksError(ImageFileError):
    """Masks of one set that seem to use different encodings."""


@dataclass(frozen=True)
class RawMask:
    """The raw values of a mask file.

    Parameters
    ----------
    values : ndarray of integers, shape (H, W)
    palette : bool
        Whether the values are indices into a palette.
    """

    values: AnyArray
    palette: bool


@dataclass(frozen=True)
class MaskReader:
    """Reads the first of the given paths under a fixed rule; see `read_mask`."""

    encoding: Encoding = "auto"
    foreground: int | None = None

    def __call__(self, paths: tuple[Path, ...]) -> ByteArray:
        """Return the mask of the file."""
        return read_mask(paths[0], self.encoding, self.foreground)


def read_mask(
    path: str | PathLike[str], encoding: Encoding = "auto", foreground: int | None = None
) -> ByteArray:
    """Read a mask file: uint8, shape (H, W), 0 background, 1 foreground, 255 void.

    Parameters
    ----------
    path : path
        A one-bit, grey or palette image, or a colour image with equal channels.
    encoding : {"auto", "binary", "index"}
        ``binary``: 0 is background, 255 foreground. ``index``: 0 is background, 1 foreground,
        255 void (0/1 masks, palette masks, the VOC style). ``auto``: a grey file with the value
        255 but not 1 is ``binary``, any other is ``index``.
    foreground : int, optional
        The index of the class to segment, in masks of many classes (1 … 254): the other indices
        become background, 255 stays void. Implies ``index``.

    Raises
    ------
    ImageFileError
        If the file is broken or holds values that are undefined in the encoding.
    """
    check_encoding(encoding, foreground)
    raw = read_values(path)
    if foreground is not None:
        return _class_mask(raw.values, foreground)
    found = set(np.unique(raw.values).tolist())
    if encoding == "auto":
        encoding = "binary" if not raw.palette and 255 in found and 1 not in found else "index"
    allowed = {0, 255} if encoding == "binary" else {0, 1, 255}
    if not found <= allowed:
        raise ImageFileError(f"{path}: {_odd_values(found, allowed, encoding)}")
    if encoding == "binary":
        return (raw.values == 255).astype(np.uint8)
    return raw.values.astype(np.uint8)


def find_encoding(paths: Iterable[Path]) -> Encoding:
    """Return the encoding that all masks of a set share; reads them all.

    A grey file with 255 but not 1 is ambiguous: 255 may be foreground or void. Its set decides:
    ``index`` if some file holds both 1 and 255, ``binary`` if no other file holds indices. Without
    such a file, the encoding is ``index``.

    Raises
    ------
    AmbiguousMasksError
        If there is such a file and another one holds indices, but no file has both 1 and 255.
    """
    only_255, indexed = None, None
    for path in paths:
        raw = read_values(path)
        one, high = bool((raw.values == 1).any()), bool((raw.values == 255).any())
        if one and high:
            return "index"
        if high and not raw.palette:
            only_255 = path
        elif one or high:
            indexed = path
    if only_255 is not None and indexed is not None:
        raise AmbiguousMasksError(
            f"{only_255}: 255 may be foreground or void, as {indexed} holds class indices; "
            f"{_CHOOSE}"
        )
    return "binary" if only_255 is not None else "index"


def read_values(path: str | PathLike[str]) -> RawMask:
    """Return the values of a mask file as they are stored."""
    with open_image(path) as image:
        if image.mode == "1":
            return RawMask(np.array(image, dtype=np.uint8), palette=False)
        if image.mode == "P":
            values = np.array(image)
            return RawMask(values, palette=not _is_grey_ramp(image, values))
        if image.mode == "L" or image.mode.startswith("I"):
            return RawMask(np.array(image), palette=False)
        if image.mode in ("LA", "RGB", "RGBA"):
            return RawMask(_equal_channels(image), palette=False)
        raise ImageFileError(f"a mask must be grey or have a palette, not {image.mode}")


def check_encoding(encoding: str, foreground: int | None) -> None:
    """Raise ValueError for invalid options."""
    if encoding not in ENCODINGS:
        raise ValueError(f"encoding must be one of {', '.join(ENCODINGS)}, got {encoding!r}")
    if foreground is None:
        return
    if encoding == "binary":
        raise ValueError('foreground chooses an index, so the encoding cannot be "binary"')
    if not 1 <= foreground <= 254:
        raise ValueError(f"foreground must be an index from 1 to 254, got {foreground}")


def _class_mask(values: AnyArray, foreground: int) -> ByteArray:
    mask = np.where(values == foreground, FOREGROUND, BACKGROUND)
    mask[values == VOID] = VOID
    return mask.astype(np.uint8)


def _is_grey_ramp(image: Image.Image, values: AnyArray) -> bool:
    """Whether each palette entry in use is the grey value of its index."""
    colours = np.array(image.getpalette("RGB") or [], dtype=int).reshape(-1, 3)
    used = np.unique(values)
    return bool(used.max() < len(colours) and (colours[used] == used[:, None]).all())


def _equal_channels(image: Image.Image) -> AnyArray:
    colours = np.array(image.convert("RGB"))
    if (colours != colours[..., :1]).any():
        raise ImageFileError(
            "a mask in colours needs a legend (--classes FILE); or save it with a palette"
        )
    return colours[..., 0]


def _odd_values(found: set[int], allowed: set[int], encoding: str) -> str:
    odd = sorted(found - allowed)
    shown = ", ".join(map(str, odd[:5])) + (", …" if len(odd) > 5 else "")
    if len(odd) > 5 and min(found) < 16 and max(found) > 239:
        advice = "if a lossy format or scaling made them, save the mask as PNG, 0 and 255 only"
    elif encoding == "index":
        advice = "if it holds several classes, give the index of one as foreground"
    else:
        advice = "expected 0 and 255; correct it, or save all masks as class indices 0, 1, 2, …"
    return f"unclear mask values {shown}: {advice}"
