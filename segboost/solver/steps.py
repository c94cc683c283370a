"""Results reported by the loop: one frozen step per round and a final certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

StopReason = Literal["optimal", "iterations", "stopped", "interrupted", "running"]


@dataclass(frozen=True)
class Step:
    """The state after one round of column generation.

    Parameters
    ----------
    iteration : int
        Number of rounds done, from 1; 0 if no column was worth adding.
    objective : float
        Best primal value so far, ``1ᵀw + C Σ_b ξ_b`` at a known w: an upper bound.
    lower_bound : float
        Value of the restricted master: no w on the current columns can do better.
    global_bound : float
        Lower bound over all columns of the weak learners' class, the best of all rounds: the
        master's value, divided by the best new column's score if that exceeds 1 (scaling λ makes
        it feasible). It is a certificate if separation and weak learners are exact.
    gap : float
        ``(objective − lower_bound) / objective``.
    worst_violation : float
        Largest violation over the blocks among the cuts found last.
    column_score : float
        Best score ``W·φ`` of a new column; at most 1 + ε_cg at the optimum.
    n_columns, n_cuts : int
        Size of the master.
    n_oracle_calls : int
        Number of calls of the separation oracle so far.
    seconds : float
        Wall-clock time since the start.
    """

    iteration: int
    objective: float
    lower_bound: float
    global_bound: float
    gap: float
    worst_violation: float
    column_score: float
    n_columns: int
    n_cuts: int
    n_oracle_calls: int
    seconds: float


@dataclass(frozen=True)
class Certificate:
    """How good the returned weights provably are.

    `objective` − `lower_bound` bounds the error over the current columns; `objective` −
    `global_bound` bounds the error over all weak learners. The bounds are proofs if `exact` is
    true, that is, if both oracles are exact. Otherwise `gap` and `global_gap` are estimates: with
    approximate separation the true objective may be higher, and with approximate weak learners
    there may be better columns. `reason` says why the loop ended.
    """

    objective: float
    lower_bound: float
    global_bound: float
    gap: float
    global_gap: float
    column_score: float
    n_columns: int
    n_cuts: int
    exact: bool
    reason: StopReason


def relative_gap(upper: float, lower: float) -> float:
    """Return (UB − LB)/UB, at least 0; 0 where UB is 0."""
    return max(0.0, (upper - lower) / upper) if upper > 0 else 0.0
