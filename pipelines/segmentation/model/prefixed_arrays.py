"""Arrays of the parts of a model, in one mapping: their names begin with that of the part."""

from __future__ import annotations

from collections.abc import Mapping

from segboost._types import AnyArray

Arrays = dict[str, AnyArray]


def arrays_with_prefix(arrays: Mapping[str, AnyArray], prefix: str) -> Arrays:
    """Return the arrays whose names have a prefix, without it."""
    return {k.removeprefix(prefix): a for k, a in arrays.items() if k.startswith(prefix)}
