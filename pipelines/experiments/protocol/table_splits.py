"""Random splits of a table: half for training, a quarter for validation, a quarter for testing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segboost._types import AnyArray, IntArray


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers of the three parts; every row is in exactly one of them.

    Parameters
    ----------
    train, validation, test : ndarray of int
        About 50, 25 and 25 % of the rows.
    """

    train: IntArray
    validation: IntArray
    test: IntArray


def split_rows(n: int, repeat: int, seed: int = 0, strata: AnyArray | None = None) -> Split:
    """Return the parts of one repeat: 50 % / 25 % / 25 % at random, as in the paper.

    Parameters
    ----------
    n : int
        Number of rows of the table, at least 4.
    repeat : int
        Number of the repeat; each repeat has its own random generator.
    seed : int
    strata : ndarray of shape (n,), optional
        Classes; each is split in these proportions. By default all rows are split together.

    Examples
    --------
    >>> split = split_rows(10, repeat=0)
    >>> len(split.train), len(split.validation), len(split.test)
    (5, 2, 3)
    """
    if n < 4:
        raise ValueError(f"cannot split a table of {n} rows into 50 / 25 / 25 %: 4 are needed")
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
