"""The paper's plain AdaBoost tracker: the target against distant boxes."""

from __future__ import annotations

import numpy as np

from segboost._types import FloatArray
from segboost.baselines.boosting_rounds import boost
from segboost.features.boxes.layout import LEVELS, BoxLayout, Codes, Places
from segboost.tracking.box_tracker import BoxTracker
from segboost.tracking.learner import Learner, WindowPlaces
from segboost.tracking.model import StumpModel
from segboost.tracking.sampling import TrainingBoxes
from segboost.tracking.settings import TrackerSettings
from segboost.tracking.view import Look, TargetView
from segboost.weak.binning import BinnedMatrix

POSITIVE, NEGATIVE = 0.8, 0.3
"""Boxes that overlap the target by more than POSITIVE are positive, and those that overlap it by at
most NEGATIVE are negative; the others are not used."""


class AdaBoostLearner:
    """Discrete AdaBoost on the boxes of the window, refitted at every update.

    Parameters
    ----------
    layout : BoxLayout
    boxes : TrainingBoxes
    places : WindowPlaces
    n_rounds : int
    """

    def __init__(
        self, layout: BoxLayout, boxes: TrainingBoxes, places: WindowPlaces, n_rounds: int
    ) -> None:
        self._layout = layout
        self._places = places
        self._n_rounds = n_rounds
        overlap = 1.0 - boxes.loss
        self._chosen = np.flatnonzero((overlap > POSITIVE) | (overlap <= NEGATIVE))
        self._signs: FloatArray = np.where(overlap[self._chosen] > POSITIVE, 1.0, -1.0)
        self._frames: dict[int, Codes] = {}

    def describe(self, look: Look, offsets: Places) -> Codes:
        """Return the feature codes of boxes."""
        return look.codes(offsets)

    def add(self, features: Codes, anchor: bool) -> None:
        """Keep a frame's positive and negative boxes."""
        self._frames[self._places.take(anchor)] = features[:, self._chosen]

    def train(self, first: bool) -> StumpModel:
        """Boost on all frames of the window; both classes have the same total weight."""
        codes = np.ascontiguousarray(np.concatenate(list(self._frames.values()), axis=1))
        signs = np.tile(self._signs, len(self._frames))
        share = np.where(signs > 0, 0.5 / (signs > 0).sum(), 0.5 / max((signs < 0).sum(), 1))
        d = len(codes)
        thresholds = np.tile(np.arange(LEVELS - 1) + 0.5, (d, 1))
        binned = BinnedMatrix(codes, thresholds, np.full(d, LEVELS, dtype=np.intp))
        rounds = boost(binned, signs * share, self._n_rounds)
        weight = rounds.polarity * rounds.alpha / max(float(rounds.alpha.sum()), 1e-12)
        return StumpModel.of_stumps(self._layout, rounds.feature, rounds.cut, weight)


class AdaBoostTracker(BoxTracker):
    """AdaBoost on the same boxes, features and schedule as `StructBoostTracker`.

    Parameters
    ----------
    random_state : int
        Seed for the training boxes, the augmented frames and the sample of past frames.
    n_estimators : int
        Number of stumps.
    settings : TrackerSettings, optional
    """

    def __init__(
        self,
        random_state: int = 0,
        *,
        n_estimators: int = 500,
        settings: TrackerSettings | None = None,
    ) -> None:
        super().__init__(settings or TrackerSettings(), random_state)
        self._n_estimators = n_estimators

    def _make_learner(self, view: TargetView, boxes: TrainingBoxes) -> Learner:
        return AdaBoostLearner(view.layout, boxes, self._window_places(), self._n_estimators)
