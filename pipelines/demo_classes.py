"""Demonstration, part two: handwritten digits, and bounds that close on the optimum."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits

from segboost._types import IntArray
from segboost.baselines.adaboost_mh import AdaBoostMH
from segboost.estimators.multiclass import StructBoostClassifier
from segboost.solver.steps import Certificate, Step

C = 30.0
ROUNDS = {"perceptron": 20, "stump": 60}
REFERENCE_ROUNDS = 200


@dataclass(frozen=True)
class Curve:
    """The learning curve of one weak learner.

    `errors` holds the test error after every round, `history` the steps of the solver.
    """

    weak_learner: str
    errors: list[float]
    history: list[Step]
    certificate: Certificate

    @property
    def error(self) -> float:
        """The final test error."""
        return self.errors[-1]

    @property
    def rounds(self) -> int:
        """How many rounds were done."""
        return len(self.history)


@dataclass(frozen=True)
class DigitsDemo:
    """Both curves, and the error of AdaBoost.MH on the same split."""

    n_train: int
    n_test: int
    curves: list[Curve]
    reference: float

    def figures(self) -> dict[str, Any]:
        """Return the numbers for ``demo.json``."""
        return {
            "n_train": self.n_train,
            "n_test": self.n_test,
            "C": C,
            "adaboost_mh_error": self.reference,
            "curves": [
                {
                    "weak_learner": c.weak_learner,
                    "test_error": c.errors,
                    "objective": [s.objective for s in c.history],
                    "lower_bound": [s.global_bound for s in c.history],
                    "certificate": asdict(c.certificate),
                }
                for c in self.curves
            ],
        }


def fit_digits(rng: np.random.Generator) -> DigitsDemo:
    """Learn half of the digits with perceptrons and with stumps; test on the other half."""
    X, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))
    train, test = order[: len(y) // 2], order[len(y) // 2 :]
    curves = [_curve(X, y, train, test, learner) for learner in ROUNDS]
    reference = AdaBoostMH(n_estimators=REFERENCE_ROUNDS).fit(X[train], y[train])
    error = 1.0 - float(reference.score(X[test], y[test]))
    return DigitsDemo(len(train), len(test), curves, error)


def _curve(
    X: npt.NDArray[Any], y: npt.NDArray[Any], train: IntArray, test: IntArray, learner: str
) -> Curve:
    model = StructBoostClassifier(
        C=C, n_iterations=ROUNDS[learner], weak_learner=learner, random_state=0
    ).fit(X[train], y[train])
    errors = [float((p != y[test]).mean()) for p in model.staged_predict(X[test])]
    return Curve(learner, errors, model.history_, model.certificate_)
