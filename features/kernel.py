"""Compilation of kernels: cached on disk and without the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile an array function with Numba, cached across runs if the disk is writable.

    No ``fastmath``: the order of floating-point operations is part of the result, so that the
    same image gives the same bytes on every run and with every number of jobs.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    compiled: F
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no cache folder is writable
        compiled = numba.njit(**options)(function)
    return compiled
