"""Parallel search over weight columns in threads, for long searches that release the GIL."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from joblib import Parallel, delayed

from segboost.weak.base import Candidate


def search_each(
    search: Callable[..., Candidate], columns: Iterable[tuple[Any, ...]], n_jobs: int | None
) -> list[Candidate]:
    """Return ``search(*column)`` for every column, in order, computed by `n_jobs` threads."""
    if n_jobs in (None, 1):
        return [search(*column) for column in columns]
    return list(Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(search)(*c) for c in columns))
