"""The settings of a tree booster."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BoosterSettings:
    """Number, size and regularisation of the trees.

    Parameters
    ----------
    n_trees, depth : int
    learning_rate : float
    row_share : float
        Fraction of the rows that each tree is grown on.
    n_columns : int
        Number of columns that each tree may split on.
    l2 : float
        Added to the curvature of every leaf.
    min_curvature : float
        Smallest curvature of a leaf; a row of mean weight contributes at most 1/4.
    """

    n_trees: int = 400
    depth: int = 5
    learning_rate: float = 0.1
    row_share: float = 0.5
    n_columns: int = 400
    l2: float = 10.0
    min_curvature: float = 10.0
