"""Scores by hand, and output files of a track."""

import csv

import numpy as np
import pytest

from segboost.datasets.synthetic.track import draw_track
from segboost.pipelines.tracking.metrics import score_track
from segboost.pipelines.tracking.output import draw_box, write_boxes
from segboost.pipelines.tracking.run import Track, follow
from tests.pipelines.tracking.still_tracker import Still


def test_scores_by_hand():
    truth = np.array([[0, 0, 10, 10], [0, 0, 10, 10], [0, 0, 10, 10], [np.nan] * 4])
    boxes = np.array([[0, 0, 10, 10], [5, 0, 10, 10], [40, 30, 10, 10], [0, 0, 1, 1]], float)
    scores = score_track(boxes, truth)
    assert scores.n_frames == 3
    assert scores.mean_overlap == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert scores.mean_centre_error == pytest.approx((0 + 5 + 50) / 3)
    assert scores.precision == pytest.approx(2 / 3)
    # Above 0: two of three; above 0.05 … 0.30: two; up to 0.95: one; above 1: none.
    assert scores.success_area == pytest.approx((7 * 2 / 3 + 13 * 1 / 3) / 21)
    assert np.isnan(scores.overlap[3])


def test_boxes_that_cannot_be_scored_are_refused():
    with pytest.raises(ValueError, match="shape"):
        score_track(np.zeros((2, 4)), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="no known box"):
        score_track(np.zeros((1, 4)), np.full((1, 4), np.nan))


def test_following_gives_boxes_confidences_and_calls_back():
    track = draw_track(5)
    seen = []
    tracker = Still()
    found = follow(
        tracker, track.frames, track.boxes[:2].tolist(), lambda n, f, b, c: seen.append((n, c))
    )
    assert tracker.examples == 2
    np.testing.assert_array_equal(found.boxes[2:], np.tile(track.boxes[1], (3, 1)))
    assert seen == [(0, 1.0), (1, 1.0), (2, 0.25), (3, 0.25), (4, 0.25)]
    with pytest.raises(ValueError, match="3 boxes were given for 2 frames"):
        follow(Still(), track.frames[:2], track.boxes[:3].tolist())


def test_the_table_of_boxes(tmp_path):
    found = Track(np.array([[1.5, 2, 3, 4], [2, 2, 3, 4]]), np.array([1.0, 0.5]), 1.0, 1.0)
    scores = score_track(found.boxes, np.array([[1.5, 2, 3, 4], [np.nan] * 4]))
    path = write_boxes(tmp_path / "boxes.csv", found, scores)
    rows = list(csv.DictReader(path.open()))
    assert [r["x"] for r in rows] == ["1.5000", "2.0000"]
    assert [r["overlap"] for r in rows] == ["1.0000", ""]


def test_a_drawn_box_is_yellow_or_red_and_the_frame_is_not_changed():
    frame = np.zeros((20, 20), np.uint8)
    sure = draw_box(frame, np.array([5.0, 5, 8, 8]), True)
    doubtful = draw_box(frame, np.array([5.0, 5, 8, 8]), False, np.array([1.0, 1, 3, 3]))
    assert sure[5, 5].tolist() == [255, 210, 0]
    assert doubtful[5, 5].tolist() == [230, 60, 40]
    assert doubtful[1, 1].tolist() == [60, 200, 90]
    assert not frame.any()
