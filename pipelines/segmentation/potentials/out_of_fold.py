"""Out-of-fold learning: score every row by a model that did not see its fold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np
from joblib import Parallel, delayed

from segboost._types import BoolArray, FloatArray, Int64Array
from segboost.pipelines.segmentation.potentials.folds import has_two_classes

Model = TypeVar("Model")


class FoldLearner(Protocol[Model]):
    """A learner and its table of N rows, divided into folds."""

    @property
    def fold(self) -> Int64Array:
        """The fold of every row, shape (N,)."""

    @property
    def labels(self) -> Int64Array:
        """The class of every row, shape (N,)."""

    @property
    def known(self) -> BoolArray:
        """The rows that may be learned from, shape (N,)."""

    def fit(self, rows: Int64Array, part: int) -> Model:
        """Return a model learned from these rows; `part` is the left-out fold or their number."""

    def score(self, model: Model, rows: Int64Array) -> FloatArray:
        """Return the scores of these rows, in their order: one each, or one per class."""


@dataclass(frozen=True, eq=False)
class Learned(Generic[Model]):
    """The model of all rows, and the out-of-fold scores.

    Parameters
    ----------
    model : object
        Fitted to all rows, or the mean of this model and those fitted without a fold.
    out_of_fold : ndarray of shape (N,) or (N, K)
        The score of every row by a model fitted without its fold. With a single fold these are
        the scores of `model`.
    """

    model: Model
    out_of_fold: FloatArray


Run = Callable[[Callable[[Any, Any], Any], Any, Sequence[Any]], Iterable[Any]]
"""Calls ``function(shared, item)`` for all items and returns the results in their order."""


def learn_out_of_fold(
    learner: FoldLearner[Model],
    run: Run | None = None,
    one_class: Literal["zero", "in sample"] = "zero",
    report: Callable[[int, int], Any] | None = None,
    mean: Callable[[Sequence[Model]], Model] | None = None,
) -> Learned[Model]:
    """Fit one model without each fold and one on everything.

    Parameters
    ----------
    learner : FoldLearner
    run : callable, optional
        How the parts are run: one after the other by default, `in_threads` or a parallel map.
        The result does not depend on it.
    one_class : {"zero", "in sample"}
        The scores of a fold if all other folds have a single class: 0, which favours no class, or
        those of the resulting model.
    report : callable, optional
        Called with the number of parts learned so far and of all parts.
    mean : callable, optional
        Returns the model whose scores are the mean of the scores of models. If given, the
        result's model is the mean of all fitted ones. It varies less than the model of all rows,
        at no further cost in training, and is about as confident as the out-of-fold scores.
    """
    folds = [int(k) for k in np.unique(learner.fold)]
    parts: list[int | None] = [None, *(folds if len(folds) > 1 else [])]  # see count_parts
    found = []
    for part in (run or in_order)(learn_part, (learner, mean is not None), parts):
        found.append(part)
        if report is not None:
            report(len(found), len(parts))
    final, *by_fold = found
    model = final[0]
    models = [fitted for fitted, _ in found if fitted is not None]
    if mean is not None and len(models) > 1:
        model = mean(models)
    if not by_fold:
        return Learned(model, learner.score(model, np.arange(len(learner.fold))))
    shape = next((held.shape[1:] for _, held in by_fold if held is not None), ())
    scores = np.zeros((len(learner.fold), *shape))
    for k, (_, held) in zip(folds, by_fold, strict=True):
        if held is not None:
            scores[learner.fold == k] = held
        elif one_class == "in sample":
            scores[learner.fold == k] = learner.score(model, np.flatnonzero(learner.fold == k))
    return Learned(model, scores)


def count_parts(fold: Int64Array) -> int:
    """Return the number of models that are learned: of all rows, and without each fold."""
    n_folds = len(np.unique(fold))
    return 1 + (n_folds if n_folds > 1 else 0)


def learn_part(
    shared: tuple[FoldLearner[Model], bool], left_out: int | None
) -> tuple[Model | None, FloatArray | None]:
    """Return the model of all rows and None; or a model and the scores of its left-out fold.

    Both are None if the other folds have a single class. The second entry of `shared` says whether
    to return the models without a fold; otherwise only their scores are sent back.
    """
    learner, keep = shared
    if left_out is None:
        part = len(np.unique(learner.fold))
        return learner.fit(np.flatnonzero(learner.known), part), None
    rows = np.flatnonzero(learner.known & (learner.fold != left_out))
    if not has_two_classes(learner.labels, rows):
        return None, None
    held = np.flatnonzero(learner.fold == left_out)
    model = learner.fit(rows, left_out)
    return model if keep else None, learner.score(model, held)


def in_order(
    function: Callable[[Any, Any], Any], shared: Any, items: Sequence[Any]
) -> Iterable[Any]:
    """Call the function for one item after the other."""
    return (function(shared, item) for item in items)


def in_threads(n_jobs: int) -> Run:
    """Return a map over threads that share memory; the work must release the interpreter lock."""

    def run(
        function: Callable[[Any, Any], Any], shared: Any, items: Sequence[Any]
    ) -> Iterable[Any]:
        jobs = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")
        found: Iterable[Any] = jobs(delayed(function)(shared, item) for item in items)
        return found

    return run
