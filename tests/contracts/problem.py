"""A small problem of a task: its data, its enumerated outputs, and ways to change both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from segboost.solver.atoms import Task, atom_offsets
from segboost.solver.loop import ColumnGeneration
from segboost.solver.options import SolverOptions
from segboost.weak.stump import DecisionStump
from tests.contracts.enumeration import Example, FullSolution, all_stumps, solve_full


@dataclass(frozen=True, eq=False)
class Shuffled:
    """The same data in another order, with maps from the old atoms and outputs to the new.

    Parameters
    ----------
    data : dict
    atoms : ndarray of int, shape (N,)
        Old index of every new atom.
    map_outputs : callable
        Maps old decoded outputs to those expected for the new data.
    """

    data: dict[str, Any]
    atoms: np.ndarray
    map_outputs: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Problem:
    """A task, its data, and its outputs as enumerated by `enumerate_outputs`."""

    name: str
    data: dict[str, Any]
    make: Callable[[dict[str, Any]], Task]
    enumerate_outputs: Callable[[dict[str, Any]], list[Example]]
    shuffle: Callable[[dict[str, Any], np.random.Generator], Shuffled]
    repeat: Callable[[dict[str, Any], np.ndarray], dict[str, Any]]
    _optima: dict[float, FullSolution] = field(default_factory=dict)

    @cached_property
    def task(self) -> Task:
        return self.make(self.data)

    @cached_property
    def examples(self) -> list[Example]:
        return self.enumerate_outputs(self.data)

    @cached_property
    def n_groups(self) -> int:
        return self.examples[-1].group + 1

    @property
    def n_rows(self) -> int:
        """The number of sample weights."""
        return len(self.data["y"]) if "y" in self.data else self.n_groups

    @cached_property
    def stumps(self) -> np.ndarray:
        return all_stumps(self.task.channels)

    @property
    def n_atoms(self) -> int:
        return int(atom_offsets(self.task.channels)[-1])

    def optimum(self, C: float) -> FullSolution:
        """Return the optimum of the full LP, which is solved once per C."""
        if C not in self._optima:
            self._optima[C] = solve_full(self.examples, self.stumps, C)
        return self._optima[C]

    def variant(self, data: dict[str, Any]) -> Problem:
        """Return the problem with other data."""
        return replace(self, data=data, _optima={})

    def random_scores(self, rng: np.random.Generator, scale: float) -> np.ndarray:
        """Return atom scores Φw of a few random stumps with w ≥ 0."""
        w = rng.exponential(scale, len(self.stumps)) * (rng.random(len(self.stumps)) < 0.3)
        return w @ self.stumps


def atom_scores(loop: ColumnGeneration, task: Task) -> np.ndarray:
    """Return Φw on the atoms of a task, from the hypotheses themselves."""
    start_at = atom_offsets(task.channels)
    scores = np.zeros(start_at[-1])
    for column, w in zip(loop.columns, loop.weights, strict=True):
        responses = column.hypothesis.predict(task.channels[column.channel].features)
        scores[start_at[column.channel] : start_at[column.channel + 1]] += w * responses
    return scores


def start(task: Task, options: SolverOptions, seed: int = 0) -> ColumnGeneration:
    """Return the loop on a task, with stumps on every channel."""
    learner = DecisionStump()
    learners = [learner for _ in task.channels]
    return ColumnGeneration(task, learners, options, np.random.default_rng(seed))


def example_weights(data: dict[str, Any], n: int) -> np.ndarray:
    """Return v, shape (n,): the sample weights, or equal weights, scaled to sum to 1."""
    weight = data.get("sample_weight")
    weight = np.ones(n) if weight is None else np.asarray(weight, float)
    return weight / weight.sum()
