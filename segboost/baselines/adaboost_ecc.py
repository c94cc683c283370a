"""AdaBoost.ECC: boosted error-correcting output codes, one code column per round."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from segboost._types import AnyArray, FloatArray
from segboost.baselines.class_scores import classes_of, table_scores
from segboost.baselines.interrupts import rounds_kept
from segboost.baselines.training_table import (
    TrainingTable,
    check_prediction_table,
    check_rounds,
    training_table,
)
from segboost.storage.savable import Savable
from segboost.weak.base import BoundLearner, Candidate, Hypothesis, WeakLearner
from segboost.weak.registry import make_weak_learner
from segboost.weak.splitting import TIE

# A hypothesis that is perfect for one colouring must not outvote the sum of all others.
_LEAST_ERROR = 1e-4
_ATTEMPTS = 20  # consecutive colourings without a hypothesis better than chance before the fit ends


@dataclass(frozen=True, eq=False)
class Round:
    """A hypothesis for a colouring (±1 for each of k classes), its weight and weighted error."""

    hypothesis: Hypothesis
    colours: FloatArray
    alpha: float
    error: float


class AdaBoostECC(ClassifierMixin, Savable, BaseEstimator):
    """AdaBoost.ECC: every round draws a random colouring of the classes and learns it.

    Round t splits the classes at random into two halves, μ_t(l) = ±1, and fits a weak hypothesis
    h_t that predicts the colour of a row's class. With the scores
    ``F_l(x) = Σ_t α_t μ_t(l) h_t(x)``, the weight of a row is that of its pairs with wrong
    classes of the other colour:

        d_i = Σ_{l: μ(l) ≠ μ(y_i)} exp(½ (F_l(x_i) − F_{y_i}(x_i))),   α = ½ log((1 − ε)/ε)

    where the weighted error ε is at least 1e-4.

    Parameters
    ----------
    n_estimators : int
        The number of rounds.
    weak_learner : str or WeakLearner
        As in `StructBoostClassifier`.
    random_state : int, RandomState, Generator or None
        Draws the colourings.

    Attributes
    ----------
    classes_ : ndarray, shape (k,)
    hypotheses_ : list of Hypothesis
    colourings_ : ndarray of float64, shape (n_estimators_, k)
    estimator_weights_, estimator_errors_ : ndarray of float64, shape (n_estimators_,)
        α_t and ε_t.
    n_estimators_ : int
        Number of rounds done; fewer than requested if the fit ended early.
    n_features_in_ : int

    References
    ----------
    V. Guruswami and A. Sahai, "Multiclass learning, boosting, and error-correcting codes",
    COLT 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostECC(n_estimators=50, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        weak_learner: str | WeakLearner = "stump",
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.weak_learner = weak_learner
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoostECC:
        """Learn from features X, shape (N, d), and labels y of at least two classes."""
        check_rounds(self.n_estimators)
        table = training_table(self, X, y, sample_weight)
        bound = make_weak_learner(self.weak_learner).bind(table.features, "signed")
        rng = _generator(self.random_state)
        kept: list[Round] = []
        with rounds_kept():
            for done in _rounds(bound, table, rng):
                kept.append(done)
                # Two classes have only one colouring; a perfect hypothesis for it ends the fit.
                perfect = table.n_classes == 2 and done.error <= 0
                if perfect or len(kept) == self.n_estimators:
                    break
        self._keep(table, kept)
        return self

    def _keep(self, table: TrainingTable, kept: list[Round]) -> None:
        self.classes_ = table.classes
        self.hypotheses_ = [r.hypothesis for r in kept]
        self.colourings_ = np.array([r.colours for r in kept]).reshape(-1, table.n_classes)
        self.estimator_weights_ = np.array([r.alpha for r in kept])
        self.estimator_errors_ = np.array([r.error for r in kept])
        self.n_estimators_ = len(kept)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores, shape (N, k); for two classes their difference, shape (N,)."""
        check_is_fitted(self)
        X = check_prediction_table(self, X)
        scores = np.zeros((X.shape[0], self.classes_.size))
        for scores in self._staged_scores(X):  # noqa: B007 - the last one is the result
            pass
        return table_scores(scores)

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the scores after every round."""
        check_is_fitted(self)
        for scores in self._staged_scores(check_prediction_table(self, X)):
            yield table_scores(scores)

    def predict(self, X: Any) -> AnyArray:
        """Return the classes, shape (N,)."""
        return classes_of(self.decision_function(X), self.classes_)

    def staged_predict(self, X: Any) -> Iterator[AnyArray]:
        """Yield the predicted classes after every round."""
        for scores in self.staged_decision_function(X):
            yield classes_of(scores, self.classes_)

    def _staged_scores(self, X: AnyArray) -> Iterator[FloatArray]:
        total = np.zeros((X.shape[0], self.classes_.size))
        votes = self.estimator_weights_[:, None] * self.colourings_
        for hypothesis, vote in zip(self.hypotheses_, votes, strict=True):
            total = total + hypothesis.predict(X)[:, None] * vote
            yield total


def _rounds(bound: BoundLearner, table: TrainingTable, rng: np.random.Generator) -> Iterator[Round]:
    """Yield rounds until many consecutive colourings have no hypothesis better than chance."""
    scores = np.zeros((table.labels.size, table.n_classes))
    failures = 0
    while failures < _ATTEMPTS:
        colours = draw_colouring(table.n_classes, rng)
        weights = colour_weights(scores, table, colours)
        found = bound.best(weights[:, None])[0]
        alpha, error = _alpha_and_error(found, weights)
        if alpha <= 0:
            failures += 1
            continue
        failures = 0
        scores += alpha * found.responses[:, None] * colours
        yield Round(found.hypothesis, colours, alpha, error)


def draw_colouring(n_classes: int, rng: np.random.Generator) -> FloatArray:
    """Return ±1 for each class, shape (k,), with +1 for a random half of them."""
    colours = np.where(np.arange(n_classes) < n_classes // 2, 1.0, -1.0)
    return rng.permutation(colours)


def colour_weights(scores: FloatArray, table: TrainingTable, colours: FloatArray) -> FloatArray:
    """Return the signed weights ``μ(y_i) d_i`` of the rows, shape (N,), with Σ|W| = 1."""
    own = colours[table.labels]
    gap = 0.5 * (scores - scores[np.arange(table.labels.size), table.labels][:, None])
    counts = colours != own[:, None]
    # A common shift of all rows cancels in the normalisation. The largest pair becomes 1, so that
    # nothing overflows and not all pairs underflow, however large the margins are.
    pair = np.exp(np.where(counts, gap - gap[counts].max(), -np.inf))
    mass = table.weights * pair.sum(axis=1)
    return own * mass / mass.sum()


def _alpha_and_error(found: Candidate, weights: FloatArray) -> tuple[float, float]:
    """Return α and ε of a hypothesis; α is 0 if it is no better than chance."""
    error = float(np.abs(weights[found.responses * weights < 0]).sum())
    if 1 - 2 * error <= TIE:
        return 0.0, error
    floored = max(error, _LEAST_ERROR)
    return 0.5 * math.log((1 - floored) / floored), error


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
