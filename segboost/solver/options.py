"""Solver options, validated in one place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal

import numpy as np

from segboost._types import Slack

LARGEST_C = 1e15
"""The LP solver treats prices from 1e20 on as infinite, and loses precision before that."""


@dataclass(frozen=True)
class SolverOptions:
    """Parameters of the structured LP and of its solution.

    Parameters
    ----------
    C : float
        Price of slack, at most 1e15; larger values fit the training data more closely.
    n_iterations : int
        Maximum number of rounds of column generation.
    slack : "one", "each" or int
        A single slack, one per example, or that many blocks of examples. The optimum is the
        same.
    gap : float
        Final relative precision of the cutting planes, (UB − LB) ≤ gap·UB.
    epsilon_cp : float or None
        Use the paper's absolute precision instead: stop when the cuts at the LP point are
        violated by at most this much in total. The objective's error is then up to
        C·epsilon_cp.
    epsilon_cg : float
        Stop when no new column scores more than 1 + epsilon_cg.
    form : "dual" or "primal"
        The form in which the master is solved.
    centre : float
        Weight of the best known point in the query point of the oracle (in-out stabilisation);
        0 queries at the LP point.
    patience : int or None
        Number of solves for which a cut may stay inactive before it is purged; None keeps all
        cuts.
    columns : "channel" or "best"
        Add the best new column of every channel, or the single best one.
    adaptive : bool
        Solve the early masters, which soon become obsolete, less precisely.
    """

    C: float = 1.0
    n_iterations: int = 100
    slack: Slack = "one"
    gap: float = 1e-3
    epsilon_cp: float | None = None
    epsilon_cg: float = 1e-3
    form: Literal["dual", "primal"] = "dual"
    centre: float = 0.7
    patience: int | None = 20
    columns: Literal["channel", "best"] = "channel"
    adaptive: bool = True

    def __post_init__(self) -> None:
        _require(_positive(self.C), "C", self.C, "a finite number above 0")
        _require(self.C <= LARGEST_C, "C", self.C, f"at most {LARGEST_C:g}")
        _require(_count(self.n_iterations), "n_iterations", self.n_iterations, "a whole number ≥ 1")
        gap = self.gap
        _require(_number(gap) and 0 < gap < 1, "gap", gap, "a number between 0 and 1")
        cp = self.epsilon_cp
        _require(cp is None or _positive(cp), "epsilon_cp", cp, "None or a number above 0")
        cg = self.epsilon_cg
        _require(_number(cg) and 0 <= cg < np.inf, "epsilon_cg", cg, "a finite number ≥ 0")
        _require(self.form in ("dual", "primal"), "form", self.form, "'dual' or 'primal'")
        centre, patience = self.centre, self.patience
        _require(_number(centre) and 0 <= centre < 1, "centre", centre, "a number in [0, 1)")
        _require(
            patience is None or _count(patience),
            "patience",
            patience,
            "None or a whole number ≥ 1",
        )
        _require(
            self.columns in ("channel", "best"), "columns", self.columns, "'channel' or 'best'"
        )

    def literal(self) -> SolverOptions:
        """Return the paper's Algorithms 1 and 2: primal LP, all cuts kept, no stabilisation."""
        return replace(
            self, form="primal", centre=0.0, patience=None, columns="best", adaptive=False
        )


def _positive(value: float) -> bool:
    return _number(value) and bool(np.isfinite(value) and value > 0)


def _number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _count(value: int) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 1


def _require(holds: bool, name: str, value: object, expected: str) -> None:
    if not holds:
        raise ValueError(f"{name} must be {expected}, got {value!r}")
