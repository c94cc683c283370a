"""Fits of the AdaBoost family with stumps."""

from __future__ import annotations

from typing import Any

from segboost._types import AnyArray
from segboost.pipelines.experiments.protocol.table_method import Candidate


def fit_ecc(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit AdaBoost.ECC with stumps."""
    from segboost.baselines import AdaBoostECC

    return AdaBoostECC(candidate["rounds"], random_state=seed).fit(X, y)


def fit_mh(X: AnyArray, y: AnyArray, candidate: Candidate, seed: int) -> Any:
    """Fit AdaBoost.MH with stumps."""
    from segboost.baselines import AdaBoostMH

    return AdaBoostMH(candidate["rounds"]).fit(X, y)
