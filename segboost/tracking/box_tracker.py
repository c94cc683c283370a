"""A tracker for any learner: search, confidence, training boxes and schedule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from segboost._types import AnyArray
from segboost.tracking.augment import variants
from segboost.tracking.base import Box, Frame, FrameGate, as_box, as_frame
from segboost.tracking.confidence import Confidence
from segboost.tracking.learner import Features, Learner, WindowPlaces
from segboost.tracking.model import Scorer
from segboost.tracking.sampling import TrainingBoxes, training_boxes
from segboost.tracking.schedule import Trainer
from segboost.tracking.search import Found, Searcher
from segboost.tracking.settings import TrackerSettings
from segboost.tracking.view import Pose, TargetView

N_ANCHORS, N_PAST = 3, 20
"""Number of frames that stay in the window of the learner forever, and of those of the past."""


class BoxTracker(ABC):
    """Tracks a box with a learned score of box features; subclasses choose the learner.

    In every frame, the tracker scores over 1,000 boxes around the last one and takes the best. If
    the frame is trusted, it keeps the features of about 200 boxes around the target. Every few
    frames it retrains on the frames of the window.
    """

    def __init__(self, settings: TrackerSettings, random_state: int = 0) -> None:
        self.settings = settings
        self.random_state = random_state
        self._trainer: Trainer | None = None

    @abstractmethod
    def _make_learner(self, view: TargetView, boxes: TrainingBoxes) -> Learner:
        """Return a learner for a new target."""

    def init(self, frame: AnyArray, box: Sequence[float]) -> None:
        """Start with the target in this box, forgetting any earlier target.

        Parameters
        ----------
        frame : ndarray of uint8, shape (H, W) or (H, W, 3)
        box : x, y, w, h
            0-based; it may extend beyond the frame but must not lie outside it.

        Raises
        ------
        ValueError
            If the frame or the box is invalid.
        """
        first = as_frame(frame)
        target = as_box(box, first)
        self.close()
        s = self.settings
        self._gate = FrameGate(first)
        self._view = TargetView(target, self._gate.colour, s.area, s.margin)
        self._searcher = Searcher(self._view, s.radius, s.inertia, s.scale_step, s.scale_limit)
        self._rng = np.random.default_rng(self.random_state)
        self._boxes = training_boxes(self._view.layout, s.scale_step is not None, self._rng)
        self._learner = self._make_learner(self._view, self._boxes)
        self._confidence = Confidence(s.trust)
        self._trainer = Trainer(s.delay, s.background)
        self._number = 0
        # More new frames than the window holds would only replace each other.
        self._new: deque[Features] = deque(maxlen=s.window)
        self._model: Scorer | None = None
        self.add_example(frame, target)

    def add_example(self, frame: AnyArray, box: Sequence[float]) -> None:
        """Learn from another frame with a known box; the search continues from there.

        Raises
        ------
        ValueError
            If `init` was not called, or the frame or the box is invalid.
        """
        self._require_trainer()
        image = self._gate.admit(frame)
        self._pose = self._view.pose_of(as_box(box, image))
        self._finish_training()
        self._learner.add(self._describe(image, self._pose), anchor=True)
        if self.settings.augment:
            for variant in variants(image, self._view.box_of(self._pose), self._rng):
                self._learner.add(self._describe(variant, self._pose), anchor=False)
        self._model = self._learner.train(first=True)
        found = self._searcher.find(image, self._pose, self._model)
        self._confidence.note(found.margin)

    def update(self, frame: AnyArray) -> tuple[Box, float]:
        """Find the target in the next frame.

        Parameters
        ----------
        frame : ndarray of uint8, shape (H, W) or (H, W, 3)

        Returns
        -------
        box : tuple of float
            x, y, w, h.
        confidence : float
            From 0 to 1. Below `settings.trust` the target is assumed to be hidden or gone: the
            box is the best guess, or the last box with `settings.hold`, and nothing is learned
            from the frame.

        Raises
        ------
        ValueError
            If `init` was not called, or the frame's size has changed.
        """
        trainer = self._require_trainer()
        image = self._gate.admit(frame)
        self._number += 1
        self._model = trainer.due(self._number) or self._model
        assert self._model is not None
        found = self._searcher.find(image, self._pose, self._model)
        confidence = self._confidence.of(found.margin)
        if self._confidence.trusts(confidence):
            self._follow(image, found)
        elif not self.settings.hold:
            # For a hidden target, follow the guessed position but not the guessed size.
            self._pose = Pose(found.pose.x, found.pose.y, self._pose.scale)
        every = self.settings.every
        if every is not None and self._number % every == 0 and self._new:
            trainer.submit(self._number, self._training_job())
        return self._view.box_of(self._pose), confidence

    def close(self) -> None:
        """End the training thread, if there is one; `init` can be called again."""
        if self._trainer is not None:
            self._trainer.close()
            self._trainer = None

    def _require_trainer(self) -> Trainer:
        if self._trainer is None:
            raise ValueError("the tracker has no target; call init(frame, box) first")
        return self._trainer

    def _window_places(self) -> WindowPlaces:
        """Return the places of the learner's window, with their own random numbers."""
        rng = np.random.default_rng([self.random_state, 2])
        return WindowPlaces(N_ANCHORS, N_PAST, self.settings.window, rng)

    def _follow(self, frame: Frame, found: Found) -> None:
        """Move to a trusted box and keep its samples."""
        self._pose = found.pose
        self._confidence.note(found.margin)
        if self.settings.every is not None:
            self._new.append(self._describe(frame, found.pose))

    def _training_job(self) -> Any:
        """Return a job that learns from the new frames."""
        new = list(self._new)
        self._new.clear()
        learner = self._learner

        def train() -> Scorer:
            for features in new:
                learner.add(features, anchor=False)
            return learner.train(first=False)

        return train

    def _finish_training(self) -> None:
        """Wait for submitted jobs, so that the learner can be used in this thread."""
        if self._trainer is not None:
            self._trainer.due(self._number + self.settings.delay)

    def _describe(self, frame: Frame, pose: Pose) -> Features:
        """Return the features of the training boxes around a pose, shape (d, P)."""
        boxes = self._boxes
        out: Features | None = None
        for scale in dict.fromkeys(boxes.scale.tolist()):
            these = np.flatnonzero(boxes.scale == scale)
            offsets = boxes.offset[these]
            reach = int(np.abs(offsets).max(initial=0))
            look = self._view.look(frame, Pose(pose.x, pose.y, pose.scale * scale), reach)
            part = self._learner.describe(look, offsets)
            if out is None:
                out = np.empty((len(part), len(boxes)), dtype=part.dtype)
            out[:, these] = part
        assert out is not None
        return out
