"""The learned function of every potential of a CRF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segboost._types import BoolArray, FloatArray
from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.estimators.crf import CRFStructBoost
from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
from segboost.pipelines.segmentation.model.segmenter import SegmentationModel
from segboost.solver.ensemble import Ensemble

Function = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class LearnedFunction:
    """The contribution of one potential to the energy of a CRF, as a function of its value.

    Parameters
    ----------
    name : str
    weight : float
        The sum of the learned weights; 0 if the potential is not used.
    of : callable
        Maps values of the potential, shape (N,), to contributions, shape (N,): for a unary score
        the energy of background minus that of foreground, for a pairwise potential the cost of
        different labels on its two sides.
    reach : tuple of two floats
        The range of values within which the function is not constant.
    uninformative : bool
        Whether its out-of-fold scores carried no information, so that it was attenuated before
        training; see `PotentialScale`.
    """

    name: str
    weight: float
    of: Function
    reach: tuple[float, float]
    uninformative: bool = False


@dataclass(frozen=True, eq=False)
class LearnedCRF:
    """All functions of a CRF; its energy terms are sums of them.

    With F the scaled unary scores of a superpixel and V the pairwise potentials of an edge,
    ``θ_0 − θ_1 = bias + Σ_t unary_t(F_t)`` and ``c = constant + Σ_l pairwise_l(V_l)``.
    """

    unary: list[LearnedFunction]
    pairwise: list[LearnedFunction]
    bias: float
    constant: float


def learned_functions(model: SegmentationModel) -> LearnedCRF | None:
    """Return the functions of a model's CRF; None if it has no CRF."""
    if model.crf is None:
        return None
    unary = unary_names(model)
    pairwise = pairwise_names(model.potentials)
    uninformative = ~model.unary.scale.informative
    if isinstance(model.crf, CRFStructuredSVM):
        return _linear(model.crf, unary, pairwise, uninformative)
    return _boosted(model.crf, unary, pairwise, uninformative)


def unary_names(model: SegmentationModel) -> list[str]:
    """Return the names of the unary potentials, in the order of their columns."""
    strong: tuple[str, ...] = ()
    if model.unary.context is not None:
        strong = ("trees over all features", "context")[0 if model.unary.trees_in_crf else 1 :]
    if model.unary.linear is not None:
        strong = ("linear classifier of all features",)
    return [*(_readable(group) for group in model.unary.stumps), *strong]


def _readable(group: str) -> str:
    """Return a readable name of a feature group: ``gist48`` is GIST in patches of 48 pixels."""
    family = group.rstrip("0123456789")
    number = group.removeprefix(family)
    if family == "words":
        return f"visual words{f' within {number} steps' if number else ''}"
    if family in ("gist", "lbp", "hog"):
        return f"{family.upper()} {number} px"
    return group


def pairwise_names(settings: PotentialSettings) -> list[str]:
    """Return the names of the pairwise potentials, in the order of their columns."""
    names = [f"colour · exp(−{settings.beta:g}‖ΔLUV‖)", "border length"]
    names += [f"length · exp(−{beta:g}‖ΔLUV‖)" for beta in settings.contrasts]
    if settings.agreement:
        names += [
            "length · exp(−|Δcontext|)",
            "length · exp(−0.07‖ΔLUV‖ − |Δcontext|)",
            "length · exp(−2|Δtrees|)",
        ]
    return names


def _boosted(
    crf: CRFStructBoost, unary: Sequence[str], pairwise: Sequence[str], uninformative: BoolArray
) -> LearnedCRF:
    found = crf.ensemble_
    n_unary = len(unary) + crf.fit_intercept
    parts = [_by_feature(found, 0, n_unary), _by_feature(found, 1, len(pairwise))]

    # The columns hold y·U with U = −F: −F for foreground, F for background.
    def support(feature: int) -> Function:
        one = _sum(found, parts[0][feature], feature, n_unary)
        return lambda values: one(values) - one(-values)

    functions = [
        LearnedFunction(
            name, _weight(found, parts[0][t]), support(t), _reach(found, parts[0][t], True), quiet
        )
        for t, (name, quiet) in enumerate(zip(unary, uninformative.tolist(), strict=True))
    ]
    costs = [
        LearnedFunction(
            name,
            _weight(found, parts[1][k]),
            _sum(found, parts[1][k], k, len(pairwise)),
            _reach(found, parts[1][k], False),
        )
        for k, name in enumerate(pairwise)
    ]
    bias = 0.0
    if crf.fit_intercept:
        bias = -float(support(len(unary))(np.ones(1))[0])
    return LearnedCRF(functions, costs, bias, _constant(found))


def _linear(
    crf: CRFStructuredSVM,
    unary: Sequence[str],
    pairwise: Sequence[str],
    uninformative: BoolArray,
) -> LearnedCRF:
    def line(slope: float) -> Function:
        return lambda values: slope * values

    functions = [
        LearnedFunction(name, abs(float(w)), line(2.0 * float(w)), (-3.0, 3.0), quiet)
        for name, w, quiet in zip(unary, crf.unary_coef_, uninformative.tolist(), strict=True)
    ]
    costs = [
        LearnedFunction(name, float(w), line(float(w)), (0.0, 1.0))
        for name, w in zip(pairwise, crf.pairwise_coef_, strict=True)
    ]
    bias = -2.0 * float(crf.unary_intercept_)
    return LearnedCRF(functions, costs, bias, float(crf.pairwise_intercept_))


def _by_feature(found: Ensemble, channel: int, n_features: int) -> list[list[int]]:
    """Return the indices of the learners with nonzero weight, by the feature they use."""
    parts: list[list[int]] = [[] for _ in range(n_features)]
    for j in np.flatnonzero(found.weights * (found.channel == channel)):
        hypothesis: Any = found.hypotheses[j]
        shares = hypothesis.feature_shares(n_features)
        for feature in np.flatnonzero(shares):
            parts[feature].append(int(j))
    return parts


def _sum(found: Ensemble, members: Sequence[int], feature: int, width: int) -> Function:
    def total(values: FloatArray) -> FloatArray:
        table = np.zeros((len(values), width))
        table[:, feature] = values
        out = np.zeros(len(values))
        for j in members:
            out += found.weights[j] * found.hypotheses[j].predict(table)
        return out

    return total


def _weight(found: Ensemble, members: Sequence[int]) -> float:
    return float(sum(found.weights[j] for j in members))


def _reach(found: Ensemble, members: Sequence[int], both: bool) -> tuple[float, float]:
    knots = [
        float(getattr(found.hypotheses[j], name))
        for j in members
        for name in ("low", "high", "threshold")
        if hasattr(found.hypotheses[j], name)
    ]
    finite = [k for k in knots if np.isfinite(k)]
    if not finite:
        return (-3.0, 3.0) if both else (0.0, 1.0)
    top = max(abs(k) for k in finite)
    return (-top, top) if both else (min(0.0, *finite), max(finite))


def _constant(found: Ensemble) -> float:
    """Return the cost that constant pairwise learners (Potts) add to every edge."""
    total = 0.0
    for j in np.flatnonzero(found.weights * (found.channel == 1)):
        hypothesis: Any = found.hypotheses[j]
        width = 1 + hypothesis.feature
        if not hypothesis.feature_shares(width).any():
            total += float(found.weights[j] * hypothesis.predict(np.zeros((1, width)))[0])
    return total
