"""The loop: column generation around cutting planes, as a generator of steps.

The loop prints nothing and sets no policy: progress displays, early stopping, checkpoints and
benchmarks consume the steps it yields.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from segboost._types import FloatArray
from segboost.solver.atoms import Task
from segboost.solver.columns import Column
from segboost.solver.cutting_plane import CuttingPlane
from segboost.solver.options import SolverOptions
from segboost.solver.pricing import Pricer
from segboost.solver.steps import Certificate, Step, StopReason, relative_gap
from segboost.weak.base import Candidate, Hypothesis, WeakLearner

LOOSEST_GAP = 0.1
PROGRESS_SHARE = 0.2


class ColumnGeneration:
    """StructBoost on one task: `run` it, then read `columns`, `weights` and `certificate`.

    Parameters
    ----------
    task : Task
    learners : sequence of WeakLearner, one per channel
    options : SolverOptions
    rng : numpy.random.Generator
        Breaks ties in the loss when the first outputs are chosen.
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
        self._known: list[Column] = []
        self._iteration = 0
        self._global_bound = 0.0
        self._column_score = np.inf
        self._reason: StopReason = "running"
        self._precision = self._first_precision()
        self._reached = np.inf
        self._begun = False
        self._start = time.perf_counter()

    @property
    def columns(self) -> list[Column]:
        """The columns found so far."""
        return self._plane.pool.columns

    @property
    def weights(self) -> FloatArray:
        """The weights of the best objective found so far, one per column."""
        return self._plane.best_weights

    def add_known(self, columns: Sequence[Column]) -> None:
        """Start the run with these columns, usually those of an earlier fit.

        Raises
        ------
        ValueError
            If a column's channel does not exist.
        """
        for column in columns:
            if not 0 <= column.channel < len(self._task.channels):
                raise ValueError(
                    f"a known column belongs to channel {column.channel}, but the task has "
                    f"only {len(self._task.channels)} channels"
                )
        self._known += columns

    def run(self, done: int = 0) -> Iterator[Step]:
        """Yield a step after every round; the last round is solved to the final precision.

        If a loosely solved round turns out to be the last, it is solved again and yields a
        second step with the same number.

        Parameters
        ----------
        done : int
            Number of rounds already done (those of the known columns).
        """
        resumed = self._begun
        if not resumed:
            self._begin(done)
        candidates = self._price()
        if not resumed and len(self._plane.pool):
            yield self._step()
        while self._iteration < self.options.n_iterations:
            new = self._worth_adding(candidates)
            if new:
                candidates = self._round(new)
            elif self._reached > self.options.gap:
                candidates = self._refine()
            else:
                self._reason = "optimal"
                return
            yield self._step()
        self._reason = "iterations"

    def _begin(self, done: int) -> None:
        """Add the first cut, then solve for the known columns, if any."""
        self._plane.start(self._rng)
        self._begun = True
        self._iteration = done
        self._take_known()
        if len(self._plane.pool):
            self._plane.add_columns(0)
            last = done >= self.options.n_iterations
            self._solve(self.options.gap if last else self._precision)

    def _take_known(self) -> None:
        """Add the known columns, with their responses on this task's atoms, to the pool."""
        for column in self._known:
            features = self._task.channels[column.channel].features
            responses = np.asarray(column.hypothesis.predict(features), dtype=np.float64)
            self._plane.pool.add(column.channel, Candidate(column.hypothesis, responses, 0.0))

    def _round(self, new: list[tuple[int, Candidate]]) -> list[Candidate]:
        """Add columns, solve, price; return the next candidates."""
        before = self._plane.best_objective
        self._add(new)
        self._iteration += 1
        last = self._iteration >= self.options.n_iterations
        self._solve(self.options.gap if last else self._precision)
        candidates = self._price()
        self._precision = self._next_precision(before)
        return candidates

    def _refine(self) -> list[Candidate]:
        """Solve for the current columns to the final precision and price again."""
        self._solve(self.options.gap)
        return self._price()

    def _solve(self, gap: float) -> None:
        self._plane.solve(gap)
        self._reached = gap

    def dump(self) -> dict[str, Any]:
        """Return the state except the hypotheses as arrays; call it between two steps."""
        scalars = [
            self._iteration,
            self._global_bound,
            self._column_score,
            self._precision,
            self._reached,
        ]
        channel = np.array([c.channel for c in self.columns], dtype=np.int64)
        return {"loop": np.array(scalars), "channel": channel, **self._plane.dump()}

    def load(self, hypotheses: Sequence[Hypothesis], arrays: Mapping[str, Any]) -> None:
        """Restore the state returned by `dump`; the run then continues to the same result."""
        channel = arrays["channel"].tolist()
        self.add_known([Column(c, h) for c, h in zip(channel, hypotheses, strict=True)])
        self._take_known()
        self._plane.load(arrays)
        iteration, *rest = arrays["loop"].tolist()
        self._global_bound, self._column_score, self._precision, self._reached = rest
        self._iteration = int(iteration)
        self._begun = True

    def certificate(self) -> Certificate:
        """Return the bounds proved for `weights`."""
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
        if new:
            more = self._pricer.further(self._plane.atom_weights())
            new += [(channel, c) for channel, c in more if c.score > 1.0 + self.options.epsilon_cg]
        return new

    def _add(self, new: list[tuple[int, Candidate]]) -> None:
        first = len(self._plane.pool)
        for channel, candidate in new:
            self._plane.pool.add(channel, candidate)
        self._plane.add_columns(first)

    def _first_precision(self) -> float:
        return max(self.options.gap, LOOSEST_GAP) if self.options.adaptive else self.options.gap

    def _next_precision(self, before: float) -> float:
        """Return a gap that is small compared with the progress of the last round.

        A master that the next column makes obsolete need not be solved to the end, but its
        multipliers must be good enough for that column to make progress.
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
