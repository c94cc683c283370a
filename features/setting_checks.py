"""Types and ranges of the settings of superpixels and feature groups.

They may come from an untrusted model folder: a value out of range could make every image take
hours or gigabytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Number:
    """The numbers that a setting may have.

    Parameters
    ----------
    low, high : float
        The smallest and the largest, both allowed.
    whole : bool
        Whether it must be a whole number.
    """

    low: float
    high: float
    whole: bool = False

    def allows(self, value: Any) -> bool:
        """Whether the value has the right type and is in the range; NaN is not."""
        kinds: Any = int | np.integer if self.whole else int | float | np.number
        right = isinstance(value, kinds) and not isinstance(value, bool)
        return right and self.low <= value <= self.high

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}"


def check_settings(settings: object, numbers: Mapping[str, Number], where: str = "") -> None:
    """Raise ValueError for the first attribute that is not an allowed number.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_settings(SimpleNamespace(steps=10**9), {"steps": Number(0, 20, whole=True)}, "words")
    Traceback (most recent call last):
    ValueError: words: steps: expected a whole number from 0 to 20, got 1000000000
    """
    for name, number in numbers.items():
        value = getattr(settings, name)
        if not number.allows(value):
            place = f"{where}: " if where else ""
            raise ValueError(f"{place}{name}: expected {number}, got {str(value)[:100]}")


def check_texts(values: Any, what: str) -> tuple[str, ...]:
    """Return a list or tuple of strings as a tuple; ValueError for anything else."""
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
        raise ValueError(f"{what}: expected a list of strings, got {str(values)[:100]}")
    return tuple(values)
