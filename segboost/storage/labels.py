"""Class names in JSON: strings, numbers and booleans, with their original type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from segboost._types import AnyArray, IntArray
from segboost.storage.folder import ModelFileError


def labels_to_json(classes: AnyArray) -> dict[str, Any]:
    """Return an array of class names, shape (k,), as a JSON value.

    Raises
    ------
    ValueError
        For names that JSON cannot represent (dates, tuples, bytes).
    """
    values = [v.item() if isinstance(v, np.generic) else v for v in classes]
    odd = [v for v in values if not isinstance(v, (str, int, float, bool))]
    if odd or classes.dtype.kind not in "OUTbiuf":
        shown = odd[0] if odd else classes.dtype
        raise ValueError(
            f"class names must be text, numbers or booleans to be saved, got {shown!r}"
        )
    return {
        "dtype": "object" if classes.dtype.kind in "OT" else classes.dtype.str,
        "values": values,
    }


def labels_from_json(value: Any) -> AnyArray:
    """Return the array that `labels_to_json` stored."""
    try:
        dtype, values = np.dtype(value["dtype"]), list(value["values"])
        # Checked before the array is created: a dtype of very long strings would use up memory.
        longest = max((len(v) for v in values if isinstance(v, str)), default=8)
        if dtype.kind not in "OUbiuf" or dtype.itemsize > 4 * longest + 8:
            raise ValueError(f"their dtype is {dtype}")
        names = np.array(values, dtype=dtype)
        if names.ndim != 1:
            raise ValueError(f"they have shape {names.shape}")
        return names
    except (KeyError, TypeError, ValueError, OverflowError, SyntaxError) as error:
        raise ModelFileError(f"the class names of the model are damaged: {error}") from None


def read_class_order(document: Mapping[str, Any], n_classes: int) -> IntArray:
    """Return the order in which a model numbers its classes, shape (n_classes,).

    Models of earlier versions do not store it: they number the classes in sorted order.
    """
    order = document.get("class_order", list(range(n_classes)))
    if sorted(order) != list(range(n_classes)):
        raise ModelFileError(f"the order of the model's {n_classes} classes is damaged")
    return np.array(order, dtype=np.intp)
