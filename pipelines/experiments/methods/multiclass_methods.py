"""Methods of the multi-class table: ours, the paper's, and today's common alternatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from segboost._types import AnyArray
from segboost.pipelines.experiments.methods.adaboost_fits import fit_ecc, fit_mh
from segboost.pipelines.experiments.methods.boosting_figures import (
    certificate_figures,
    objective_curve,
)
from segboost.pipelines.experiments.protocol.table_method import Candidate, TableMethod

C_CHOICES = (10.0, 25.0, 63.0, 160.0, 400.0, 1000.0)
"""The paper uses 6 values from 10 to 1000."""
SVM_CHOICES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
SSVM_CHOICES = (10.0, 100.0, 1e3, 1e4, 3e4, 1e5)
ROUND_CHOICES = (100, 200, 500, 1000)
DEPTH_CHOICES = (5, 3, 8)
"""Tree depths, each tried with every C; validation picks 3 on dna, 8 on satimage, 5 on vowel."""
LEARNER_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "tree": {"max_depth": DEPTH_CHOICES[0]},
    "sigmoid": {"ridge": 0.03},
}
"""Settings of the weak learners that differ from their defaults, unless a candidate sets them."""


@dataclass(frozen=True)
class Effort:
    """Training effort of StructBoost.

    Parameters
    ----------
    stump, perceptron, sigmoid, tree : int
        Maximum number of rounds that each C adds to those of the smaller ones; a round adds one
        weak learner per class.
    gap : float
        Precision of the cutting planes.
    curve : int
        Rounds of the fits for the learning curves, which start from scratch.
    """

    stump: int = 12
    perceptron: int = 20
    sigmoid: int = 12
    tree: int = 12
    gap: float = 2e-2
    curve: int = 40

    def rounds(self, learner: str) -> int:
        """Return the number of rounds for a kind of weak learner."""
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
"""Weak learners by row name; the paper has stump and per."""


def multiclass_methods(effort: Effort, quick: bool = False) -> list[TableMethod]:
    """Return the rows of the table for a data set trained with this effort.

    Parameters
    ----------
    effort : Effort
    quick : bool
        Two candidates each and few rounds: a check that everything works.
    """
    C_candidates, rounds = _each("C", C_CHOICES, quick), _each("rounds", ROUND_CHOICES, quick)
    methods = [_structboost(name, C_candidates, effort) for name in LEARNERS]
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
    """Return the error rate in per cent."""
    return {"error": 100.0 * float(np.mean(model.predict(X) != y))}


def staged_errors(model: Any, X: AnyArray, y: AnyArray) -> dict[str, AnyArray]:
    """Return the test error in per cent after every round."""
    return {"error": np.array([100.0 * np.mean(p != y) for p in model.staged_predict(X)])}


def boost_curves(model: Any, X: AnyArray, y: AnyArray) -> dict[str, AnyArray]:
    """Return the test error and the objective after every round."""
    return {**staged_errors(model, X, y), "objective": objective_curve(model)}


def structboost_path(
    X: AnyArray, y: AnyArray, candidates: Sequence[Candidate], seed: int,
    learner: str, rounds: int, gap: float,
) -> Iterator[Any]:  # fmt: skip
    """Fit StructBoost for increasing C, each fit starting with the weak learners found so far.

    All values of C together then cost little more than the largest alone. Each tree depth starts
    from scratch.
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
    """Return the classifier with the weak learner and the parameters of the candidate."""
    from segboost import StructBoostClassifier
    from segboost.weak.registry import make_weak_learner

    options = {**LEARNER_OPTIONS.get(learner, {}), **_learner_options(candidate)}
    weak = make_weak_learner(learner, **options)
    return StructBoostClassifier(weak_learner=weak, gap=gap, random_state=seed)


def _learner_options(candidate: Candidate) -> dict[str, Any]:
    return {name: value for name, value in candidate.items() if name != "C"}


def fit_ssvm(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit the linear structured SVM; C weights the mean loss."""
    from segboost.baselines import StructuredSVMClassifier

    return StructuredSVMClassifier(candidate["C"], gap=1e-2).fit(X, y)


def fit_svm(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit scikit-learn's linear SVM, one class against the rest."""
    from sklearn.svm import LinearSVC

    # The primal is faster when there are more rows than features, as in all these data sets.
    return LinearSVC(C=candidate["C"], dual=False, random_state=seed).fit(X, y)


def fit_xgboost(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit XGBoost, which requires classes 0 … k−1."""
    from xgboost import XGBClassifier

    return Encoded(XGBClassifier(**candidate, n_jobs=1, verbosity=0, random_state=seed), X, y)


def fit_hist_boosting(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit scikit-learn's HistGradientBoosting."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(**candidate, early_stopping=False, random_state=seed)
    return model.fit(X, y)


class Encoded:
    """A classifier fitted on class numbers that predicts class names."""

    def __init__(self, model: Any, X: AnyArray, y: AnyArray) -> None:
        self.classes, codes = np.unique(y, return_inverse=True)
        self.model = model.fit(X, codes)

    def predict(self, X: AnyArray) -> AnyArray:
        """Return the class names, shape (N,)."""
        return self.classes[self.model.predict(X)]


def _each(name: str, values: Sequence[float], quick: bool) -> list[Candidate]:
    """Return one candidate per value; only two of them for a quick run."""
    return [{name: value} for value in (values[2:4] if quick else values)]


def _structboost(name: str, C_candidates: Sequence[Candidate], effort: Effort) -> TableMethod:
    learner = LEARNERS[name]
    options: dict[str, Any] = {
        "learner": learner, "rounds": effort.rounds(learner), "gap": effort.gap,
    }  # fmt: skip
    candidates = list(C_candidates)
    if learner == "tree":
        candidates += [{**c, "max_depth": d} for d in DEPTH_CHOICES[1:] for c in C_candidates]
    return TableMethod(
        name,
        candidates,
        None,
        error,
        parameters={**options, **LEARNER_OPTIONS.get(learner, {})},
        describe=certificate_figures,
        path=partial(structboost_path, **options),
    )


def curve_method(name: str, candidate: Candidate, effort: Effort) -> TableMethod:
    """Return StructBoost trained from scratch with the chosen candidate, for learning curves."""
    learner = LEARNERS[name]
    options: dict[str, Any] = {"learner": learner, "rounds": effort.curve, "gap": effort.gap}
    return TableMethod(
        name,
        [candidate],
        partial(fit_structboost, **options),
        error,
        parameters={**options, **LEARNER_OPTIONS.get(learner, {}), "curve": True},
        curves=boost_curves,
        describe=certificate_figures,
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
