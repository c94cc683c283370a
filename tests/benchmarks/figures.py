"""What a benchmark reports, and how it measures: CPU time, one thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Figure:
    """One measured figure beside its target.

    `target` is the text shown ("at least 100"); `met` is None where there is none.
    """

    name: str
    value: float
    unit: str
    target: str = ""
    met: bool | None = None


def at_least(name: str, value: float, floor: float, unit: str) -> Figure:
    return Figure(name, float(value), unit, f"at least {floor:g}", bool(value >= floor))


def at_most(name: str, value: float, ceiling: float, unit: str) -> Figure:
    return Figure(name, float(value), unit, f"at most {ceiling:g}", bool(value <= ceiling))


def cpu_seconds(work: Callable[[], T]) -> tuple[float, T]:
    """Return the CPU seconds of this process and its children that `work` took, and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result
