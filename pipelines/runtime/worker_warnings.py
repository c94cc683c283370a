"""Warnings of worker processes, issued again by the process that started them.

A worker would print them on its own, each in Python's format and once per process.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True)
class Recorded:
    """The result of a call in a worker, with the warnings of the call."""

    result: Any
    warnings: tuple[tuple[str, type[Warning]], ...] = ()


def recording(function: Callable[..., Any]) -> Callable[..., Recorded]:
    """Wrap a function so that another process that calls it records its warnings."""
    return partial(_call, os.getpid(), function)


def _call(parent: int, function: Callable[..., Any], *args: Any) -> Recorded:
    # Recording is not thread-safe, and this process can issue its warnings itself.
    if os.getpid() == parent:
        return Recorded(function(*args))
    with warnings.catch_warnings(record=True) as caught:
        result = function(*args)
    texts = dict.fromkeys((str(w.message), w.category) for w in caught)
    return Recorded(result, tuple(texts))


def replay(recorded: Recorded) -> Any:
    """Issue the recorded warnings and return the result."""
    for text, category in recorded.warnings:
        warnings.warn(text, category, stacklevel=2)
    return recorded.result
