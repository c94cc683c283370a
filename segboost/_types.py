"""Array types and small vocabularies that several parts share."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

Outputs = Literal["signed", "binary"]
"""What the weak learners of a channel answer: ±1 (``signed``) or {0, 1} (``binary``)."""

Slack = Literal["one", "each"] | int
"""``one`` slack in all, one for ``each`` example, or that many blocks of examples."""
