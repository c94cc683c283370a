"""Learn from a table: choose C on a validation part, then fit on all rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from segboost._types import AnyArray, IntArray
from segboost.estimators.base import BaseStructBoost
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.runtime.worker_lifetime import ends_with_this_process
from segboost.pipelines.tables.estimators import MEASURES, EstimatorSettings, as_loss, measure
from segboost.progress import (
    Progress,
    QuietProgress,
    Report,
    step_reporter,
    track,
)

CANDIDATES = (1.0, 4.0, 16.0, 63.0, 250.0, 1000.0)
"""Candidates for C: six values from 1 to 1000, evenly spaced on a logarithmic scale."""

AUTO_CANDIDATES = (16.0, 63.0, 250.0)
"""Candidates of automatic classifiers, whose results depend little on C."""

VALIDATION_SHARE = 0.25


@dataclass(frozen=True)
class Trial:
    """A candidate C and its measures on the validation rows."""

    C: float
    measures: dict[str, float]


@dataclass(frozen=True, eq=False)
class TableFit:
    """The result of learning from a table.

    Parameters
    ----------
    model : fitted estimator
    C : float
    measures : dict
        Measures on the training rows.
    trials : tuple of Trial
        Empty if C was given.
    n_validation : int
        Number of rows that C was chosen on.
    warnings : tuple of str
        Warnings of the final fit.
    """

    model: BaseStructBoost
    C: float
    measures: dict[str, float]
    trials: tuple[Trial, ...] = ()
    n_validation: int = 0
    warnings: tuple[str, ...] = ()


def fit_table(
    X: AnyArray,
    y: AnyArray,
    settings: EstimatorSettings,
    C: float | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    candidates: Sequence[float] | None = None,
) -> TableFit:
    """Learn a model; if C is not given, choose it on a quarter of the rows first.

    Parameters
    ----------
    X : ndarray or sparse array of shape (N, d)
    y : ndarray of shape (N,)
        As `LabelRule.encode` returns it.
    settings : EstimatorSettings
    C : float, optional
    n_jobs : int
        Number of processes that try candidates; the model does not depend on it.
    progress : Progress, optional
    candidates : sequence of float

    Raises
    ------
    ValueError
        If there are too few rows to choose C on.
    """
    display = progress or QuietProgress()
    trials: tuple[Trial, ...] = ()
    n_validation = 0
    with single_threaded():
        prepared = _prepare(X, y, settings, display) if settings.is_automatic else None
        if C is None:
            train, validation = split_validation(y, settings.seed)
            n_validation = len(validation)
            given = X if prepared is None else prepared.rows
            candidates = candidates or (AUTO_CANDIDATES if prepared else CANDIDATES)
            jobs = (
                delayed(ends_with_this_process(_try))(given, y, train, validation, settings, c)
                for c in candidates
            )
            done = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
            trials = tuple(track(done, display, "choice of C", len(candidates)))
            main = MEASURES[settings.task]
            # On a tie take the smallest C, which gives the simpler model.
            C = min(trials, key=lambda t: (as_loss(settings.task, t.measures[main]), t.C)).C
        report = step_reporter(display, "fit", settings.rounds, f"C = {C:g}")
        model = settings.make(C, n_jobs) if prepared is None else prepared.model
        model, caught = _fit(model.set_params(C=C, callback=report), X, y, prepared)
        display(Report("fit", model.n_iter_, settings.rounds, finished=True))
        # The display and the number of threads are not part of the model.
        model.callback, model.n_jobs = None, None
        return TableFit(model, C, measure(model, X, y), trials, n_validation, caught)


def split_validation(y: AnyArray, seed: int) -> tuple[IntArray, IntArray]:
    """Return training and validation rows: a quarter of each class is held out, at least one row.

    Classes of a single row stay in the training part.
    """
    rng = np.random.default_rng([seed, 25])
    train, validation = [], []
    for value in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == value))
        n = max(1, int(VALIDATION_SHARE * len(rows))) if len(rows) > 1 else 0
        validation.append(rows[:n])
        train.append(rows[n:])
    chosen = np.sort(np.concatenate(validation))
    if len(np.unique(y[chosen])) < 2:
        raise ValueError(
            f"{len(y)} rows are too few to choose C on: expected two classes with two rows or "
            "more, or give --C"
        )
    return np.sort(np.concatenate(train)), chosen


@dataclass(frozen=True, eq=False)
class _Prepared:
    """An automatic classifier with its boosted trees, and the rows with their scores."""

    model: Any
    rows: AnyArray
    codes: IntArray


def _prepare(X: AnyArray, y: AnyArray, settings: EstimatorSettings, display: Progress) -> _Prepared:
    display(Report("boosted trees", 0, 1))
    model: Any = settings.make(CANDIDATES[0], None, None, y, sparse.issparse(X))
    with warnings.catch_warnings():
        _ignore_doubts()
        rows, codes = model.prepare(X, y)
    display(Report("boosted trees", 1, 1, finished=True))
    return _Prepared(model, rows, codes)


def _ignore_doubts() -> None:
    """Ignore warnings about the table itself: `find_doubts` reports them before the work."""
    warnings.filterwarnings("ignore", message="The number of unique classes")
    warnings.filterwarnings("ignore", message=r"column \d+ of X holds \d+ different")


def _try(
    X: AnyArray,
    y: AnyArray,
    train: IntArray,
    validation: IntArray,
    settings: EstimatorSettings,
    C: float,
) -> Trial:
    """Fit the training part; with boosted trees, X has their scores as its last columns."""
    model: Any = settings.make(C, 1, None, y[train])
    if settings.is_automatic:
        model.set_params(boosted_trees=0)
    _fit(model, X[train], y[train])
    return Trial(C, measure(model, X[validation], y[validation]))


def _fit(
    model: Any, X: AnyArray, y: AnyArray, prepared: _Prepared | None = None
) -> tuple[BaseStructBoost, tuple[str, ...]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _ignore_doubts()
        if prepared is None:
            model.fit(X, y)
        else:
            model.fit_prepared(prepared.rows, prepared.codes, None)
    return model, tuple(dict.fromkeys(" ".join(str(w.message).split()) for w in caught))
