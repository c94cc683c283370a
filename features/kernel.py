"""How this package compiles its kernels: cached on disk, without the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile an array function with Numba, once for all runs where the disk can be written.

    No ``fastmath``: the order of floating-point operations is part of the result, so that the
    same image gives the same bytes on every run and with every number of jobs.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    compiled: F
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder for the cache can be written
        compiled = numba.njit(**options)(function)
    return compiled
