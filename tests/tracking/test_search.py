"""Where boxes are looked for, and the peak between scales."""

import numpy as np
import pytest

from segboost.features.box_layout import make_layout
from segboost.tasks.candidates import box_overlap
from segboost.tracking.base import as_frame
from segboost.tracking.sampling import disc, square, training_boxes
from segboost.tracking.search import inside, peak_of
from segboost.tracking.view import Pose, TargetView


def test_peaks_of_parabolas():
    assert peak_of(0.0, 1.0, 0.0) == 0.0
    assert peak_of(0.0, 1.0, 1.0) == pytest.approx(0.5)
    assert peak_of(3.0, 1.0, 0.0) == -1.0
    assert peak_of(1.0, 1.0, 1.0) == 0.0
    assert peak_of(0.0, 1.0, 5.0) == 1.0


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


def test_poses_and_boxes_are_the_same_thing():
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
