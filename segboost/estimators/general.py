"""StructBoost on any task: the general estimator of the library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from segboost._types import FloatArray
from segboost.estimators.base import BaseStructBoost
from segboost.solver.atoms import Task
from segboost.weak.base import WeakLearner
from segboost.weak.registry import with_jobs


class StructBoost(BaseStructBoost):
    """Boosting for structured outputs: ``min 1ᵀw + C Σ_b ξ_b`` over weak learners and cuts.

    A task (see `segboost.solver.atoms.Task`) holds the data and defines what is learned; a task
    without labels holds the data to predict.

    Parameters
    ----------
    C : float
        Price of slack; larger values fit the training data more closely.
    n_iterations : int
        Maximum number of rounds; each adds at most one weak learner per channel (sampled trees:
        several).
    weak_learner : str, WeakLearner or a sequence of them
        One for all channels ("stump", "tree", "perceptron", "svm", "ramp", "sigmoid", "sampled
        trees" or an object), or one per channel.
    slack : "auto", "one", "each" or int
        Slack variables: a single one, one per example, or that many blocks of examples. The
        optimum is the same; "auto" uses one per example up to 5,000, then 5,000 blocks.
    gap : float
        Final relative gap of the cutting planes.
    epsilon_cg : float
        The fit ends when no new column scores more than 1 + epsilon_cg.
    epsilon_cp : float, optional
        The paper's absolute precision of the cutting planes, instead of the relative gap.
    method : "default" or "literal"
        "literal" is the paper's algorithm with its misprints corrected, for reference: primal LP,
        all cuts kept, no stabilisation, one column per round. It reaches the same optimum more
        slowly.
    n_jobs : int, optional
        Threads used to search for perceptrons, sigmoids and SVMs; it does not affect the model.
    warm_start : bool
        Whether another fit starts with the columns of the last one; `n_iterations` then counts
        the rounds of both.
    random_state : int, RandomState, Generator or None
        Breaks ties in the loss when the first outputs are chosen.
    callback : callable, optional
        Called with the `Step` of every round; returning True ends the fit.
    checkpoint : path, optional
        A folder written after every round. If it exists, the fit resumes from it and ends with
        the same model as an uninterrupted fit.

    Attributes
    ----------
    ensemble_ : Ensemble
    history_ : list of Step
    certificate_ : Certificate
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from segboost.tasks.multiclass import MulticlassTask
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> y = np.array([0, 0, 1, 1, 2, 2])
    >>> model = StructBoost(C=100, random_state=0).fit(MulticlassTask(X, y, 3))
    >>> model.predict(MulticlassTask(X, None, 3))
    array([0, 0, 1, 1, 2, 2])
    """

    def fit(self, task: Task, y: None = None) -> Self:
        """Learn the task; `y` is ignored because the task holds the labels."""
        _check_task(task)
        return self._fit_task(task)

    def predict(self, task: Task) -> Any:
        """Return the highest-scoring outputs of the task's data: ``task.decode(scores)``."""
        return task.decode(self.atom_scores(task))

    def atom_scores(self, task: Task) -> FloatArray:
        """Return Φw on the task's atoms, shape (N,)."""
        check_is_fitted(self)
        _check_task(task)
        return self._atom_scores(task)

    def staged_predict(self, task: Task) -> Iterator[Any]:
        """Yield the predictions of the model after every round."""
        check_is_fitted(self)
        _check_task(task)
        for scores in self.ensemble_.staged_scores([c.features for c in task.channels]):
            yield task.decode(self._atom_scores(task, scores))

    def _learners(self, task: Task) -> list[WeakLearner]:
        given: Any = self.weak_learner
        if isinstance(given, (list, tuple)):
            return [with_jobs(learner, self.n_jobs) for learner in given]
        return super()._learners(task)


def _check_task(task: Any) -> None:
    """Raise ValueError naming the members that an object lacks to be a task."""
    needed = ("exact", "channels", "n_blocks", "separate", "decode")
    missing = [name for name in needed if not hasattr(task, name)]
    if missing:
        raise ValueError(
            f"task must have {', '.join(needed)}; {type(task).__name__} lacks {', '.join(missing)}"
        )
