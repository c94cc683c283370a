"""Running the loop: history, stages, callbacks, interruption and checkpoints."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from segboost._interrupt import interrupts_unwrapped
from segboost._types import FloatArray
from segboost.estimators.checkpoint import Checkpoint
from segboost.solver.atoms import Task
from segboost.solver.columns import Column
from segboost.solver.ensemble import Ensemble
from segboost.solver.loop import ColumnGeneration
from segboost.solver.options import SolverOptions
from segboost.solver.steps import Certificate, Step
from segboost.weak.base import WeakLearner

log = logging.getLogger("segboost")

Callback = Callable[[Step], Any]


@dataclass(frozen=True, eq=False)
class Training:
    """The result of a finished or interrupted run."""

    ensemble: Ensemble
    history: tuple[Step, ...]
    certificate: Certificate


@dataclass(frozen=True, eq=False)
class Known:
    """An earlier fit to continue: its ensemble and its history."""

    ensemble: Ensemble
    history: tuple[Step, ...]


def train(
    task: Task,
    learners: Sequence[WeakLearner],
    options: SolverOptions,
    random_state: int | np.random.RandomState | np.random.Generator | None,
    callback: Callback | None = None,
    known: Known | None = None,
    checkpoint: Checkpoint | None = None,
) -> Training:
    """Run StructBoost on a task until it ends, a callback stops it or Ctrl-C is pressed.

    Parameters
    ----------
    task : Task
    learners : sequence of WeakLearner, one per channel
    options : SolverOptions
    random_state : int, None, RandomState or Generator
    callback : callable, optional
        Called with every Step; returning True ends the run.
    known : Known, optional
        Columns of an earlier fit to start with.
    checkpoint : Checkpoint, optional
        Read before the run if it exists, and written after every step.
    """
    loop = ColumnGeneration(task, learners, options, make_rng(random_state))
    history: list[Step] = []
    stages: list[FloatArray] = []
    done = 0
    if checkpoint is not None and checkpoint.exists():
        history, stages = checkpoint.read(loop)
    elif known is not None:
        ensemble = known.ensemble
        pairs = zip(ensemble.channel.tolist(), ensemble.hypotheses, strict=True)
        loop.add_known([Column(c, h) for c, h in pairs])
        history, stages = list(known.history), list(ensemble.stages)
        done = len(history)
    interrupted = False
    try:
        # On matrices this small, threaded linear algebra costs more than it saves.
        with interrupts_unwrapped(), threadpool_limits(limits=1, user_api="blas"):
            for step in loop.run(done):
                _note(step, loop.weights, history, stages)
                if checkpoint is not None:
                    checkpoint.write(loop, history, stages)
                log.info(
                    "round %d: objective %.6g, gap %.2g, %d columns, %d cuts",
                    step.iteration, step.objective, step.gap, step.n_columns, step.n_cuts,
                )  # fmt: skip
                if callback is not None and callback(step) is True:
                    break
    except KeyboardInterrupt:
        interrupted = True
        if not history:
            raise
        warnings.warn(
            f"interrupted after {len(history)} rounds; the model holds the best weights so far",
            ConvergenceWarning,
            stacklevel=3,
        )
    return _finish(task, loop, history, stages, interrupted)


def make_rng(
    random_state: int | np.random.RandomState | np.random.Generator | None,
) -> np.random.Generator:
    """Return the generator given by a `random_state` parameter."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def _note(step: Step, weights: FloatArray, history: list[Step], stages: list[FloatArray]) -> None:
    """Append the step, or replace the last one if the same round was solved again."""
    if history and step.iteration <= history[-1].iteration:
        history.pop()
        stages.pop()
    history.append(step)
    stages.append(weights.copy())


def _finish(
    task: Task,
    loop: ColumnGeneration,
    history: list[Step],
    stages: list[FloatArray],
    interrupted: bool,
) -> Training:
    n_stage = len(stages[-1])
    columns = loop.columns[:n_stage]
    ensemble = Ensemble(
        tuple(c.hypothesis for c in columns),
        np.array([c.channel for c in columns], dtype=np.intp),
        tuple(stages),
        len(task.channels),
    )
    certificate = loop.certificate()
    if interrupted:
        last = history[-1]
        certificate = replace(
            certificate,
            objective=last.objective,
            lower_bound=last.lower_bound,
            gap=last.gap,
            n_columns=last.n_columns,
            n_cuts=last.n_cuts,
            reason="interrupted",
        )
    elif not ensemble.weights.any():
        message = (
            f"C={loop.options.C:g} is so small that all weights are zero; try a larger C"
            if certificate.objective > 0
            else "all weights are zero: no output has a loss, so there is nothing to learn"
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=3)
    return Training(ensemble, tuple(history), certificate)
