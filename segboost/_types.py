"""Array types and literal types shared across the package."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

Outputs = Literal["signed", "binary"]
"""The outputs of a channel's weak learners: ±1 (``signed``) or {0, 1} (``binary``)."""

Slack = Literal["one", "each"] | int
"""A single slack (``one``), one per example (``each``), or that many blocks of examples."""
