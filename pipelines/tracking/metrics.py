"""Tracking metrics: overlap, centre error, success and precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from segboost._types import FloatArray
from segboost.tasks.candidates import box_overlap

THRESHOLDS = np.linspace(0.0, 1.0, 21)
"""Thresholds of the success curve, as in OTB."""
PRECISION_AT = 20.0


@dataclass(frozen=True, eq=False)
class TrackScores:
    """The scores of a track against the truth; frames without a known box are ignored.

    Parameters
    ----------
    mean_overlap : float
    mean_centre_error : float
        Mean centre error in pixels.
    success : ndarray, shape (21,)
        Share of frames whose overlap exceeds each of `THRESHOLDS`.
    success_area : float
        The mean of that curve.
    precision : float
        Share of frames with a centre error of at most 20 pixels.
    overlap, centre_error : ndarray, shape (n,)
        Values per frame, NaN where the truth is unknown.
    n_frames : int
        Number of frames with a known box.
    """

    mean_overlap: float
    mean_centre_error: float
    success: FloatArray
    success_area: float
    precision: float
    overlap: FloatArray
    centre_error: FloatArray
    n_frames: int

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values."""
        return {
            "mean_overlap": self.mean_overlap,
            "mean_centre_error": self.mean_centre_error,
            "success_area": self.success_area,
            "precision_20px": self.precision,
            "success_curve": [round(float(v), 6) for v in self.success],
            "n_frames": self.n_frames,
        }


def score_track(boxes: FloatArray, truth: FloatArray) -> TrackScores:
    """Score boxes, shape (n, 4), against the truth, shape (n, 4), NaN where unknown.

    The first frame, whose box is given, is included, as in OTB.
    """
    if boxes.shape != truth.shape or boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError(f"boxes have the shape {boxes.shape}, the truth {truth.shape}")
    known = np.isfinite(truth).all(axis=1)
    if not known.any():
        raise ValueError("the truth has no known box")
    overlap, error = np.full(len(truth), np.nan), np.full(len(truth), np.nan)
    overlap[known] = box_overlap(boxes[known], truth[known])
    gap = boxes[:, :2] + boxes[:, 2:] / 2 - truth[:, :2] - truth[:, 2:] / 2
    error[known] = np.hypot(gap[known, 0], gap[known, 1])
    success = (overlap[known][:, None] > THRESHOLDS).mean(axis=0)
    return TrackScores(
        float(overlap[known].mean()),
        float(error[known].mean()),
        success,
        float(success.mean()),
        float((error[known] <= PRECISION_AT).mean()),
        overlap,
        error,
        int(known.sum()),
    )
