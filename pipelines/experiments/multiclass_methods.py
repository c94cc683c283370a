"""The methods of the multi-class table: ours, the paper's, and what a user would take today."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from segboost._types import AnyArray
from segboost.pipelines.experiments.method import Candidate, TableMethod

C_CHOICES = (10.0, 25.0, 63.0, 160.0, 400.0, 1000.0)
"""The paper: 6 values from 10 to 1000."""
SVM_CHOICES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
SSVM_CHOICES = (10.0, 100.0, 1e3, 1e4, 3e4, 1e5)
ROUND_CHOICES = (100, 200, 500, 1000)
DEPTH_CHOICES = (5, 3, 8)
"""Of trees, each with every C: on validation parts of dna 3 is best, of satimage 8, of vowel 5."""
LEARNER_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "tree": {"max_depth": DEPTH_CHOICES[0]},
    "sigmoid": {"ridge": 0.03},
}
"""What the weak learners are made with, beside their defaults and what a candidate says."""


@dataclass(frozen=True)
class Effort:
    """How long StructBoost learns.

    Parameters
    ----------
    stump, perceptron, sigmoid, tree : int
        Rounds that each C adds at most to what the smaller ones learned; a round adds a weak
        learner for every class.
    gap : float
        Precision of the cutting planes.
    curve : int
        Rounds of the learning curves, which are fits from scratch.
    """

    stump: int = 12
    perceptron: int = 20
    sigmoid: int = 12
    tree: int = 12
    gap: float = 2e-2
    curve: int = 40

    def rounds(self, learner: str) -> int:
        """Return the rounds of a weak learner."""
        return {
            "stump": self.stump,
            "perceptron": self.perceptron,
            "sigmoid": self.sigmoid,
            "tree": self.tree,
        }[learner]


LEARNERS = {
    "StructBoost-stump": "stump",
    "StructBoost-per": "perceptron",
    "StructBoost-sigmoid": "sigmoid",
    "StructBoost-tree": "tree",
}
"""The weak learners by the names of the rows; stump and per are the paper's."""


def multiclass_methods(effort: Effort, quick: bool = False) -> list[TableMethod]:
    """Return the rows of the table for a set that is learned with this effort.

    Parameters
    ----------
    effort : Effort
    quick : bool
        Two candidates each and few rounds: a check that all works.
    """
    prices, rounds = _each("C", C_CHOICES, quick), _each("rounds", ROUND_CHOICES, quick)
    methods = [_structboost(name, prices, effort) for name in LEARNERS]
    methods += [
        TableMethod("Ada.ECC", rounds, fit_ecc, error, curves=staged_errors),
        TableMethod("Ada.MH", rounds, fit_mh, error, curves=staged_errors),
        TableMethod("SSVM", _each("C", SSVM_CHOICES, quick), fit_ssvm, error),
        TableMethod("1-vs-all SVM", _each("C", SVM_CHOICES, quick), fit_svm, error),
        _xgboost(quick),
        _hist_boosting(quick),
    ]
    return methods


def error(model: Any, X: AnyArray, y: AnyArray) -> dict[str, float]:
    """Return the share of wrong answers in per cent."""
    return {"error": 100.0 * float(np.mean(model.predict(X) != y))}


def staged_errors(model: Any, X: AnyArray, y: AnyArray) -> dict[str, AnyArray]:
    """Return the test error in per cent after every round."""
    return {"error": np.array([100.0 * np.mean(p != y) for p in model.staged_predict(X)])}


def boost_curves(model: Any, X: AnyArray, y: AnyArray) -> dict[str, AnyArray]:
    """Return the test error and the objective after every round."""
    history = model.history_
    return {
        **staged_errors(model, X, y),
        "objective": np.array([step.objective for step in history]),
    }


def certified(model: Any) -> dict[str, float]:
    """Return what the certificate says."""
    certificate = model.certificate_
    return {
        "objective": certificate.objective,
        "gap": certificate.gap,
        "columns": certificate.n_columns,
        "rounds": model.n_iter_,
    }


def structboost_path(
    X: AnyArray, y: AnyArray, candidates: Sequence[Candidate], seed: int,
    learner: str, rounds: int, gap: float,
) -> Iterator[Any]:  # fmt: skip
    """Fit StructBoost for growing C, each time with the weak learners found so far to begin with.

    All values of C together then cost little more than the largest alone. Every depth of trees
    begins anew.
    """
    for _, same in groupby(candidates, key=_learner_options):
        done = 0
        for candidate in same:
            if done == 0:
                model = make_structboost(learner, gap, seed, candidate)
                model.set_params(warm_start=True)
            model.set_params(C=candidate["C"], n_iterations=done + rounds).fit(X, y)
            done = len(model.history_)
            yield model


def fit_structboost(
    X: AnyArray, y: AnyArray, candidate: Candidate, seed: int, learner: str, rounds: int, gap: float
) -> Any:
    """Fit StructBoost from scratch."""
    model = make_structboost(learner, gap, seed, candidate)
    return model.set_params(C=candidate["C"], n_iterations=rounds).fit(X, y)


def make_structboost(learner: str, gap: float, seed: int, candidate: Candidate) -> Any:
    """Return the classifier with one of its weak learners, made as the candidate says."""
    from segboost import StructBoostClassifier
    from segboost.weak.registry import make_weak_learner

    options = {**LEARNER_OPTIONS.get(learner, {}), **_learner_options(candidate)}
    weak = make_weak_learner(learner, **options)
    return StructBoostClassifier(weak_learner=weak, gap=gap, random_state=seed)


def _learner_options(candidate: Candidate) -> dict[str, Any]:
    return {name: value for name, value in candidate.items() if name != "C"}


def fit_ecc(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit AdaBoost.ECC of stumps."""
    from segboost.baselines import AdaBoostECC

    return AdaBoostECC(candidate["rounds"], random_state=seed).fit(X, y)


def fit_mh(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit AdaBoost.MH of stumps."""
    from segboost.baselines import AdaBoostMH

    return AdaBoostMH(candidate["rounds"]).fit(X, y)


def fit_ssvm(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit the linear structured SVM; C prices the mean loss."""
    from segboost.baselines import StructuredSVMClassifier

    return StructuredSVMClassifier(candidate["C"], gap=1e-2).fit(X, y)


def fit_svm(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit scikit-learn's linear SVM, one class against the rest."""
    from sklearn.svm import LinearSVC

    # The primal is the faster form where there are more rows than features, as in all sets.
    return LinearSVC(C=candidate["C"], dual=False, random_state=seed).fit(X, y)


def fit_xgboost(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit XGBoost, which wants classes 0 … k−1."""
    from xgboost import XGBClassifier

    return Encoded(XGBClassifier(**candidate, n_jobs=1, verbosity=0, random_state=seed), X, y)


def fit_hist_boosting(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit scikit-learn's HistGradientBoosting."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(**candidate, early_stopping=False, random_state=seed)
    return model.fit(X, y)


class Encoded:
    """A classifier that is fitted on class numbers and answers with class names."""

    def __init__(self, model: Any, X: AnyArray, y: AnyArray) -> None:
        self.classes, codes = np.unique(y, return_inverse=True)
        self.model = model.fit(X, codes)

    def predict(self, X: AnyArray) -> AnyArray:
        """Return the class names, shape (N,)."""
        return self.classes[self.model.predict(X)]


def _each(name: str, values: Sequence[float], quick: bool) -> list[Candidate]:
    """Return a candidate a value; two of them for a quick look."""
    return [{name: value} for value in (values[2:4] if quick else values)]


def _structboost(name: str, prices: Sequence[Candidate], effort: Effort) -> TableMethod:
    learner = LEARNERS[name]
    options: dict[str, Any] = {
        "learner": learner, "rounds": effort.rounds(learner), "gap": effort.gap,
    }  # fmt: skip
    candidates = list(prices)
    if learner == "tree":
        candidates += [{**c, "max_depth": d} for d in DEPTH_CHOICES[1:] for c in prices]
    return TableMethod(
        name,
        candidates,
        None,
        error,
        parameters={**options, **LEARNER_OPTIONS.get(learner, {})},
        describe=certified,
        path=partial(structboost_path, **options),
    )


def curve_method(name: str, candidate: Candidate, effort: Effort) -> TableMethod:
    """Return StructBoost from scratch, with what was chosen, for the learning curves."""
    learner = LEARNERS[name]
    options: dict[str, Any] = {"learner": learner, "rounds": effort.curve, "gap": effort.gap}
    return TableMethod(
        name,
        [candidate],
        partial(fit_structboost, **options),
        error,
        parameters={**options, **LEARNER_OPTIONS.get(learner, {}), "curve": True},
        curves=boost_curves,
        describe=certified,
    )


def _xgboost(quick: bool) -> TableMethod:
    candidates: list[dict[str, Any]] = [
        {"n_estimators": 100, "max_depth": 6, "learning_rate": 0.3},
        {"n_estimators": 200, "max_depth": 3, "learning_rate": 0.3},
    ]
    if quick:
        candidates = [{"n_estimators": 20, "max_depth": 6, "learning_rate": 0.3}]
    return TableMethod("XGBoost", candidates, fit_xgboost, error, requires=("xgboost",))


def _hist_boosting(quick: bool) -> TableMethod:
    candidates = [{"max_iter": 100, "learning_rate": 0.1}]
    if quick:
        candidates = [{"max_iter": 10, "learning_rate": 0.3}]
    return TableMethod("HistGradientBoosting", candidates, fit_hist_boosting, error)
