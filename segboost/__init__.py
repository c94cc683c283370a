"""Boosting for structured prediction: StructBoost and its tasks.

Names are imported on first use, so that ``segboost --help`` does not load numerical libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from segboost._version import __version__

if TYPE_CHECKING:
    from segboost.estimators.chain import ChainStructBoost
    from segboost.estimators.crf import CRFStructBoost
    from segboost.estimators.general import StructBoost
    from segboost.estimators.hierarchical import HierarchicalStructBoostClassifier
    from segboost.estimators.multiclass import StructBoostClassifier
    from segboost.estimators.ranking import StructBoostOrdinal, StructBoostRanker
    from segboost.saving.files import load_model, save_model
    from segboost.storage.folder import ModelFileError
    from segboost.tasks.crf import CRFInstance
    from segboost.tracking.structboost import StructBoostTracker

_HOME = {
    "CRFInstance": "segboost.tasks.crf",
    "CRFStructBoost": "segboost.estimators.crf",
    "ChainStructBoost": "segboost.estimators.chain",
    "HierarchicalStructBoostClassifier": "segboost.estimators.hierarchical",
    "ModelFileError": "segboost.storage.folder",
    "StructBoost": "segboost.estimators.general",
    "StructBoostClassifier": "segboost.estimators.multiclass",
    "StructBoostOrdinal": "segboost.estimators.ranking",
    "StructBoostRanker": "segboost.estimators.ranking",
    "StructBoostTracker": "segboost.tracking.structboost",
    "load_model": "segboost.saving.files",
    "save_model": "segboost.saving.files",
}

__all__ = [
    "CRFInstance",
    "CRFStructBoost",
    "ChainStructBoost",
    "HierarchicalStructBoostClassifier",
    "ModelFileError",
    "StructBoost",
    "StructBoostClassifier",
    "StructBoostOrdinal",
    "StructBoostRanker",
    "StructBoostTracker",
    "__version__",
    "load_model",
    "save_model",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'segboost' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
