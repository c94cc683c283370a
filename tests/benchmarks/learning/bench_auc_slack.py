"""The paper's AUC sets: the default solver against m-slack and 1-slack; satimage."""

from __future__ import annotations

import multiprocessing
import os
import resource
from dataclasses import dataclass
from multiprocessing.connection import Connection

import numpy as np

from segboost import StructBoostRanker
from tests.benchmarks.figures import Figure, at_least, at_most, cpu_seconds

TITLE = "AUC on the paper's data sets, C = 100, stumps (needs SEGBOOST_DATA)"
GAP = 1e-2
SETS = ("vowel", "svmguide2", "segment")
FORMS = {"default": "auto", "1-slack": "one", "m-slack": "each"}
LIMIT = 240
"""CPU seconds after which a fit is stopped: m-slack on segment has 170,694 slack variables. The
time of a fit that was stopped is a lower bound, and so is the ratio to it."""


@dataclass(frozen=True)
class Fit:
    """CPU seconds, and the certificate if the fit was not stopped."""

    seconds: float
    objective: float | None = None
    gap: float | None = None


def training_half(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the training part of the first repeat; the first class is positive."""
    from segboost.datasets.tables.libsvm_sets import load_libsvm_set
    from segboost.pipelines.experiments.protocol.table_splits import split_rows
    from segboost.pipelines.experiments.reproduce.reproduce_auc import first_against_rest

    table = load_libsvm_set(name, os.environ["SEGBOOST_DATA"])
    rows = split_rows(len(table.X), 0).train
    return table.X[rows], first_against_rest(table.y)[rows]


def fit(name: str, slack: str) -> Fit:
    """Fit in a separate process, limited to `LIMIT` seconds of CPU time."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work, args=(there, name, slack))
    process.start()
    there.close()
    try:
        return here.recv()
    except EOFError:  # stopped by the limit
        return Fit(LIMIT)
    finally:
        process.join()


def work(answer: Connection, name: str, slack: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    X, y = training_half(name)
    model = StructBoostRanker(C=100.0, n_iterations=200, gap=GAP, slack=slack, random_state=0)
    seconds, _ = cpu_seconds(lambda: model.fit(X, y))
    answer.send(Fit(seconds, model.certificate_.objective, model.certificate_.gap))


def of_set(name: str, fits: dict[str, Fit]) -> list[Figure]:
    """Return the times on a set, and a check that all forms found the same optimum."""
    ended = [f for f in fits.values() if f.objective is not None and f.gap is not None]
    stopped = [form for form, f in fits.items() if f not in ended]
    figures = [
        Figure(f"{name}, {form}{', stopped' if form in stopped else ''}", f.seconds, "s")
        for form, f in fits.items()
    ]
    objectives = [f.objective for f in ended]
    difference = np.ptp(objectives) / min(objectives)
    figures.append(at_most(f"{name}, difference between the objectives", difference, 2 * GAP, ""))
    worst = max(f.gap for f in ended)
    return [*figures, at_most(f"{name}, worst certified gap", worst, GAP, "")]


def run() -> list[Figure]:
    if not os.environ.get("SEGBOOST_DATA"):
        return []
    X, y = training_half("vowel")
    StructBoostRanker(C=1.0, n_iterations=2).fit(X, y)  # compiles the kernels
    fits = {name: {form: fit(name, slack) for form, slack in FORMS.items()} for name in SETS}
    total = {form: sum(of[form].seconds for of in fits.values()) for form in FORMS}
    satimage = fit("satimage", "auto")
    return [
        *(figure for name, of in fits.items() for figure in of_set(name, of)),
        at_least("m-slack / default, all three", total["m-slack"] / total["default"], 10, "times"),
        Figure("1-slack / default, all three", total["1-slack"] / total["default"], "times"),
        at_most("satimage, default", satimage.seconds, 600, "s"),
        at_most("satimage, certified gap", satimage.gap or 1.0, GAP, ""),
    ]
