"""Random parts of a table: half to learn, a quarter to choose, a quarter to test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost._types import IntArray


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers of the three parts; together they are all rows, each once.

    Parameters
    ----------
    train, validation, test : ndarray of int
        About 50, 25 and 25 % of the rows.
    """

    train: IntArray
    validation: IntArray
    test: IntArray


def split_rows(n: int, repeat: int, seed: int = 0, strata: npt.NDArray[Any] | None = None) -> Split:
    """Return the parts of one repeat: 50 % / 25 % / 25 % at random, as in the paper.

    Parameters
    ----------
    n : int
        Rows of the table, at least 4.
    repeat : int
        Which repeat; each has a random generator of its own, whatever the others do.
    seed : int
    strata : ndarray of shape (n,), optional
        Classes that are cut in these shares one by one; without them all rows are cut at once.

    Examples
    --------
    >>> split = split_rows(10, repeat=0)
    >>> len(split.train), len(split.validation), len(split.test)
    (5, 2, 3)
    """
    if n < 4:
        raise ValueError(f"a table of {n} rows cannot be split in 50 / 25 / 25 %: 4 are needed")
    rng = np.random.default_rng([seed, repeat])
    if strata is None:
        return _cut(rng.permutation(n))
    if len(strata) != n:
        raise ValueError(f"strata has {len(strata)} entries, expected {n}")
    parts = [_cut(rng.permutation(np.flatnonzero(strata == value))) for value in np.unique(strata)]
    return Split(
        np.concatenate([p.train for p in parts]),
        np.concatenate([p.validation for p in parts]),
        np.concatenate([p.test for p in parts]),
    )


def _cut(rows: IntArray) -> Split:
    half, quarter = len(rows) // 2, len(rows) // 4
    return Split(rows[:half], rows[half : half + quarter], rows[half + quarter :])
