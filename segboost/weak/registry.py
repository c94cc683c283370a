"""Registries of the weak learners by name and of the classes of stored hypotheses."""

from __future__ import annotations

from typing import Any

from segboost.weak.base import StorableHypothesis, WeakLearner
from segboost.weak.linear import LinearThreshold
from segboost.weak.linear_svm import LinearSVM
from segboost.weak.perceptron import Perceptron
from segboost.weak.ramp import Ramp, RampLearner
from segboost.weak.sampled_trees import SampledTrees
from segboost.weak.sigmoid import Sigmoid, SigmoidLearner
from segboost.weak.stump import DecisionStump, Stump
from segboost.weak.tree import ShallowTree, Tree

WEAK_LEARNERS: dict[str, type[Any]] = {
    "stump": DecisionStump,
    "tree": ShallowTree,
    "perceptron": Perceptron,
    "svm": LinearSVM,
    "ramp": RampLearner,
    "sigmoid": SigmoidLearner,
    "sampled trees": SampledTrees,
}
"""The weak learners that `make_weak_learner` creates by name."""

HYPOTHESES: dict[str, type[StorableHypothesis]] = {
    cls.kind: cls for cls in (Stump, Tree, LinearThreshold, Ramp, Sigmoid)
}
"""The class that reads stored hypotheses of each kind."""


def make_weak_learner(weak_learner: str | WeakLearner, **params: Any) -> WeakLearner:
    """Return the weak learner of this name, or the given object itself.

    Parameters
    ----------
    weak_learner : str or WeakLearner
        "stump", "tree", "perceptron", "svm", "ramp", "sigmoid" or "sampled trees".
    **params
        Parameters of the named learner; not allowed with an object, which has its own.

    Raises
    ------
    ValueError
        For an unknown name or parameter, or an object without `bind`.

    Examples
    --------
    >>> make_weak_learner("tree", max_depth=3)
    ShallowTree(max_depth=3, max_bins=255)
    """
    if isinstance(weak_learner, str):
        if weak_learner not in WEAK_LEARNERS:
            raise ValueError(f"weak_learner must be {_choices()}, got {weak_learner!r}")
        try:
            return WEAK_LEARNERS[weak_learner](**params)
        except TypeError as error:
            raise ValueError(f"weak_learner {weak_learner!r}: {error}") from None
    if isinstance(weak_learner, type) or not isinstance(weak_learner, WeakLearner):
        raise ValueError(f"weak_learner must be {_choices()}, got {weak_learner!r}")
    if params:
        names = ", ".join(sorted(params))
        raise ValueError(f"weak_learner is an object; set {names} on it instead")
    return weak_learner


def with_jobs(weak_learner: str | WeakLearner, n_jobs: int | None) -> WeakLearner:
    """Return the learner of this name, with `n_jobs` threads if it can use them."""
    threaded = isinstance(weak_learner, str) and weak_learner in ("perceptron", "svm", "sigmoid")
    return make_weak_learner(weak_learner, **({"n_jobs": n_jobs} if threaded else {}))


def _choices() -> str:
    return f"one of {', '.join(map(repr, WEAK_LEARNERS))} or an object with the method bind"
