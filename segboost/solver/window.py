"""StructBoost on a sliding window of examples: one live LP from the first example to the last.

    min 1ᵀw + Σ_i p_i ξ_i   s.t.  w·(φ(x_i, y_i) − φ(x_i, y)) ≥ Δ(y_i, y) − ξ_i,  0 ≤ w ≤ cap, ξ ≥ 0

over the examples i in the window, each with its own slack: an example that leaves takes its cuts
with it. Columns stay, with their responses on the current candidates, and so does the basis. The
price p_i is C times the example's share of the total importance, so all prices add up to C.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from segboost._types import FloatArray, IntArray
from segboost.solver.master import VIOLATION, MasterSolution
from segboost.solver.steps import relative_gap
from segboost.solver.window_columns import StumpPool
from segboost.solver.window_cuts import CandidateCuts
from segboost.solver.window_master import WindowMaster
from segboost.weak.histogram import Codes


@dataclass(frozen=True)
class WindowOptions:
    """Solver options for the updates of a window.

    Parameters
    ----------
    C : float
        Price of slack.
    cap : float
        Largest weight of a stump, so that a few stumps cannot decide alone.
    max_columns : int
        Maximum number of stumps; those unused for longest are replaced first.
    columns_per_round : int
        Number of new stumps per round, all of different features.
    memory : float
        Weight of the previous average in the running average of the weights, from 0 to 1.
    epsilon_cg : float
        A new column must score more than 1 + epsilon_cg.
    patience : int
        Number of solves for which a cut may stay inactive before it is dropped.
    """

    C: float = 2.0
    cap: float = 0.005
    max_columns: int = 300
    columns_per_round: int = 8
    memory: float = 0.3
    epsilon_cg: float = 1e-2
    patience: int = 10


class WindowBoost:
    """Stumps on the coded candidates of the examples in a window.

    Parameters
    ----------
    n_places : int
        Number of examples the window holds.
    n_candidates : int
        Number of candidates per example; the first is the correct one.
    n_features : int
    n_codes : int
        Features are uint8 codes below this.
    options : WindowOptions
    """

    def __init__(
        self,
        n_places: int,
        n_candidates: int,
        n_features: int,
        n_codes: int,
        options: WindowOptions,
    ) -> None:
        self.options = options
        self._importance = np.zeros(n_places)
        self.price: FloatArray = np.zeros(n_places)
        self._loss = np.zeros((n_places, n_candidates))
        self.pool = StumpPool(n_places * n_candidates, n_features, n_codes, options.max_columns)
        self.cuts = CandidateCuts(n_candidates, options.patience)
        self._master = WindowMaster(n_places, options.cap)
        self._solution = MasterSolution(np.zeros(0), np.zeros(n_places), np.zeros(0), 0.0)
        self.weights: FloatArray = np.zeros(0)
        self.average: FloatArray = np.zeros(0)
        self.objective = np.inf
        self.lower_bound = 0.0
        self._updated = False

    @property
    def gap(self) -> float:
        """The relative gap over the current columns, after `update`."""
        return relative_gap(self.objective, self.lower_bound)

    def place(self, place: int, codes: Codes, loss: FloatArray, importance: float = 1.0) -> None:
        """Put an example in a place of the window, replacing the one there and its cuts.

        Parameters
        ----------
        place : int
        codes : ndarray of uint8, shape (n_features, n_candidates)
        loss : ndarray of shape (n_candidates,)
            Δ(y_i, y) of every candidate, 0 for the first.
        importance : float
            Weight of the example's slack relative to the others.
        """
        leaving = self.cuts.leave(place)
        self._master.relax_cuts(leaving)
        self._solution.multipliers[leaving] = 0.0
        self._solution.slack[place] = 0.0
        n = self._loss.shape[1]
        self.pool.write(codes, place * n)
        self._loss[place] = loss
        self._importance[place] = importance

    def update(self, rounds: int) -> None:
        """Solve for the current window; set `weights` and their running `average`.

        Each round adds the most violated cut of every example and the best new columns, both
        found at the last solution, and solves once.
        """
        self.price = self.options.C * self._importance / self._importance.sum()
        self._master.set_prices(self.price)
        self.objective = np.inf
        for _ in range(rounds):
            cut, leaving = self._separate(), self.cuts.gone()
            if not self._grow() and not cut and not len(leaving):
                break
            self._solve()
            self._remove_cuts(self.cuts.gone())
        self._separate(add=False)
        memory = self.options.memory if self._updated else 0.0
        self.average = memory * self.average + (1 - memory) * self.weights
        self._updated = True
        idle = self.cuts.idle()
        if len(idle) > 0.25 * len(self.cuts):
            self._remove_cuts(idle)

    def scores(self, weights: FloatArray) -> FloatArray:
        """Return the scores of all candidates, shape (n_places, n_candidates)."""
        return self.pool.scores(weights).reshape(self._loss.shape)

    def _solve(self) -> None:
        self._solution = self._master.solve()
        self.lower_bound = self._solution.objective
        self.cuts.note(self._solution.multipliers)
        self.pool.note(self._solution.weights)

    def _remove_cuts(self, positions: IntArray) -> None:
        """Remove cuts of multiplier zero, which does not change the solution."""
        if len(positions):
            self._master.remove_cuts(positions)
            self.cuts.remove(positions)
            left = np.delete(self._solution.multipliers, positions)
            self._solution = replace(self._solution, multipliers=left)

    def _separate(self, add: bool = True) -> bool:
        """Record the objective at the LP point; add the most violated cut of every example.

        Returns whether any cut was added; with ``add=False`` none is.
        """
        solution = self._solution
        scores = self.scores(solution.weights)
        value = np.where(self._importance[:, None] > 0, self._loss + scores - scores[:, :1], 0.0)
        worst = np.argmax(value, axis=1)
        slack = np.maximum(np.take_along_axis(value, worst[:, None], axis=1)[:, 0], 0.0)
        objective = float(solution.weights.sum() + self.price @ slack)
        if objective < self.objective:
            self.objective, self.weights = objective, solution.weights
        violated = np.flatnonzero(slack > solution.slack + VIOLATION)
        if not add or not len(violated):
            return False
        candidate = worst[violated]
        loss = self._loss[violated, candidate]
        n = self._loss.shape[1]
        entries = self.pool.entries(violated * n, violated * n + candidate)
        self._master.add_cuts(violated.astype(np.intp), loss, entries)
        self.cuts.add(violated, candidate, loss)
        multipliers = np.append(self._solution.multipliers, np.zeros(len(violated)))
        self._solution = replace(self._solution, multipliers=multipliers)
        return True

    def _grow(self) -> bool:
        """Add the best new columns that score more than 1 + ε; return whether any was added."""
        first, second, multiplier = self.cuts.active(self._solution.multipliers)
        if not len(first):
            return False
        found = self.pool.price(first, second, multiplier, self.options.columns_per_round)
        found = [c for c in found if c.score > 1.0 + self.options.epsilon_cg]
        self._make_room(len(found))
        found = found[: self.options.max_columns - len(self.pool)]
        if not found:
            return False
        start = len(self.pool)
        for column in found:
            self.pool.add(column)
        self._master.add_columns(self.pool.entries(*self.cuts.atoms(), start))
        zeros = np.zeros(len(found))
        self.weights = np.append(self.weights, zeros)
        self.average = np.append(self.average, zeros)
        self._solution = replace(self._solution, weights=np.append(self._solution.weights, zeros))
        return True

    def _make_room(self, count: int) -> None:
        surplus = len(self.pool) + count - self.options.max_columns
        if surplus <= 0:
            return
        in_use = np.maximum(self.weights, self._solution.weights)
        leaving: IntArray = self.pool.stale(surplus, in_use)
        if len(leaving):
            self._master.remove_columns(leaving)
            self.pool.remove(leaving)
            self.weights = np.delete(self.weights, leaving)
            self.average = np.delete(self.average, leaving)
            left = np.delete(self._solution.weights, leaving)
            self._solution = replace(self._solution, weights=left)
