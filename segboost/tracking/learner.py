"""Learners on the boxes of recent frames: the protocol and the StructBoost learner."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from segboost._types import AnyArray
from segboost.features.boxes.layout import LEVELS, BoxLayout, Codes, Places
from segboost.solver.window import WindowBoost, WindowOptions
from segboost.tracking.model import Scorer, StumpModel
from segboost.tracking.sampling import TrainingBoxes
from segboost.tracking.view import Look

Features = AnyArray
"""Features of a frame's training boxes, shape (d, P)."""


PAST_EVERY = 10
"""One frame in this many is a candidate for the past."""


class Learner(Protocol):
    """Collects the features of training boxes frame by frame and trains scorers."""

    def describe(self, look: Look, offsets: Places) -> Features:
        """Return the features of boxes, shape (d, P)."""
        ...

    def add(self, features: Features, anchor: bool) -> None:
        """Add a frame's boxes; anchors stay forever, other frames until they leave the window."""
        ...

    def train(self, first: bool) -> Scorer:
        """Learn from the current frames, more thoroughly the first time."""
        ...


class WindowPlaces:
    """Assigns the places of a window to frames.

    Anchors keep their own places forever. Of the other frames, a regular subset goes to the past,
    a random sample of all frames so far that counters slow drift. The rest replace the oldest
    recent frame.

    Parameters
    ----------
    n_anchors, n_past, n_recent : int
    rng : numpy.random.Generator
        Draws the past frame that is replaced.
    """

    def __init__(
        self, n_anchors: int, n_past: int, n_recent: int, rng: np.random.Generator
    ) -> None:
        self._n_anchors, self._n_past, self._n_recent = n_anchors, n_past, n_recent
        self._rng = rng
        self._anchors = self._past = self._recent = 0

    @property
    def count(self) -> int:
        """Total number of places."""
        return self._n_anchors + self._n_past + self._n_recent

    def take(self, anchor: bool) -> int:
        """Return the place for a new frame; surplus anchors are treated as recent frames."""
        if anchor and self._anchors < self._n_anchors:
            self._anchors += 1
            return self._anchors - 1
        self._recent += 1
        if self._n_past and self._recent % PAST_EVERY == 0:
            place = self._past_place()
            if place is not None:
                return self._n_anchors + place
        return self._n_anchors + self._n_past + (self._recent - 1) % self._n_recent

    def _past_place(self) -> int | None:
        """Return a place in the past, or None if the frame is not drawn (reservoir sampling)."""
        self._past += 1
        if self._past <= self._n_past:
            return self._past - 1
        drawn = int(self._rng.integers(self._past))
        return drawn if drawn < self._n_past else None


class StructBoostLearner:
    """StructBoost with the overlap loss over a sliding window, in one live LP.

    Parameters
    ----------
    layout : BoxLayout
    boxes : TrainingBoxes
    places : WindowPlaces
    options : WindowOptions
    rounds, first_rounds : int
        LP solves per update, and the maximum number the first time.
    anchor_importance : float
        Number of ordinary frames that an anchor counts as.
    """

    def __init__(
        self,
        layout: BoxLayout,
        boxes: TrainingBoxes,
        places: WindowPlaces,
        options: WindowOptions,
        rounds: int,
        first_rounds: int,
        anchor_importance: float,
    ) -> None:
        self._layout = layout
        self._loss = boxes.loss
        self._places = places
        self._rounds = {False: rounds, True: first_rounds}
        self._anchor_importance = anchor_importance
        self.window = WindowBoost(places.count, len(boxes), layout.n_features, LEVELS, options)

    def describe(self, look: Look, offsets: Places) -> Codes:
        """Return the feature codes of boxes."""
        return look.codes(offsets)

    def add(self, features: Codes, anchor: bool) -> None:
        """Put a frame into the window; the frame it replaces leaves with its cuts."""
        importance = self._anchor_importance if anchor else 1.0
        self.window.place(self._places.take(anchor), features, self._loss, importance)

    def train(self, first: bool) -> StumpModel:
        """Solve the window's LP, warm-started from the last solution."""
        self.window.update(self._rounds[first])
        pool = self.window.pool
        weight = pool.polarity * self.window.average
        return StumpModel.of_stumps(
            self._layout, pool.feature.astype(np.int64), pool.cut.astype(np.int64), weight
        )
