"""The StructBoost tracker, which optimises overlap online."""

from __future__ import annotations

from segboost.solver.window import WindowOptions
from segboost.tracking.box_tracker import BoxTracker
from segboost.tracking.learner import Learner, StructBoostLearner
from segboost.tracking.sampling import TrainingBoxes
from segboost.tracking.settings import TrackerSettings
from segboost.tracking.view import TargetView

ANCHOR_IMPORTANCE = 3.0
ROUNDS, FIRST_ROUNDS = 1, 40


class StructBoostTracker(BoxTracker):
    """A tracker whose score is trained for the overlap of the best box with the target.

    StructBoost with the loss 1 − overlap and decision stumps on HOG cells and down-scaled grey
    (and colour) pixels, over the frames of a sliding window. One LP is kept for the whole track:
    every frame has its own slack, and its cuts are removed when it leaves the window; columns,
    remaining cuts and basis stay.

    Parameters
    ----------
    random_state : int
        Seed for the training boxes, the augmented frames and the sample of past frames. The same
        seed gives the same boxes.
    C : float
        Price of slack.
    max_columns : int
        Maximum number of stumps.
    cap : float
        Largest weight of a stump. For comparison, the target should beat distant boxes by 1.
    memory : float
        Weight of the previous average in the running average of the weights; 0 uses only the
        latest weights.
    settings : TrackerSettings, optional

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> frame = rng.integers(0, 60, (80, 100), dtype=np.uint8)
    >>> frame[30:50, 40:60] = rng.integers(150, 255, (20, 20), dtype=np.uint8)
    >>> tracker = StructBoostTracker(random_state=0)
    >>> tracker.init(frame, (40, 30, 20, 20))
    >>> box, confidence = tracker.update(np.roll(frame, 5, axis=1))
    >>> bool(abs(box[0] - 45) < 1.5 and confidence > 0.5)
    True
    """

    def __init__(
        self,
        random_state: int = 0,
        *,
        C: float = 2.0,
        max_columns: int = 300,
        cap: float = 0.005,
        memory: float = 0.3,
        settings: TrackerSettings | None = None,
    ) -> None:
        super().__init__(settings or TrackerSettings(), random_state)
        self._options = WindowOptions(C=C, cap=cap, max_columns=max_columns, memory=memory)

    def _make_learner(self, view: TargetView, boxes: TrainingBoxes) -> Learner:
        places = self._window_places()
        return StructBoostLearner(
            view.layout, boxes, places, self._options, ROUNDS, FIRST_ROUNDS, ANCHOR_IMPORTANCE
        )
