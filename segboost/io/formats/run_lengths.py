"""COCO run-length codes: masks read column by column as alternating runs of 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segboost._types import BoolArray, Int64Array

# Compressed counts are base 32 digits, least significant first: 5 bits of value, one that says
# whether more digits follow, and an offset that makes the characters printable.
_OFFSET, _MORE, _SIGN, _BITS = 48, 0x20, 0x10, 5


def encode_runs(region: BoolArray) -> list[int]:
    """Return the run lengths of a mask, shape (H, W), starting with a run of zeros.

    Examples
    --------
    >>> encode_runs(np.array([[False, True], [True, True]]))
    [1, 3]
    """
    flat = np.asarray(region, dtype=bool).ravel(order="F")
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    runs = np.diff(np.concatenate([[0], changes, [flat.size]]))
    start = [0] if flat.size and flat[0] else []
    return [*start, *(int(run) for run in runs)]


def decode_runs(counts: Sequence[int], shape: tuple[int, int]) -> BoolArray:
    """Return the mask of run lengths, shape (H, W).

    Raises
    ------
    ValueError
        If a run is negative or the runs do not add up to the size of the mask.
    """
    runs: Int64Array = np.asarray(counts, dtype=np.int64)
    if runs.ndim != 1 or (runs < 0).any() or int(runs.sum()) != shape[0] * shape[1]:
        raise ValueError(f"run lengths do not add up to {shape[1]}×{shape[0]} pixels")
    values = np.arange(len(runs)) % 2 == 1
    return np.repeat(values, runs).reshape(shape, order="F")


def expand_counts(text: str) -> list[int]:
    """Return the run lengths of COCO's compressed string.

    Raises
    ------
    ValueError
        If the string ends within a number or holds other characters.

    Examples
    --------
    >>> expand_counts("13")
    [1, 3]
    """
    counts: list[int] = []
    value = shift = 0
    for character in text:
        digit = ord(character) - _OFFSET
        if not 0 <= digit < 64:
            raise ValueError(f"compressed run lengths hold {character!r}")
        value |= (digit & 0x1F) << shift
        shift += _BITS
        if digit & _MORE:
            continue
        if digit & _SIGN:
            value -= 1 << shift
        # From the fourth run on, the difference from the run two before is stored.
        counts.append(value + counts[-2] if len(counts) > 2 else value)
        value = shift = 0
    if shift:
        raise ValueError("compressed run lengths end within a number")
    return counts
