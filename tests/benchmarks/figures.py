"""Benchmark figures with their targets, and the measurement of CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Figure:
    """One measured figure and its target.

    `target` is the text shown ("at least 100"); `met` is None if there is no target.
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
    """Return the CPU seconds that `work` took in this process, and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result
