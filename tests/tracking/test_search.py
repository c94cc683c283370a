"""Candidate boxes of the search, and the peak between scales."""

import numpy as np
import pytest

from segboost.features.boxes.layout import make_layout
from segboost.tasks.candidates import box_overlap
from segboost.tracking.base import as_frame
from segboost.tracking.learner import PAST_EVERY, WindowPlaces
from segboost.tracking.sampling import disc, square, training_boxes
from segboost.tracking.search import Searcher, inside, peak_of
from segboost.tracking.view import Pose, TargetView


def test_peaks_of_parabolas():
    x = np.arange(-2, 3)
    for peak in (-0.7, 0.0, 0.4):
        assert peak_of(-((x - peak) ** 2)) == pytest.approx(peak)
    assert peak_of(-((x - 3.0) ** 2)) == 1.0
    assert peak_of([1.0] * 5) == 0.0
    assert peak_of(x**2 - 0.5 * x) == -1.0
    assert peak_of(x.astype(float)) == 1.0


def test_offsets_of_the_search():
    found = disc(4, 2)
    assert (0, 0) in map(tuple, found)
    assert (np.hypot(*found.T) <= 4).all()
    assert len(square(2)) == 25


def test_about_two_hundred_training_boxes_of_known_loss():
    layout = make_layout(40, 30, colour=False)
    boxes = training_boxes(layout, True, np.random.default_rng(0))
    assert 150 <= len(boxes) <= 230
    assert boxes.offset[0].tolist() == [0, 0]
    assert boxes.loss[0] == 0.0
    assert boxes.loss[1:].min() > 0
    assert boxes.loss.max() > 0.9
    assert set(boxes.scale) == {0.85, 0.92, 1.0, 1.08, 1.17}
    assert set(training_boxes(layout, False, np.random.default_rng(0)).scale) == {1.0}
    (row, column), scale = boxes.offset[-1], boxes.scale[-1]
    w, h = 30 * scale, 40 * scale
    box = np.array([column * scale - w / 2, row * scale - h / 2, w, h])
    overlap = box_overlap(box, np.array([-15.0, -20, 30, 40]))
    assert boxes.loss[-1] == pytest.approx(1 - overlap)


def test_poses_and_boxes_are_equivalent():
    view = TargetView((10, 20, 30, 60), False, 1296, 0.0)
    pose = view.pose_of((40, 50, 60, 120))
    assert pose.scale == pytest.approx(2.0)
    np.testing.assert_allclose(view.box_of(pose), (40, 50, 60, 120))
    down = view.moved(pose, np.array([1.0, 0.0]))
    assert down.y - pose.y == pytest.approx(2 * 60 / view.layout.height)


def test_a_look_at_a_box_does_not_depend_on_how_far_it_reaches():
    frame = as_frame(np.random.default_rng(1).integers(0, 256, (90, 90, 3), dtype=np.uint8))
    view = TargetView((30, 30, 30, 30), True, 1296, 0.0)
    offset = np.array([[0, 0], [2, -1]], dtype=np.int64)
    near = view.look(frame, Pose(45, 45), 3).codes(offset)
    far = view.look(frame, Pose(45, 45), 20).codes(offset)
    # Sampling positions are sums of floats: a code may fall on either side of a whole number.
    assert (near != far).mean() < 0.01


def test_centres_stay_in_the_frame():
    frame = as_frame(np.zeros((20, 30), np.uint8))
    assert inside(Pose(-4, 99), frame) == Pose(0, 20)


def test_anchors_stay_the_past_is_sampled_and_recent_places_rotate():
    places = WindowPlaces(2, 3, 4, np.random.default_rng(0))
    assert places.count == 9
    assert [places.take(anchor=True) for _ in range(3)] == [0, 1, 5]
    taken = [places.take(anchor=False) for _ in range(60 * PAST_EVERY)]
    assert min(taken) >= 2
    past = [p for p in taken if p < 5]
    assert past[:3] == [2, 3, 4]
    assert 3 < len(past) < 30  # a uniform sample of the past changes less and less often
    recent = [p for p in taken[: PAST_EVERY - 3] if p >= 5]
    assert recent[:5] == [6, 7, 8, 5, 6]


def test_inertia_prefers_the_nearer_of_two_equal_boxes():
    view = TargetView((30, 30, 36, 36), False, 1296, 0.0)

    class TwoPeaks:
        unit = 1.0

        def scores(self, look, offsets):
            near = np.abs(offsets - (0, 6)).max(axis=1)
            far = np.abs(offsets - (0, -20)).max(axis=1)
            return np.maximum(1.0 - near / 4, 1.0 - far / 4).clip(0)

    frame = as_frame(np.zeros((100, 100), np.uint8))
    found = Searcher(view, 1.0, 0.4, None, 3.0).find(frame, Pose(48, 48), TwoPeaks())
    assert found.pose.x == pytest.approx(54, abs=0.5)
    assert found.margin == pytest.approx(1.0)
