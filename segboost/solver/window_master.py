"""The primal master for a window of examples, from which cuts and columns can be removed.

    min Σ_j w_j + Σ_b p_b ξ_b   s.t.  Σ_j A_cj w_j + ξ_b(c) ≥ loss_c,   0 ≤ w_j ≤ cap,   ξ ≥ 0

A binding cut is not basic; deleting it would invalidate the basis. If it is relaxed first, the
simplex brings it into the basis in a few steps, and it can then be deleted at no cost.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from segboost._types import FloatArray, IntArray
from segboost.solver.master import (
    DUAL_SIMPLEX,
    INFINITY,
    MasterSolution,
    PrimalMaster,
    check_status,
)


class WindowMaster(PrimalMaster):
    """A primal master whose blocks are the places of a window, which are reused.

    Parameters
    ----------
    n_places : int
        Number of blocks. Each block's slack has its own price, initially 0; entries and losses
        are those of single examples.
    cap : float
        Largest weight of a column.
    """

    def __init__(self, n_places: int, cap: float) -> None:
        super().__init__(0.0, n_places)
        self._cap = cap

    @property
    def _live(self) -> Any:
        # The LP library's type stubs lack some of its methods.
        return self._highs

    def add_columns(self, entries: FloatArray) -> None:
        """Add the variables 0 ≤ w_j ≤ cap of cost 1."""
        first = len(self._column_at)
        super().add_columns(entries)
        new = self._column_at[first:].astype(np.int32)
        top = np.full(len(new), self._cap)
        status = self._live.changeColsBounds(len(new), new, np.zeros(len(new)), top)
        check_status(status, "changeColsBounds")

    def solve(self) -> MasterSolution:
        """Solve with the dual simplex, regardless of the changes since the last solve.

        Weights at their cap flip within its steps; the primal simplex takes several times as many.
        """
        self._strategy = DUAL_SIMPLEX
        return super().solve()

    def set_prices(self, prices: FloatArray) -> None:
        """Set the price of every block's slack, shape (n_places,)."""
        places = np.arange(len(prices), dtype=np.int32)
        check_status(self._live.changeColsCost(len(places), places, prices), "changeColsCost")

    def relax_cuts(self, cuts: IntArray) -> None:
        """Make these cuts vacuous; after the next `solve`, removing them costs nothing."""
        free = np.full(len(cuts), INFINITY)
        status = self._live.changeRowsBounds(len(cuts), cuts.astype(np.int32), -free, free)
        check_status(status, "changeRowsBounds")

    def remove_columns(self, columns: IntArray) -> None:
        """Remove weak learners; removing those of weight zero keeps the basis valid."""
        at = np.sort(self._column_at[columns])
        check_status(self._live.deleteCols(len(at), at.astype(np.int32)), "deleteCols")
        kept = np.delete(self._column_at, columns)
        self._column_at = kept - np.searchsorted(at, kept)
