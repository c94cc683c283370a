"""Cutting planes: the master over the current columns, solved to a certified gap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from segboost._types import FloatArray
from segboost.solver.atoms import Cuts, Recall, StatefulTask, Task
from segboost.solver.columns import ColumnPool
from segboost.solver.master import VIOLATION, DualMaster, Master, MasterSolution, PrimalMaster
from segboost.solver.options import SolverOptions
from segboost.solver.steps import relative_gap
from segboost.solver.working_set import WorkingSet
from segboost.storage.npz import part_of

RECALL_SHARE = 0.1
"""Cuts of known outputs are added if C times their total violation is at least this share of the
open gap; smaller steps would cost more LP solves than an oracle call is worth."""


class CuttingPlane:
    """The restricted problem: a growing pool of columns, a live master and its cuts.

    After `solve`, ``best_weights`` has the objective ``best_objective``, and no weights on the
    current columns have an objective below ``lower_bound``.
    """

    def __init__(self, task: Task, options: SolverOptions) -> None:
        self.task = task
        self.options = options
        self.pool = ColumnPool(task.channels)
        self.working = WorkingSet(self.pool.n_atoms, options.patience)
        n_blocks = task.n_blocks(options.slack)
        form = DualMaster if options.form == "dual" else PrimalMaster
        self.master: Master = form(options.C, n_blocks)
        self.n_oracle_calls = 0
        self.worst_violation = 0.0
        self.lower_bound = 0.0
        self.best_weights: FloatArray = np.zeros(0)
        self.best_objective = np.inf
        self._best_scores: FloatArray = np.zeros(self.pool.n_atoms)
        self._purged_at = -np.inf
        self.solution: MasterSolution | None = None

    def dump(self) -> dict[str, Any]:
        """Return the whole state as arrays, for a checkpoint."""
        assert self.solution is not None
        cuts = self.working.cuts
        return {
            "block": cuts.block,
            "loss": cuts.loss,
            "age": self.working.ages,
            "weights_data": cuts.weights.data,
            "weights_indices": cuts.weights.indices,
            "weights_indptr": cuts.weights.indptr,
            "multipliers": self.solution.multipliers,
            "best_weights": self.best_weights,
            "best_scores": self._best_scores,
            "bounds": np.array([self.best_objective, self.lower_bound, self.worst_violation]),
            "n_oracle_calls": np.array(self.n_oracle_calls),
            **{f"master_{key}": value for key, value in self.master.dump().items()},
            **{f"task_{key}": value for key, value in self._task_state().items()},
        }

    def load(self, arrays: Mapping[str, Any]) -> None:
        """Restore the state returned by `dump`; the pool must already hold its columns."""
        shape = (len(arrays["loss"]), self.pool.n_atoms)
        parts = tuple(arrays[f"weights_{part}"] for part in ("data", "indices", "indptr"))
        weights = sparse.csr_array(parts, shape=shape)
        self.working.add(Cuts(arrays["block"], arrays["loss"], weights), arrays["age"])
        self.best_weights, self._best_scores = arrays["best_weights"], arrays["best_scores"]
        self.best_objective, self.lower_bound, self.worst_violation = arrays["bounds"].tolist()
        self.n_oracle_calls = int(arrays["n_oracle_calls"])
        nothing = np.zeros(0)
        self.solution = MasterSolution(nothing, nothing, arrays["multipliers"], self.lower_bound)
        self.master.load(part_of(arrays, "master_"))
        if isinstance(self.task, StatefulTask):
            self.task.load(part_of(arrays, "task_"))

    def _task_state(self) -> dict[str, Any]:
        return self.task.dump() if isinstance(self.task, StatefulTask) else {}

    def start(self, rng: np.random.Generator) -> None:
        """Add the first cut, at w = 0; its multiplier gives the first atom weights.

        At w = 0 the loss alone decides, and it often ties: random scores far below any loss
        difference pick among the tied outputs. They are positive, as the scores of learners with
        outputs 0 and 1 would be.
        """
        noise = 1e-6 * rng.random(self.pool.n_atoms)
        cuts = self._separate(noise)
        self._record(np.zeros(0), np.zeros(self.pool.n_atoms), cuts)
        self._add(cuts)
        self._solve_master()

    def add_columns(self, first: int) -> None:
        """Add the pool's columns from position `first` on to the master."""
        self.master.add_columns(self.pool.entries(self.working.cuts.weights, first))
        self.best_weights = np.append(self.best_weights, np.zeros(len(self.pool) - first))

    def solve(self, gap: float) -> None:
        """Add cuts until the relative gap (or the absolute ε_cp of the options) is reached."""
        self.master.refresh()
        self._purged_at = -np.inf
        while True:
            solution = self._solve_master()
            if self.options.epsilon_cp is None and self.gap <= gap:
                return
            scores = self.pool.scores(solution.weights)
            if not self._cut_off(solution, scores):
                return
            self._purge()

    @property
    def gap(self) -> float:
        """The relative gap over the current columns."""
        return relative_gap(self.best_objective, self.lower_bound)

    def atom_weights(self) -> FloatArray:
        """Return W of the last master solution."""
        assert self.solution is not None
        return self.working.atom_weights(self.solution.multipliers)

    def _solve_master(self) -> MasterSolution:
        self.solution = self.master.solve()
        self.lower_bound = min(self.solution.objective, self.best_objective)
        self.working.note(self.solution.multipliers)
        return self.solution

    def _cut_off(self, solution: MasterSolution, scores: FloatArray) -> bool:
        """Add cuts that separate the LP point; return False if none is worth adding."""
        if self._recall(solution, scores):
            return True
        centre = self.options.centre
        if centre > 0 and self.best_objective < np.inf:
            between = centre * self.best_weights + (1 - centre) * solution.weights
            between_scores = centre * self._best_scores + (1 - centre) * scores
            cuts = self._separate(between_scores)
            self._record(between, between_scores, cuts)
            if self._add_violated(cuts, solution, scores) or self._finished():
                return True
        cuts = self._separate(scores)
        self._record(solution.weights, scores, cuts)
        return self._add_violated(cuts, solution, scores)

    def _recall(self, solution: MasterSolution, scores: FloatArray) -> bool:
        """Add cuts of known outputs if they are violated enough; return whether any was added."""
        if not isinstance(self.task, Recall):
            return False
        cuts = self.task.recall(scores, self.options.slack)
        if cuts is None:
            return False
        violation = np.maximum(_violation(cuts, solution, scores), 0.0).sum()
        missing = self.best_objective - self.lower_bound
        if self.options.C * violation < RECALL_SHARE * missing:
            return False
        return self._add_violated(cuts, solution, scores)

    def _finished(self) -> bool:
        """Whether the best point already meets the final gap; the next solve then stops."""
        return self.options.epsilon_cp is None and self.gap <= self.options.gap

    def _add_violated(self, cuts: Cuts, solution: MasterSolution, scores: FloatArray) -> bool:
        violation = _violation(cuts, solution, scores)
        self.worst_violation = float(violation.max(initial=0.0))
        epsilon = self.options.epsilon_cp
        if epsilon is not None and np.maximum(violation, 0.0).sum() <= epsilon:
            return False
        separating = violation > VIOLATION
        if not separating.any():
            return False
        self._add(cuts.select(separating))
        return True

    def _separate(self, scores: FloatArray) -> Cuts:
        self.n_oracle_calls += 1
        return self.task.separate(scores, self.options.slack)

    def _record(self, weights: FloatArray, scores: FloatArray, cuts: Cuts) -> None:
        """Keep the point if ``1ᵀw + C Σ_b max(0, loss_b − a_b·Φw)`` is the lowest so far."""
        slack = np.maximum(cuts.loss - cuts.weights @ scores, 0.0).sum()
        objective = float(weights.sum() + self.options.C * slack)
        if objective < self.best_objective:
            self.best_objective = objective
            self.best_weights, self._best_scores = weights.copy(), scores

    def _add(self, cuts: Cuts) -> None:
        self.master.add_cuts(cuts.block, cuts.loss, self.pool.entries(cuts.weights))
        self.working.add(cuts)

    def _purge(self) -> None:
        # While the bound does not move, a purged cut could come back and be purged forever.
        if self.lower_bound <= self._purged_at:
            return
        idle = self.working.idle()
        # Purging a few cuts at a time costs more than it saves.
        if len(idle) > 0.25 * len(self.working):
            self.master.remove_cuts(idle)
            self.working.remove(idle)
            self._purged_at = self.lower_bound


def _violation(cuts: Cuts, solution: MasterSolution, scores: FloatArray) -> FloatArray:
    """Return by how much a master's solution violates each cut."""
    return np.asarray(cuts.loss - cuts.weights @ scores - solution.slack[cuts.block])
