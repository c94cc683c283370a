"""Trackers for comparison: all follow an easy target through one interface."""

import numpy as np
import pytest

from segboost.datasets.synthetic.track import draw_track
from segboost.pipelines.tracking.methods import METHODS, make_tracker
from segboost.tasks.candidates import box_overlap
from segboost.tracking.adaboost import AdaBoostTracker
from segboost.tracking.fragments import BINS, patch_histograms, patches
from segboost.tracking.opencv import OpenCVMissingError, OpenCVTracker
from segboost.tracking.struck import StruckTracker
from segboost.tracking.view import Pose, TargetView


def mean_overlap(tracker, track):
    tracker.init(track.frames[0], track.boxes[0])
    boxes = []
    for frame in track.frames[1:]:
        box, confidence = tracker.update(frame)
        assert 0 <= confidence <= 1
        boxes.append(box)
    tracker.close()
    return box_overlap(np.array(boxes), track.boxes[1:]).mean()


@pytest.mark.parametrize("name", ["struck", "struck-linear", "fragments"])
def test_trackers_follow_an_easy_target(name):
    assert mean_overlap(make_tracker(name), draw_track(8)) > 0.8


def test_adaboost_follows_and_its_classes_are_the_papers():
    tracker = AdaBoostTracker(n_estimators=60)
    assert mean_overlap(tracker, draw_track(8)) > 0.6
    learner = tracker._learner
    overlap = 1 - tracker._boxes.loss[learner._chosen]
    assert (overlap[learner._signs > 0] > 0.8).all()
    assert (overlap[learner._signs < 0] <= 0.3).all()
    assert (learner._signs > 0).sum() >= 5
    assert (learner._signs < 0).sum() >= 20


@pytest.mark.parametrize("name", ["struck", "adaboost"])
def test_trackers_are_deterministic(name):
    track = draw_track(4)
    runs = []
    for _ in range(2):
        tracker = make_tracker(name, 5)
        tracker.init(track.frames[0], track.boxes[0])
        runs.append([tracker.update(f) for f in track.frames[1:]])
    assert runs[0] == runs[1]


def test_struck_keeps_its_budget_and_the_size():
    track = draw_track(8)
    tracker = StruckTracker(budget=15)
    tracker.init(track.frames[0], track.boxes[0])
    for frame in track.frames[1:]:
        box, _ = tracker.update(frame)
        assert len(tracker._learner.machine.betas) <= 15
    np.testing.assert_allclose(box[2:], track.boxes[0, 2:])
    with pytest.raises(ValueError, match="kernel must be"):
        StruckTracker(kernel="cubic")


def test_integral_histograms_equal_direct_ones():
    frame = np.random.default_rng(0).integers(0, 256, (60, 60, 1), dtype=np.uint8)
    view = TargetView((20, 20, 36, 36), False, 1296, 0.0)
    look = view.look(frame, Pose(38, 38), 3)
    cells = patches(view.layout)
    offsets = np.array([[0, 0], [2, -3]], dtype=np.int64)
    found = patch_histograms(look, cells, offsets).reshape(len(cells), BINS, 2)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-6)
    y0, x0, y1, x1 = cells[4]
    levels = frame[20 + 2 + y0 : 20 + 2 + y1, 20 - 3 + x0 : 20 - 3 + x1, 0]
    bins = np.minimum(np.rint(levels / 255 * 1020).astype(int) * BINS // 1021, BINS - 1)
    direct = np.bincount(bins.ravel(), minlength=BINS) / bins.size
    np.testing.assert_allclose(found[4, :, 1], direct, atol=1e-6)


def test_all_trackers_share_one_interface_and_unknown_names_are_refused():
    for name in METHODS:
        try:
            tracker = make_tracker(name)
        except OpenCVMissingError as error:
            assert "pip install" in str(error)  # noqa: PT017
            continue
        for method in ("init", "add_example", "update", "close"):
            assert callable(getattr(tracker, method))
    with pytest.raises(ValueError, match="unknown tracker"):
        make_tracker("psychic")


def test_opencvs_tracker_through_the_adapter():
    pytest.importorskip("cv2", reason="OpenCV is not installed")
    tracker = OpenCVTracker("mil")
    with pytest.raises(ValueError, match="call init"):
        tracker.update(np.zeros((60, 80), np.uint8))
    assert mean_overlap(tracker, draw_track(5)) > 0.4


def test_without_opencv_the_error_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(OpenCVMissingError, match=r"pip install 'segboost\[track\]'"):
        OpenCVTracker("mil")
    with pytest.raises(OpenCVMissingError, match="pip install"):
        OpenCVTracker("boosting")
