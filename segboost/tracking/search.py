"""Search for the target: the best of many sampled boxes, refined in position and scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segboost._types import FloatArray
from segboost.features.boxes.layout import Places
from segboost.tracking.base import Frame
from segboost.tracking.model import Scorer
from segboost.tracking.sampling import disc, square
from segboost.tracking.view import Look, Pose, TargetView

STRIDE = 2
REFINED = 5
"""Number of best boxes of the coarse grid around which every sample is searched."""
NEAR = 2
PLATEAU = 0.15
"""Boxes that score at most this much below the best one, in units of the margin, contribute to
the estimated position."""
SCALE_VOTES = 5
SCALE_POWERS = (-2, -1, 0, 1, 2)
SCALE_DAMPING = 0.5


@dataclass(frozen=True)
class Found:
    """The pose of the best box, and its score margin over the median of all scored boxes."""

    pose: Pose
    margin: float
    n_boxes: int


class Searcher:
    """Searches for the target around a pose.

    Parameters
    ----------
    view : TargetView
    radius : float
        Search radius as a fraction of the target's size.
    inertia : float
        Score penalty of a box that is one target size away from the last one.
    scale_step : float or None
        Ratio of neighbouring scales; None keeps the scale.
    scale_limit : float
        The largest scale; its inverse is the smallest.
    """

    def __init__(
        self,
        view: TargetView,
        radius: float,
        inertia: float,
        scale_step: float | None,
        scale_limit: float,
    ) -> None:
        self._view = view
        self._reach = int(np.ceil(radius * view.size))
        self._coarse = disc(self._reach, STRIDE)
        self._near = square(NEAR)
        self._inertia_weight = inertia
        self._scale_step = scale_step
        self._scale_limit = scale_limit

    def find(self, frame: Frame, pose: Pose, model: Scorer) -> Found:
        """Return the best box around a pose; its centre is kept inside the frame."""
        look = self._view.look(frame, pose, self._reach + 2 * NEAR)
        coarse = model.scores(look, self._coarse)
        near = coarse - self._inertia(self._coarse, model)
        best, value, looked = self._refine(look, near, model)
        margin = value - float(np.median(coarse))
        centre = self._centroid(look, best, value, model)
        found = inside(self._view.moved(pose, centre), frame)
        if self._scale_step is not None:
            found = self._rescaled(frame, found, model, self._scale_step)
        return Found(found, margin, len(coarse) + looked)

    def _inertia(self, offsets: Places, model: Scorer) -> FloatArray:
        """Return the score penalty of boxes for their distance from the last one."""
        far = (offsets**2).sum(axis=1) / self._view.size**2
        return np.asarray(self._inertia_weight * model.unit * far)

    def _refine(self, look: Look, coarse: FloatArray, model: Scorer) -> tuple[Places, float, int]:
        """Search every sample around the best boxes of the coarse grid."""
        top = self._coarse[np.argsort(-coarse, kind="stable")[:REFINED]]
        fine = np.unique((top[:, None] + self._near).reshape(-1, 2), axis=0)
        scores = model.scores(look, fine)
        best = int(np.argmax(scores - self._inertia(fine, model)))
        return fine[best], float(scores[best]), len(fine)

    def _centroid(self, look: Look, best: Places, value: float, model: Scorer) -> FloatArray:
        """Return the mean offset of the boxes near the best one, weighted by their scores.

        Stumps make F piecewise constant: the centre of its highest step lies between samples.
        """
        near = best + self._near
        weight = np.maximum(model.scores(look, near) - (value - PLATEAU * model.unit), 0.0)
        total = float(weight.sum())
        return weight @ near / total if total > 0 else best.astype(np.float64)

    def _rescaled(self, frame: Frame, pose: Pose, model: Scorer, step: float) -> Pose:
        """Return the pose with its scale moved towards the highest score."""
        votes = []
        for power in SCALE_POWERS:
            scaled = Pose(pose.x, pose.y, pose.scale * step**power)
            look = self._view.look(frame, scaled, NEAR)
            votes.append(float(np.sort(model.scores(look, self._near))[-SCALE_VOTES:].mean()))
        scale = pose.scale * step ** (SCALE_DAMPING * peak_of(votes))
        limit = self._scale_limit
        return Pose(pose.x, pose.y, float(np.clip(scale, 1 / limit, limit)))


def peak_of(votes: Sequence[float]) -> float:
    """Return the maximum of the parabola fitted to values at −2 … 2, clipped to [−1, 1].

    Neighbouring scales have noisy and nearly equal scores, hence the fit over a wide range.
    """
    x = np.asarray(SCALE_POWERS, dtype=np.float64)
    values = np.asarray(votes)
    slope = float(x @ values) / 10.0
    bend = float((x**2 - 2.0) @ values) / 14.0
    if bend >= -1e-12:
        return float(np.sign(slope)) if abs(slope) > 1e-12 else 0.0
    return float(np.clip(-slope / (2.0 * bend), -1.0, 1.0))


def inside(pose: Pose, frame: Frame) -> Pose:
    """Return the pose with its centre clipped to the frame."""
    height, width = frame.shape[:2]
    return Pose(float(np.clip(pose.x, 0, width)), float(np.clip(pose.y, 0, height)), pose.scale)
