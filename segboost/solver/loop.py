"""The loop: column generation around cutting planes, as a generator of steps.

It prints nothing and stops nobody: progress displays, early stopping, checkpoints and benchmarks
consume the steps it yields.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from segboost._types import FloatArray
from segboost.solver.atoms import Task
from segboost.solver.columns import Column
from segboost.solver.cutting_plane import CuttingPlane
from segboost.solver.options import SolverOptions
from segboost.solver.pricing import Pricer
from segboost.solver.steps import Certificate, Step, StopReason, relative_gap
from segboost.weak.base import Candidate, WeakLearner

LOOSEST_GAP = 0.1
PROGRESS_SHARE = 0.2


class ColumnGeneration:
    """StructBoost on one task: `run` it, then read `columns`, `weights` and `certificate`.

    Parameters
    ----------
    task : Task
    learners : sequence of WeakLearner, one a channel
    options : SolverOptions
    rng : numpy.random.Generator
        Draws the first outputs where the loss ties.
    """

    def __init__(
        self,
        task: Task,
        learners: Sequence[WeakLearner],
        options: SolverOptions,
        rng: np.random.Generator,
    ) -> None:
        self.options = options
        self._task = task
        self._rng = rng
        self._pricer = Pricer(task.channels, learners)
        self._plane = CuttingPlane(task, options)
        self._iteration = 0
        self._global_bound = 0.0
        self._column_score = np.inf
        self._reason: StopReason = "running"
        self._start = time.perf_counter()

    @property
    def columns(self) -> list[Column]:
        """The columns found so far."""
        return self._plane.pool.columns

    @property
    def weights(self) -> FloatArray:
        """The weights of the best objective found so far, one a column."""
        return self._plane.best_weights

    def run(self) -> Iterator[Step]:
        """Yield a step after every round; the last one is solved to the final precision."""
        self._plane.start(self._rng)
        candidates = self._price()
        precision = self._first_precision()
        while True:
            new = self._worth_adding(candidates)
            if not new and precision > self.options.gap:
                precision = self.options.gap
                self._plane.solve(precision)
                candidates = self._price()
                continue
            if not new:
                self._reason = "optimal"
                if self._iteration == 0:
                    yield self._step()
                return
            before = self._plane.best_objective
            self._add(new)
            self._iteration += 1
            last = self._iteration >= self.options.n_iterations
            self._plane.solve(self.options.gap if last else precision)
            candidates = self._price()
            yield self._step()
            if last:
                self._reason = "iterations"
                return
            precision = self._next_precision(before)

    def certificate(self) -> Certificate:
        """Return what is proved about `weights`."""
        plane = self._plane
        return Certificate(
            objective=plane.best_objective,
            lower_bound=plane.lower_bound,
            global_bound=self._global_bound,
            gap=plane.gap,
            global_gap=relative_gap(plane.best_objective, self._global_bound),
            column_score=self._column_score,
            n_columns=len(plane.pool),
            n_cuts=len(plane.working),
            exact=self._pricer.exact and self._task.exact,
            reason="stopped" if self._reason == "running" else self._reason,
        )

    def _price(self) -> list[Candidate]:
        candidates = self._pricer.price(self._plane.atom_weights())
        self._column_score = max((c.score for c in candidates), default=0.0)
        bound = self._plane.lower_bound / max(1.0, self._column_score)
        self._global_bound = max(self._global_bound, bound)
        return candidates

    def _worth_adding(self, candidates: list[Candidate]) -> list[tuple[int, Candidate]]:
        """Return the candidates whose dual constraint ``W·φ ≤ 1`` is violated."""
        new = [
            (channel, c)
            for channel, c in enumerate(candidates)
            if c.score > 1.0 + self.options.epsilon_cg
        ]
        if self.options.columns == "best" and new:
            return [max(new, key=lambda item: item[1].score)]
        return new

    def _add(self, new: list[tuple[int, Candidate]]) -> None:
        first = len(self._plane.pool)
        for channel, candidate in new:
            self._plane.pool.add(channel, candidate)
        self._plane.add_columns(first)

    def _first_precision(self) -> float:
        return max(self.options.gap, LOOSEST_GAP) if self.options.adaptive else self.options.gap

    def _next_precision(self, before: float) -> float:
        """Return a gap that is small against the progress of the last round.

        A master that the next column outdates need not be solved to the end; but its multipliers
        must be good enough for that column to make progress.
        """
        if not self.options.adaptive:
            return self.options.gap
        progress = relative_gap(before, self._plane.best_objective)
        return float(np.clip(PROGRESS_SHARE * progress, self.options.gap, LOOSEST_GAP))

    def _step(self) -> Step:
        plane = self._plane
        return Step(
            iteration=self._iteration,
            objective=plane.best_objective,
            lower_bound=plane.lower_bound,
            global_bound=self._global_bound,
            gap=plane.gap,
            worst_violation=plane.worst_violation,
            column_score=self._column_score,
            n_columns=len(plane.pool),
            n_cuts=len(plane.working),
            n_oracle_calls=plane.n_oracle_calls,
            seconds=time.perf_counter() - self._start,
        )
