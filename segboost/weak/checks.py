"""Checks of arguments and stored arrays, shared by the weak learners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
from scipy import sparse

from segboost._types import AnyArray, FloatArray, Outputs


def is_binary(outputs: Outputs) -> bool:
    """Whether hypotheses return 0 and 1 rather than ±1."""
    return outputs == "binary"


def check_outputs(outputs: Outputs) -> Outputs:
    """Return `outputs`; raise ValueError unless it is ``signed`` or ``binary``."""
    if outputs not in get_args(Outputs):
        choices = ", ".join(map(repr, get_args(Outputs)))
        raise ValueError(f"outputs must be one of {choices}, got {outputs!r}")
    return outputs


def check_weights(weights: FloatArray, n_rows: int) -> FloatArray:
    """Return the weights as float64, shape (N, K); ValueError unless finite with N rows."""
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[0] != n_rows:
        raise ValueError(f"weights must have shape ({n_rows}, K), got {weights.shape}")
    if not np.isfinite(weights).all():
        raise ValueError("weights must not contain NaN or infinity")
    return weights


def column_of(features: Any, q: int) -> AnyArray:
    """Return column q of dense or sparse features, shape (N,)."""
    if not sparse.issparse(features):
        return np.asarray(features)[:, q]
    table = sparse.csc_array(features)
    part = slice(int(table.indptr[q]), int(table.indptr[q + 1]))
    column = np.zeros(table.shape[0])
    column[table.indices[part]] = table.data[part]
    return column


def float_table(features: Any) -> Any:
    """Return dense or sparse features as float64, shape (N, d); sparse ones stay sparse."""
    if sparse.issparse(features):
        return sparse.csc_array(features, dtype=np.float64)
    return np.asarray(features, dtype=np.float64)


def check_table(features: Any) -> Any:
    """Return the features as float64, shape (N, d); ValueError unless finite with d ≥ 1."""
    table = float_table(features)
    if table.ndim != 2 or not table.shape[1]:
        raise ValueError(f"features must have shape (N, d) with d at least 1, got {table.shape}")
    if not np.isfinite(table.data if sparse.issparse(table) else table).all():
        raise ValueError("features must not contain NaN or infinity")
    return table


def read_number(document: Mapping[str, Any], name: str) -> float:
    """Return a stored number as a float; raise ValueError unless it is a finite number."""
    value = document[name]
    if type(value) not in (int, float) or not abs(value) <= 1e300:
        raise ValueError(f"{name} must be a finite number, got {str(value)[:100]!r}")
    return float(value)


def read_array(
    arrays: Mapping[str, AnyArray],
    name: str,
    kind: str,
    shape: tuple[int | None, ...],
    *,
    finite: bool = True,
) -> AnyArray:
    """Return a stored array; raise ValueError if it is missing or does not fit.

    Parameters
    ----------
    arrays : mapping of str to ndarray
    name : str
    kind : str
        The required `kind` of its dtype: "i" integers, "f" reals, "b" booleans.
    shape : tuple of int or None
        None for axes of any length.
    finite : bool
        Whether to reject NaN and infinities.
    """
    if name not in arrays:
        raise ValueError(f"the stored array {name!r} is missing")
    array = np.asarray(arrays[name])
    if array.dtype.kind != kind:
        raise ValueError(f"the stored array {name!r} has the wrong dtype {array.dtype}")
    fits = len(array.shape) == len(shape) and all(
        want in (None, have) for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"the stored array {name!r} has shape {array.shape}, expected {shape}")
    if finite and kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"the stored array {name!r} contains NaN or infinity")
    return array
