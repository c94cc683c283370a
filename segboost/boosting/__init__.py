"""Gradient-boosted trees for two or more classes, on features binned to bytes.

Names are imported on first use, so that reading settings does not load the compiled kernels.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segboost.boosting.ensemble import TreeBooster
    from segboost.boosting.settings import BoosterSettings

_HOME = {
    "BoosterSettings": "segboost.boosting.settings",
    "TreeBooster": "segboost.boosting.ensemble",
}

__all__ = ["BoosterSettings", "TreeBooster"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'segboost.boosting' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
