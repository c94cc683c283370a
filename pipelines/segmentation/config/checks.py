"""Settings that came from a file: of their types, and within their ranges."""

from __future__ import annotations

import math
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

RANGES: dict[str, tuple[float, float]] = {
    "C": (1e-12, 1e12),
    "C_choices": (1e-12, 1e12),
    "n_iterations": (1, 10**6),
    "ramp_width": (0, 1e12),
    "validation_blocks": (2, 10**6),
    "seed": (0, 2**63),
    "n_stumps": (1, 10**7),
    "most_foreground": (1, math.inf),
    "most_background": (1, math.inf),
    "n_folds": (1, 10**6),
    "n_trees": (1, 10**6),
    "depth": (1, 12),
    "learning_rate": (1e-9, 1.0),
    "row_share": (1e-9, 1.0),
    "n_columns": (1, math.inf),
    "l2": (0, 1e12),
    "min_curvature": (0, 1e12),
    "linear_below": (0, 10**9),
    "context_raw_columns": (0, 10**6),
    "width": (1, 100),
    "pixels_per_image": (10, 10**6),
    "scale": (0.25, 4),
    "beta": (0, 1e12),
    "contrasts": (0, 1e12),
}
"""The least and the largest value of every number, wherever it stands."""

_NAMES = {bool: "true, false or null", int: "a whole number or null", float: "a number or null"}


def of_type(hint: Any, value: Any, old: Any, name: str) -> Any:
    """Return a JSON value as a setting of a type; ValueError where it is of another.

    Parameters
    ----------
    hint : type
        bool, int, float, str, a Literal, a tuple of one type, or one of these or None.
    value : JSON value
    old : object
        An example, for the message.
    name : str

    Examples
    --------
    >>> of_type(tuple[float, ...], [1, 2.5], (1.0,), "C_choices")
    (1.0, 2.5)
    """
    if get_origin(hint) in (Union, UnionType):
        if value is None and NoneType in get_args(hint):
            return None
        hint = next(h for h in get_args(hint) if h is not NoneType)
    if get_origin(hint) is tuple and isinstance(value, (list, tuple)):
        return tuple(of_type(get_args(hint)[0], v, old, name) for v in value)
    if get_origin(hint) is Literal and isinstance(value, str) and value in get_args(hint):
        return value
    if hint is float and type(value) is int:
        return float(value) if abs(value) < 1e300 else math.inf
    if hint in (bool, int, str, float) and type(value) is hint:
        return value
    if get_origin(hint) is Literal:
        raise ValueError(f"{name} must be one of {', '.join(get_args(hint))}, got {value!r}")
    example = _NAMES[hint] if old is None else f"like {old!r}"
    raise ValueError(f"{name} must be {example}, got {value!r}")


def check_ranges(settings: dict[str, Any], place: str = "") -> None:
    """Raise ValueError for a number outside its range, NaN included, at any depth."""
    for name, value in settings.items():
        if isinstance(value, dict):
            check_ranges(value, f"{place}{name}.")
        elif name in RANGES and value is not None:
            low, high = RANGES[name]
            for number in value if isinstance(value, (list, tuple)) else [value]:
                if not low <= number <= high:
                    raise ValueError(
                        f"{place}{name} must be from {low:g} to {high:g}, got {number!r}"
                    )
