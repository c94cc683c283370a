"""Base class of the estimators: parameters, the fitted ensemble and saving."""

from __future__ import annotations

import os
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from segboost._types import FloatArray, Slack
from segboost.estimators.checkpoint import Checkpoint, fingerprint, stable_text
from segboost.estimators.training import Callback, Known, train
from segboost.solver.atoms import Task, atom_offsets
from segboost.solver.ensemble import Ensemble
from segboost.solver.options import SolverOptions
from segboost.solver.steps import Certificate, Step
from segboost.storage.savable import Savable
from segboost.weak.base import WeakLearner
from segboost.weak.registry import with_jobs

MOST_BLOCKS = 5000
"""Above this number of examples, "auto" groups them into blocks: the LP has one row per block."""

Method = Literal["default", "literal"]


class BaseStructBoost(Savable, BaseEstimator):
    """Parameters shared by all StructBoost estimators, and their use in a fit.

    Subclasses list the parameters in their own constructors, as scikit-learn requires, build a
    task from their data and pass it to `_fit_task`.
    """

    ensemble_: Ensemble
    history_: list[Step]
    certificate_: Certificate
    n_iter_: int

    def __init__(
        self,
        C: float = 100.0,
        n_iterations: int = 200,
        weak_learner: str | WeakLearner = "stump",
        slack: Slack | Literal["auto"] = "auto",
        gap: float = 1e-3,
        epsilon_cg: float = 1e-3,
        epsilon_cp: float | None = None,
        method: Method = "default",
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.C = C
        self.n_iterations = n_iterations
        self.weak_learner = weak_learner
        self.slack = slack
        self.gap = gap
        self.epsilon_cg = epsilon_cg
        self.epsilon_cp = epsilon_cp
        self.method = method
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.callback = callback
        self.checkpoint = checkpoint

    def _auto_slack(self, task: Task) -> Slack:
        """Return the slack form selected by ``slack="auto"``."""
        return "each" if task.n_blocks("each") <= MOST_BLOCKS else MOST_BLOCKS

    def _learners(self, task: Task) -> list[WeakLearner]:
        """Return one weak learner per channel."""
        learner = with_jobs(self.weak_learner, self.n_jobs)
        return [learner for _ in task.channels]

    def _options(self, task: Task) -> SolverOptions:
        if self.method not in ("default", "literal"):
            raise ValueError(f"method must be 'default' or 'literal', got {self.method!r}")
        slack = (
            self._auto_slack(task)
            if isinstance(self.slack, str) and self.slack == "auto"
            else self.slack
        )
        options = SolverOptions(
            C=self.C,
            n_iterations=self.n_iterations,
            slack=slack,
            gap=self.gap,
            epsilon_cp=self.epsilon_cp,
            epsilon_cg=self.epsilon_cg,
        )
        task.n_blocks(slack)  # raises if the slack does not fit the data
        return options.literal() if self.method == "literal" else options

    def _fit_task(self, task: Task, number: int = 0) -> Self:
        """Learn the task; set `ensemble_`, `history_`, `certificate_` and `n_iter_`.

        A fit that solves several problems in turn numbers them: each has its own checkpoint, and
        only the first continues an earlier fit.
        """
        options = self._options(task)
        learners = self._learners(task)
        checkpoint = None
        if self.checkpoint is not None:
            extra = (stable_text(learners), stable_text(self.random_state))
            place = f"{os.fspath(self.checkpoint)}-{number}" if number else self.checkpoint
            checkpoint = Checkpoint(place, fingerprint(task, options, extra))
        known = None if number else self._known(task)
        result = train(task, learners, options, self.random_state, self.callback, known, checkpoint)
        self.ensemble_ = result.ensemble
        self.history_ = list(result.history)
        self.certificate_ = result.certificate
        self.n_iter_ = max(1, len(self.history_))
        return self

    def _known(self, task: Task) -> Known | None:
        if not self.warm_start or not hasattr(self, "ensemble_"):
            return None
        if self.ensemble_.n_channels != len(task.channels):
            raise ValueError(
                "warm_start needs data with the same channels: the last fit had "
                f"{self.ensemble_.n_channels}, this one has {len(task.channels)}"
            )
        return Known(self.ensemble_, tuple(self.history_))

    def _atom_scores(
        self, task: Task, ensemble_scores: list[FloatArray] | None = None
    ) -> FloatArray:
        """Return the atom scores Φw of a task's data, shape (N,)."""
        if ensemble_scores is None:
            ensemble_scores = self.ensemble_.scores([c.features for c in task.channels])
        scores = np.concatenate([np.zeros(0), *ensemble_scores])
        assert len(scores) == atom_offsets(task.channels)[-1]
        return scores
