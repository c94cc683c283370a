"""The multi-class structured SVM against dlib's solver: same problem, same precision."""

from __future__ import annotations

from typing import Any

import dlib
import numpy as np
from sklearn.datasets import load_digits

from segboost.baselines import StructuredSVMClassifier
from tests.benchmarks.figures import Figure, at_least, at_most, cpu_seconds

TITLE = "Structured SVM on digits (1797 × 65, 10 classes), C = 30, to a relative gap of 1 %"
C, GAP = 30.0, 0.01


class Problem:
    """½‖θ‖² + C · mean of the structured hinge loss, in the form that dlib expects."""

    def __init__(self, X: np.ndarray, y: np.ndarray, epsilon: float) -> None:
        self.X, self.y = X, y
        self.k = int(y.max()) + 1
        self.C = C
        self.epsilon = epsilon
        self.num_samples = len(y)
        self.num_dimensions = self.k * X.shape[1]
        self.be_verbose = False
        self.learns_nonnegative_weights = False
        self.max_cache_size = 0
        self.calls = 0

    def feature(self, i: int, label: int) -> dlib.vector:
        values = np.zeros((self.k, self.X.shape[1]))
        values[label] = self.X[i]
        return dlib.vector(values.ravel().tolist())

    def get_truth_joint_feature_vector(self, i: int) -> dlib.vector:
        return self.feature(i, self.y[i])

    def separation_oracle(self, i: int, solution: Any) -> tuple[float, dlib.vector]:
        self.calls += 1
        theta = np.array(solution).reshape(self.k, -1)
        scores = theta @ self.X[i] + (np.arange(self.k) != self.y[i])
        label = int(scores.argmax())
        return float(label != self.y[i]), self.feature(i, label)


def objective(theta: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    rows = np.arange(len(y))
    scores = X @ theta.T + 1.0
    scores[rows, y] -= 1.0
    loss = scores.max(axis=1) - scores[rows, y]
    return float(0.5 * (theta**2).sum() + C * loss.mean())


def run() -> list[Figure]:
    X, y = load_digits(return_X_y=True)
    X = np.column_stack([X / 16.0, np.ones(len(X))])
    ours = StructuredSVMClassifier(C=C, gap=GAP, fit_intercept=False)
    ours.fit(X[:100], y[:100])  # compiles
    seconds, model = cpu_seconds(lambda: ours.fit(X, y))
    reached = model.certificate_.objective
    # dlib's epsilon is absolute, in units of the mean loss.
    problem = Problem(X, y, GAP * reached / C)
    theirs, solution = cpu_seconds(lambda: dlib.solve_structural_svm_problem(problem))
    other = objective(np.array(solution).reshape(10, -1), X, y)
    return [
        Figure("StructuredSVMClassifier", seconds, "s"),
        Figure("dlib, with its oracle in NumPy", theirs, "s"),
        at_least("faster than dlib", theirs / seconds, 1, "times"),
        Figure("passes over the examples, ours", model.n_iter_, ""),
        Figure("passes over the examples, dlib", problem.calls / len(y), ""),
        at_most("certified relative gap", model.certificate_.gap, GAP, ""),
        at_most(
            "relative difference between the objectives", abs(other / reached - 1), 2 * GAP, ""
        ),
    ]
