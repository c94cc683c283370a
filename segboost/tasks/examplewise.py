"""Shared code of tasks whose oracle works example by example.

Such a task finds the most violated output of every example. Weighting, dropping the examples that
are not violated (c_i = 0) and summing by block are the same for all of these tasks.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from segboost._types import FloatArray, IntArray, Slack
from segboost.solver.atoms import Cuts


def block_of_example(n_examples: int, slack: Slack) -> IntArray:
    """Return the slack block of every example, shape (m,); blocks are contiguous runs.

    Raises
    ------
    ValueError
        If `slack` is neither "one", "each" nor a number of blocks from 1 to m.
    """
    return np.arange(n_examples) * n_blocks(n_examples, slack) // max(n_examples, 1)


def n_blocks(n_examples: int, slack: Slack) -> int:
    """Return the number of blocks of m examples; ValueError if `slack` is invalid."""
    if slack == "one":
        return min(1, n_examples)
    if slack == "each":
        return n_examples
    if isinstance(slack, (int, np.integer)) and not isinstance(slack, bool):
        if 1 <= slack <= n_examples:
            return int(slack)
        raise ValueError(
            f"slack={slack} asks for {slack} blocks of {n_examples} examples; "
            f"use a number from 1 to {n_examples}"
        )
    raise ValueError(f"slack must be 'one', 'each' or a number of blocks, got {slack!r}")


def example_weights(sample_weight: npt.ArrayLike | None, n_examples: int) -> FloatArray:
    """Return the weights v of the examples, summing to 1: 1/m each, or from `sample_weight`."""
    if sample_weight is None:
        return np.full(n_examples, 1.0 / n_examples)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_examples,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}, expected ({n_examples},): one per example"
        )
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight must be finite and not negative")
    total = weight.sum()
    if total <= 0:
        raise ValueError("sample_weight is zero for every example")
    return weight / total


def aggregate(
    loss: FloatArray,
    difference: sparse.csr_array,
    scores: FloatArray,
    example_weight: FloatArray,
    block: IntArray,
) -> Cuts:
    """Sum the most violated outputs of the examples into one cut per block.

    Parameters
    ----------
    loss : ndarray of shape (m,)
        Δ(y_i, y'_i).
    difference : csr_array of shape (m, N)
        Row i holds δψ_i(y'_i) as weights on atoms, so that ``difference @ scores = w·δψ_i``.
    scores : ndarray of shape (N,)
        The atom scores Φw at which the outputs were found.
    example_weight : ndarray of shape (m,)
        v, summing to 1.
    block : ndarray of int, shape (m,)

    Returns
    -------
    Cuts
        ``a_b = Σ_{i∈b} v_i c_i δψ_i`` and ``loss_b = Σ_{i∈b} v_i c_i Δ_i`` with
        ``c_i = [Δ_i − w·δψ_i > 0]``, for the blocks that have a violated example.
    """
    violated = np.flatnonzero((loss - difference @ scores > 0) & (example_weight > 0))
    blocks, row = np.unique(block[violated], return_inverse=True)
    gather = sparse.csr_array(
        (example_weight[violated], (row, violated)), shape=(len(blocks), len(loss))
    )
    return Cuts(blocks.astype(np.intp), gather @ loss, sparse.csr_array(gather @ difference))
