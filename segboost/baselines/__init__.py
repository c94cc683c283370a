"""The baseline methods that the paper compares against.

Names are imported on first use, as in `segboost` itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segboost.baselines.adaboost_ecc import AdaBoostECC
    from segboost.baselines.adaboost_mh import AdaBoostMH
    from segboost.baselines.adaboost_stumps import AdaBoostStumps
    from segboost.baselines.chain_structured_svm import ChainStructuredSVM
    from segboost.baselines.crf_structured_svm import CRFStructuredSVM
    from segboost.baselines.rankboost import RankBoost
    from segboost.baselines.ranking_svm import RankingSVM
    from segboost.baselines.structured_svm import StructuredSVMClassifier

_HOME = {
    "AdaBoostECC": "segboost.baselines.adaboost_ecc",
    "AdaBoostMH": "segboost.baselines.adaboost_mh",
    "AdaBoostStumps": "segboost.baselines.adaboost_stumps",
    "CRFStructuredSVM": "segboost.baselines.crf_structured_svm",
    "ChainStructuredSVM": "segboost.baselines.chain_structured_svm",
    "RankBoost": "segboost.baselines.rankboost",
    "RankingSVM": "segboost.baselines.ranking_svm",
    "StructuredSVMClassifier": "segboost.baselines.structured_svm",
}

__all__ = [
    "AdaBoostECC",
    "AdaBoostMH",
    "AdaBoostStumps",
    "CRFStructuredSVM",
    "ChainStructuredSVM",
    "RankBoost",
    "RankingSVM",
    "StructuredSVMClassifier",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'segboost.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
