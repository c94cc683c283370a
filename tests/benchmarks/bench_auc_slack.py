"""The paper's AUC sets: the default solver against m-slack and 1-slack; satimage in minutes."""

from __future__ import annotations

import os

import numpy as np

from segboost import StructBoostRanker
from tests.benchmarks.figures import Figure, at_least, at_most, cpu_seconds

TITLE = "AUC on sets of the paper, C = 100, stumps (none without SEGBOOST_DATA)"
GAP = 1e-2
SETS = ("vowel", "svmguide2", "segment")
FORMS = {"default": "auto", "1-slack": "one", "m-slack": "each"}


def training_half(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The first repeat's training part; the first class is positive."""
    from segboost.datasets.libsvm_sets import load_libsvm_set
    from segboost.pipelines.reproduce_auc import first_against_rest
    from segboost.pipelines.table_splits import split_rows

    table = load_libsvm_set(name, os.environ["SEGBOOST_DATA"])
    rows = split_rows(len(table.X), 0).train
    return table.X[rows], first_against_rest(table.y)[rows]


def fit(name: str, slack: str) -> tuple[float, StructBoostRanker]:
    X, y = training_half(name)
    model = StructBoostRanker(C=100.0, n_iterations=200, gap=GAP, slack=slack, random_state=0)
    return cpu_seconds(lambda: model.fit(X, y))


def run() -> list[Figure]:
    if not os.environ.get("SEGBOOST_DATA"):
        return []
    X, y = training_half("vowel")
    StructBoostRanker(C=1.0, n_iterations=2).fit(X, y)  # compiles the kernels
    figures, total = [], dict.fromkeys(FORMS, 0.0)
    for name in SETS:
        fits = {form: fit(name, slack) for form, slack in FORMS.items()}
        for form, (seconds, _) in fits.items():
            total[form] += seconds
            figures.append(Figure(f"{name}, {form}", seconds, "s"))
        objectives = [model.certificate_.objective for _, model in fits.values()]
        difference = np.ptp(objectives) / min(objectives)
        worst = max(model.certificate_.gap for _, model in fits.values())
        figures.append(at_most(f"{name}, difference of the objectives", difference, 2 * GAP, ""))
        figures.append(at_most(f"{name}, worst certified gap", worst, GAP, ""))
    seconds, model = fit("satimage", "auto")
    return [
        *figures,
        at_least("m-slack / default, all three", total["m-slack"] / total["default"], 10, "times"),
        Figure("1-slack / default, all three", total["1-slack"] / total["default"], "times"),
        at_most("satimage, default", seconds, 600, "s"),
        at_most("satimage, certified gap", model.certificate_.gap, GAP, ""),
    ]
