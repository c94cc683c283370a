"""From score margins to a confidence, and to what follows from it."""

from __future__ import annotations

from collections import deque

import numpy as np

MEMORY = 30


class Confidence:
    """Compares the margin of a frame with what it was in the frames that were trusted.

    The margin is what the best box scores above the median of the search. The confidence is the
    margin over its median in the last trusted frames, cut at 1: what is usual is certain.

    Parameters
    ----------
    trust : float
        Confidence below which a frame is not trusted: the target is taken for hidden.
    """

    def __init__(self, trust: float) -> None:
        self._trust = trust
        self._margins: deque[float] = deque(maxlen=MEMORY)

    def note(self, margin: float) -> None:
        """Take the margin of a trusted frame."""
        self._margins.append(margin)

    def of(self, margin: float) -> float:
        """Return the confidence of a margin, from 0 to 1."""
        usual = float(np.median(self._margins)) if self._margins else 1.0
        return float(np.clip(margin / max(usual, 1e-9), 0.0, 1.0))

    def trusts(self, confidence: float) -> bool:
        """Return whether a frame of this confidence shows the target."""
        return confidence >= self._trust
