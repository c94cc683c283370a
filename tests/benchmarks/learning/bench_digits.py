"""Multi-class on scikit-learn's digits, against the usual alternatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import AdaBoostClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from segboost import StructBoostClassifier
from tests.benchmarks.figures import Figure, at_most, cpu_seconds

TITLE = "Digits, 50/25/25, 5 repeats, C and weak learner chosen on the validation part"
REPEATS = 5
CHOICES = [("perceptron", 30.0), ("perceptron", 100.0), ("perceptron", 300.0), ("tree", 100.0)]


def parts(repeat: int) -> list[tuple[np.ndarray, np.ndarray]]:
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(repeat).permutation(len(X))
    half, quarter = len(X) // 2, len(X) // 4
    rows = order[:half], order[half : half + quarter], order[half + quarter :]
    return [(X[r], y[r]) for r in rows]


def structboost(weak_learner: str, C: float) -> StructBoostClassifier:
    return StructBoostClassifier(
        C=C, n_iterations=60, weak_learner=weak_learner, gap=1e-2, random_state=0
    )


def chosen(make: Callable[..., Any], choices: list[tuple], repeat: int) -> tuple[float, str]:
    """Return the test error of the candidate that is best on the validation part, and its name."""
    train, validation, test = parts(repeat)
    models = [make(*choice).fit(*train) for choice in choices]
    best = int(np.argmax([model.score(*validation) for model in models]))
    return 1.0 - models[best].score(*test), str(choices[best])


def svm(C: float) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(StandardScaler(), OneVsRestClassifier(LinearSVC(C=C, max_iter=5000)))


def xgboost(rounds: int) -> Any:
    return XGBClassifier(n_estimators=rounds, n_jobs=1, verbosity=0)


def samme(rounds: int) -> Any:
    return AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=rounds)


def run() -> list[Figure]:
    warnings.simplefilter("ignore")
    train = parts(0)[0]
    structboost("stump", 100.0).set_params(n_iterations=1).fit(*train)  # compiles the kernels
    columns = StructBoostClassifier(C=100.0, n_iterations=20, random_state=0)
    seconds, _ = cpu_seconds(lambda: columns.fit(*train))
    full, _ = cpu_seconds(lambda: StructBoostClassifier(C=100.0, random_state=0).fit(*train))
    ours = [chosen(structboost, CHOICES, r)[0] for r in range(REPEATS)]
    linear = [chosen(svm, [(0.001,), (0.01,), (0.1,), (1.0,)], r)[0] for r in range(REPEATS)]
    boosted = [chosen(xgboost, [(100,), (300,)], r)[0] for r in range(REPEATS)]
    plain = [chosen(samme, [(200,), (1000,)], r)[0] for r in range(REPEATS)]
    mean = 100 * np.mean(ours)
    return [
        at_most("StructBoost, test error", mean, 5.0, "%"),
        Figure("StructBoost, deviation", 100 * np.std(ours), "%"),
        Figure("XGBoost, test error", 100 * np.mean(boosted), "%"),
        Figure("1-vs-all linear SVM, test error", 100 * np.mean(linear), "%"),
        at_most("StructBoost − AdaBoost SAMME", mean - 100 * np.mean(plain), 0.0, "%"),
        at_most(
            "StructBoost − better of XGBoost and SVM",
            mean - 100 * min(np.mean(boosted), np.mean(linear)),
            0.5,
            "%",
        ),
        at_most(f"fit of {columns.certificate_.n_columns} stump columns", seconds, 15.0, "s"),
        Figure("fit to the optimum over all stumps", full, "s"),
    ]
