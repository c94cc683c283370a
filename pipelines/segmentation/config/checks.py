"""Check the types and ranges of settings read from a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

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
    "regularisation": (1e-9, 1e3),
    "balanced": (0, 10**6),
    "smoothness": (0, 1e6),
    "contrast": (0, 1e6),
    "context_raw_columns": (0, 10**6),
    "width": (1, 100),
    "pixels_per_image": (10, 10**6),
    "scale": (0.25, 4),
    "beta": (0, 1e12),
    "contrasts": (0, 1e12),
    "longest_side": (32, 10**6),
}
"""Minimum and maximum of every number, by its name at any depth."""

_NAMES = {bool: "true, false or null", int: "a whole number or null", float: "a number or null"}


def checked_type(hint: Any, value: Any, old: Any, name: str) -> Any:
    """Return a JSON value as the type of a setting; ValueError if it has another type.

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
    >>> checked_type(tuple[float, ...], [1, 2.5], (1.0,), "C_choices")
    (1.0, 2.5)
    """
    if get_origin(hint) in (Union, UnionType):
        if value is None and NoneType in get_args(hint):
            return None
        hint = next(h for h in get_args(hint) if h is not NoneType)
    if get_origin(hint) is tuple and isinstance(value, (list, tuple)):
        return tuple(checked_type(get_args(hint)[0], v, old, name) for v in value)
    if get_origin(hint) is Literal and isinstance(value, str) and value in get_args(hint):
        return value
    if hint is float and type(value) is int:
        return float(value) if abs(value) < 1e300 else math.inf
    if hint in (bool, int, str, float) and type(value) is hint:
        return value
    if get_origin(hint) is Literal:
        raise ValueError(f"{name} must be one of {', '.join(get_args(hint))}, got {value!r}")
    example = _NAMES[hint] if old is None else f"a value like {old!r}"
    raise ValueError(f"{name} must be {example}, got {value!r}")


def changed_settings(base: Any, values: Any, place: str = "") -> Any:
    """Return a dataclass of settings with the values of a JSON object, recursively.

    Raises
    ------
    ValueError
        For unknown keys, wrong types and numbers out of range; `place` is put before their names.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"{place or 'config'} must be an object, got {values!r}")
    known = {f.name for f in fields(base)}
    hints = get_type_hints(type(base))
    unknown = sorted(map(str, set(values) - known))
    if unknown:
        raise ValueError(
            f"config has no key {place + unknown[0]!r}; the keys are {', '.join(sorted(known))}"
        )
    changes = {}
    for name, value in values.items():
        old = getattr(base, name)
        if is_dataclass(old):
            changes[name] = changed_settings(old, value, f"{place}{name}.")
        else:
            changes[name] = checked_type(hints[name], value, old, f"{place}{name}")
    check_ranges({name: value for name, value in changes.items() if not is_dataclass(value)}, place)
    return replace(base, **changes)


def check_ranges(settings: dict[str, Any], place: str = "") -> None:
    """Raise ValueError for NaN or a number outside its range, at any depth."""
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
