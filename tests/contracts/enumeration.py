"""Enumeration: all outputs of every example, all stumps, and the full LP of both.

Nothing here uses the oracles of the tasks, which are tested against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from segboost.solver.atoms import Channel


@dataclass(frozen=True, eq=False)
class Example:
    """One example with all its outputs y'.

    Parameters
    ----------
    weight : float
        v_i; those of all examples sum to 1.
    loss : ndarray of shape (K,)
        Δ(y_i, y').
    difference : ndarray of shape (K, N)
        δψ_i(y') as weights on the atoms.
    group : int
        Index from which blocks of slack are formed: of the example, or of a pair's upper row.
    """

    weight: float
    loss: np.ndarray
    difference: np.ndarray
    group: int

    def violations(self, scores: np.ndarray) -> np.ndarray:
        """Return Δ − w·δψ of every output."""
        return self.loss - self.difference @ scores

    def worst(self, scores: np.ndarray) -> float:
        """Return v max(0, max_y' Δ − w·δψ)."""
        return self.weight * max(0.0, float(self.violations(scores).max(initial=0.0)))


def hinge(examples: Sequence[Example], scores: np.ndarray) -> float:
    """Return Σ_i v_i max(0, max_y' Δ − w·δψ), the slack at optimum in every form."""
    return sum(e.worst(scores) for e in examples)


def block_values(examples: Sequence[Example], scores: np.ndarray, slack) -> np.ndarray:
    """Return the value of the most violated cut of every block."""
    if slack == "each":
        return np.array([e.worst(scores) for e in examples])
    n_groups = examples[-1].group + 1
    n_blocks = 1 if slack == "one" else slack
    block = [e.group * n_blocks // n_groups for e in examples]
    return np.bincount(block, [e.worst(scores) for e in examples], n_blocks)


def all_stumps(channels: Sequence[Channel]) -> np.ndarray:
    """Return the responses of all stumps of all channels on the flat atom axis, shape (J, N)."""
    n_atoms = sum(c.n_atoms for c in channels)
    start, rows = 0, []
    for channel in channels:
        for response in _channel_stumps(channel):
            row = np.zeros(n_atoms)
            row[start : start + channel.n_atoms] = response
            rows.append(row)
        start += channel.n_atoms
    return np.array(rows).reshape(-1, n_atoms)


def _channel_stumps(channel: Channel) -> np.ndarray:
    if not channel.n_atoms:
        return np.zeros((0, 0))
    found = []
    for values in np.asarray(channel.features, float).T:
        distinct = np.unique(values)
        for threshold in np.concatenate([[-np.inf], (distinct[1:] + distinct[:-1]) / 2]):
            above = values > threshold
            for side in (above, ~above):
                found.append(np.where(side, 1.0, 0.0 if channel.outputs == "binary" else -1.0))
    return np.unique(found, axis=0)


@dataclass(frozen=True, eq=False)
class FullSolution:
    """An optimum of the full LP."""

    objective: float
    scores: np.ndarray


def solve_full(examples: Sequence[Example], stumps: np.ndarray, C: float) -> FullSolution:
    """Solve ``min 1ᵀw + C Σ v_i ξ_i`` under every constraint of every example."""
    entries = np.concatenate([e.difference @ stumps.T for e in examples])
    owner = np.repeat(np.arange(len(examples)), [len(e.loss) for e in examples])
    n_rows, n_columns = entries.shape
    slack = sparse.csr_array(
        (np.ones(n_rows), (np.arange(n_rows), owner)), shape=(n_rows, len(examples))
    )
    cost = np.concatenate([np.ones(n_columns), C * np.array([e.weight for e in examples])])
    result = linprog(
        cost,
        A_ub=-sparse.hstack([sparse.csr_array(entries), slack], format="csr"),
        b_ub=-np.concatenate([e.loss for e in examples]),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert result.status == 0, result.message
    return FullSolution(float(result.fun), stumps.T @ result.x[:n_columns])
