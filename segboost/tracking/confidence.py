"""Confidence of a frame, computed from score margins."""

from __future__ import annotations

from collections import deque

import numpy as np

MEMORY = 30


class Confidence:
    """Compares the margin of a frame with the margins of earlier trusted frames.

    The margin is the score of the best box minus the median score of the search. The confidence
    is the margin divided by its median over the last trusted frames, clipped at 1.

    Parameters
    ----------
    trust : float
        Confidence below which a frame is not trusted: the target is assumed to be hidden.
    """

    def __init__(self, trust: float) -> None:
        self._trust = trust
        self._margins: deque[float] = deque(maxlen=MEMORY)

    def note(self, margin: float) -> None:
        """Record the margin of a trusted frame."""
        self._margins.append(margin)

    def of(self, margin: float) -> float:
        """Return the confidence of a margin, from 0 to 1."""
        usual = float(np.median(self._margins)) if self._margins else 1.0
        return float(np.clip(margin / max(usual, 1e-9), 0.0, 1.0))

    def trusts(self, confidence: float) -> bool:
        """Whether a frame of this confidence is assumed to show the target."""
        return confidence >= self._trust
