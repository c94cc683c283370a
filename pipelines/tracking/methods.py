"""The trackers by name."""

from __future__ import annotations

from collections.abc import Callable

from segboost.tracking.adaboost import AdaBoostTracker
from segboost.tracking.base import Tracker
from segboost.tracking.fragments import FragmentsTracker
from segboost.tracking.opencv import OpenCVTracker
from segboost.tracking.struck import StruckTracker
from segboost.tracking.structboost import StructBoostTracker

METHODS: dict[str, Callable[[int], Tracker]] = {
    "structboost": lambda seed: StructBoostTracker(seed),
    "adaboost": lambda seed: AdaBoostTracker(seed),
    "struck": lambda seed: StruckTracker(seed),
    "struck-linear": lambda seed: StruckTracker(seed, kernel="linear"),
    "fragments": lambda seed: FragmentsTracker(seed),
    "mil": lambda seed: OpenCVTracker("mil"),
    "boosting": lambda seed: OpenCVTracker("boosting"),
}
"""Factories by name, from a seed to a tracker. The two of OpenCV need the extra ``track``."""


def make_tracker(name: str, seed: int = 0) -> Tracker:
    """Return a new tracker; ValueError if the name is unknown."""
    if name not in METHODS:
        raise ValueError(f"unknown tracker {name!r}: choose from {', '.join(METHODS)}")
    return METHODS[name](seed)
