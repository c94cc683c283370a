"""Small methods for the tests of the protocol, in a module that workers can import."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np

from segboost.pipelines.experiments.protocol.table_method import TableMethod


class Threshold:
    """Predicts 1 above a threshold of the first feature."""

    def __init__(self, threshold, seed):
        self.threshold = threshold
        self.seed = seed

    def predict(self, X):
        return (X[:, 0] > self.threshold).astype(int)


def fit(X, y, candidate, seed):
    return Threshold(candidate["threshold"], seed)


def fit_and_log(X, y, candidate, seed):
    """Leave a file for every fit, so that tests can count fits."""
    folder = Path(os.environ["FIT_LOG"])
    (folder / f"{len(X)}-{candidate['threshold']}-{seed}").touch()
    return fit(X, y, candidate, seed)


def fit_until_killed(X, y, candidate, seed):
    """Kill the process at the third candidate, as an operator would."""
    if candidate["threshold"] == 0.6 and "KILL" in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)
    return fit_and_log(X, y, candidate, seed)


def measure(model, X, y):
    return {"error": float(np.mean(model.predict(X) != y)), "accuracy": model_accuracy(model, X, y)}


def model_accuracy(model, X, y):
    return float(np.mean(model.predict(X) == y))


def curves(model, X, y):
    return {"error": np.array([1.0, measure(model, X, y)["error"]])}


def describe(model):
    return {"seed": model.seed}


THRESHOLDS = tuple({"threshold": t} for t in (0.2, 0.4, 0.6))


def method(name="threshold", fit=fit, candidates=THRESHOLDS, **rest):
    return TableMethod(name, candidates, fit, measure, curves=curves, describe=describe, **rest)


def table(n=80, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    return X, ((X[:, 0] > 0.4) ^ (rng.random(n) < 0.1)).astype(int)
