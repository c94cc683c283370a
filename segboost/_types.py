"""Array types and literal types shared across the package."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
ByteArray = npt.NDArray[np.uint8]
Float32Array = npt.NDArray[np.float32]
FloatArray = npt.NDArray[np.float64]
Int8Array = npt.NDArray[np.int8]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
IntArray = npt.NDArray[np.intp]
UInt16Array = npt.NDArray[np.uint16]

Outputs = Literal["signed", "binary"]
"""The outputs of a channel's weak learners: ±1 (``signed``) or {0, 1} (``binary``)."""

Slack = Literal["one", "each"] | int
"""One slack in total (``one``), one per example (``each``), or this number of blocks (int)."""
