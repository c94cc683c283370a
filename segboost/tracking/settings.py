"""Tracker settings, validated in one place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TrackerSettings:
    """Settings for search, learning and trust. The defaults serve all targets.

    Parameters
    ----------
    radius : float
        Search radius around the last box, as a fraction of the target's size √(wh).
    inertia : float
        Score penalty of a box that is one target size away from the last one; it grows with the
        square of the distance. For comparison, the target should beat distant boxes by 1.
    scale_step : float or None
        Ratio of the scales tried in each frame; None keeps the size of the first box.
    scale_limit : float
        The largest scale; its inverse is the smallest.
    area : int
        Number of samples in the canonical box.
    margin : float
        Extent of the features beyond the box, as a fraction of its size.
    window : int
        Number of recent frames to learn from.
    every : int or None
        Number of frames between two updates of the model; None never updates it.
    delay : int
        A model learned at frame t is used from frame t + delay on.
    background : bool
        Learn in a thread in parallel with prediction; the boxes do not depend on it.
    augment : bool
        Also learn from variants of the frames with given boxes: rotated, blurred, relit.
    trust : float
        Nothing is learned from frames of lower confidence.
    hold : bool
        Whether the box keeps its position in frames that are not trusted. Otherwise it follows
        the best guess; its size is kept in either case.
    """

    radius: float = 1.0
    inertia: float = 0.4
    scale_step: float | None = 1.08
    scale_limit: float = 3.0
    area: int = 1296
    margin: float = 0.0
    window: int = 60
    every: int | None = 2
    delay: int = 1
    background: bool = False
    augment: bool = True
    trust: float = 0.5
    hold: bool = False

    def __post_init__(self) -> None:
        _require(_within(self.radius, 0.1, 5), "radius", self.radius, "between 0.1 and 5")
        step = self.scale_step
        fits = step is None or _within(step, 1.001, 2)
        _require(fits, "scale_step", step, "None or between 1.001 and 2")
        _require(
            _within(self.scale_limit, 1, 100), "scale_limit", self.scale_limit, "from 1 to 100"
        )
        _require(_within(self.area, 256, 4096), "area", self.area, "from 256 to 4096")
        _require(_within(self.inertia, 0, 10), "inertia", self.inertia, "from 0 to 10")
        _require(_within(self.margin, 0, 1), "margin", self.margin, "from 0 to 1")
        _require(_within(self.trust, 0, 1), "trust", self.trust, "from 0 to 1")
        for name in ("window", "every", "delay"):
            value = getattr(self, name)
            if name == "every" and value is None:
                continue
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            _require(whole and value >= 1, name, value, "a whole number of at least 1")


def _within(value: object, low: float, high: float) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating))
    return number and not isinstance(value, bool) and low <= float(value) <= high  # type: ignore[arg-type]


def _require(holds: bool, name: str, value: object, expected: str) -> None:
    if not holds:
        raise ValueError(f"{name} must be {expected}, got {value!r}")
