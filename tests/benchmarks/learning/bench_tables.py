"""`segboost fit` without options against LightGBM and XGBoost, and its scaling with rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.datasets import load_digits
from xgboost import XGBClassifier

from segboost.datasets.tables.libsvm_sets import load_libsvm_set
from segboost.pipelines.tables.estimators import EstimatorSettings
from segboost.pipelines.tables.fit import fit_table
from tests.benchmarks.figures import Figure, at_most, cpu_seconds
from tests.benchmarks.problems.pen_strokes import pen_strokes

TITLE = "Tables: choice of C and fit, one thread, against LightGBM and XGBoost at default settings"
TIMES = 5.0
GROWTH = (1_000, 5_000, 20_000, 50_000)
SETTINGS = EstimatorSettings("multiclass", "auto")

Part = tuple[np.ndarray, np.ndarray]


def problems() -> Iterator[tuple[str, Part, Part]]:
    """Yield a name, training rows and test rows; the published test part if there is one."""
    root = Path(os.environ.get("SEGBOOST_DATA", ""))
    for name, n_train in (("satimage", 4435), ("usps", 7291)):
        pooled = load_libsvm_set(name, root)
        X, y = pooled.X, pooled.y
        yield name, (X[:n_train], y[:n_train]), (X[n_train:], y[n_train:])
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = order[: len(X) // 2], order[len(X) // 2 :]
    yield "digits (images)", (X[train], y[train]), (X[test], y[test])
    yield "digits (pen strokes)", pen_strokes(3747), pen_strokes(3500, 1)


def structboost(X: np.ndarray, y: np.ndarray) -> Any:
    return fit_table(X, y, SETTINGS).model


def lightgbm(X: np.ndarray, y: np.ndarray) -> Any:
    return LGBMClassifier(n_jobs=1, verbosity=-1, random_state=0).fit(X, y)


def xgboost(X: np.ndarray, y: np.ndarray) -> Any:
    return XGBClassifier(n_jobs=1, verbosity=0, random_state=0).fit(X, y)


def compare(name: str, train: Part, test: Part) -> list[Figure]:
    classes = np.unique(train[1])
    X, y = train[0], np.searchsorted(classes, train[1])
    truth = np.searchsorted(classes, test[1])
    figures, seconds, errors = [], {}, {}
    for title, method in (
        ("StructBoost", structboost),
        ("LightGBM", lightgbm),
        ("XGBoost", xgboost),
    ):
        seconds[title], model = cpu_seconds(lambda method=method: method(X, y))
        errors[title] = 100 * float(np.mean(model.predict(test[0]) != truth))
        figures.append(Figure(f"{name}, {title}, test error", errors[title], "%"))
        figures.append(Figure(f"{name}, {title}, CPU time", seconds[title], "s"))
    ours, best = errors["StructBoost"], min(("LightGBM", "XGBoost"), key=errors.__getitem__)
    ratio = seconds["StructBoost"] / seconds[best]
    figures.append(at_most(f"{name}, error − {best}'s", ours - errors[best], 0.0, "%"))
    figures.append(at_most(f"{name}, time / {best}'s", ratio, TIMES, "times"))
    return figures


def run() -> list[Figure]:
    warnings.simplefilter("ignore")
    structboost(*pen_strokes(300))  # compiles the kernels
    figures = [f for problem in problems() for f in compare(*problem)]
    test, truth = pen_strokes(5000, 1)
    for n in GROWTH:
        X, y = pen_strokes(n)
        for title, method in (("StructBoost", structboost), ("LightGBM", lightgbm)):
            seconds, model = cpu_seconds(lambda m=method, X=X, y=y: m(X, y))
            error = 100 * float(np.mean(model.predict(test) != truth))
            figures.append(Figure(f"pen strokes, {n} rows, {title}, CPU time", seconds, "s"))
            figures.append(Figure(f"pen strokes, {n} rows, {title}, test error", error, "%"))
    return figures
