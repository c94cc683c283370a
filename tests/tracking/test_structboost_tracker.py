"""The tracker on synthetic videos: accuracy, confidence and determinism."""

import numpy as np
import pytest

from segboost import StructBoostTracker
from segboost.datasets.synthetic.track import draw_track
from segboost.tasks.candidates import box_overlap
from segboost.tracking.settings import TrackerSettings


def tracked(track, tracker=None, given=1):
    tracker = tracker or StructBoostTracker(random_state=0)
    tracker.init(track.frames[0], track.boxes[0])
    for number in range(1, given):
        tracker.add_example(track.frames[number], track.boxes[number])
    found = [tracker.update(frame) for frame in track.frames[given:]]
    tracker.close()
    boxes, confidence = zip(*found, strict=True)
    return np.array(boxes), np.array(confidence)


def overlaps(track, given=1, **keywords):
    boxes, confidence = tracked(track, given=given, **keywords)
    return box_overlap(boxes, track.boxes[given:]), confidence


@pytest.mark.parametrize("colour", [True, False])
def test_it_follows_a_moving_target(colour):
    overlap, confidence = overlaps(draw_track(15, colour=colour))
    assert overlap.min() > 0.8
    assert confidence.min() > 0.5


def test_three_boxes_can_be_given():
    overlap, _ = overlaps(draw_track(12), given=3)
    assert overlap.min() > 0.8


def test_it_follows_the_size_and_can_keep_it():
    track = draw_track(36, growth=1.6, size=(160, 200))
    boxes, _ = tracked(track)
    assert boxes[-1, 2] / track.boxes[0, 2] > 1.35
    fixed = StructBoostTracker(settings=TrackerSettings(scale_step=None))
    kept, _ = tracked(draw_track(6), fixed)
    np.testing.assert_allclose(kept[:, 2:], np.tile(track.boxes[0, 2:], (5, 1)))


def test_confidence_falls_while_the_target_is_hidden_and_it_is_found_again():
    track = draw_track(40, hidden=(18, 24))
    overlap, confidence = overlaps(track)
    trust = TrackerSettings().trust
    assert trust > 0
    assert (confidence[18:24] < trust).mean() > 0.6
    assert confidence[:16].min() >= trust
    assert overlap[-5:].min() > 0.6
    assert confidence[-5:].min() >= trust


def test_a_target_that_leaves_is_reported_lost_and_the_box_stays_in_the_frame():
    rng = np.random.default_rng(3)
    wide = draw_track(1, size=(120, 400), seed=4).frames[0]
    patch = rng.integers(0, 256, (30, 24, 3), dtype=np.uint8)
    frames = []
    for t in range(40):
        frame = wide[:, 120:280].copy()
        x = 110 + 4 * t
        if x < 160:
            frame[45:75, x : min(x + 24, 160)] = patch[:, : min(24, 160 - x)]
        frames.append(frame)
    tracker = StructBoostTracker()
    tracker.init(frames[0], (110, 45, 24, 30))
    found = [tracker.update(f) for f in frames[1:]]
    boxes = np.array([b for b, _ in found])
    confidence = np.array([c for _, c in found])
    assert confidence[:4].min() > TrackerSettings().trust
    assert np.median(confidence[18:]) < TrackerSettings().trust
    centre = boxes[:, :2] + boxes[:, 2:] / 2
    assert (centre >= 0).all()
    assert (centre <= (160, 120)).all()


def test_a_box_at_the_border_partly_outside():
    track = draw_track(8)
    shifted = np.ascontiguousarray(track.frames[:, :, 108:])  # the target is at the left edge
    boxes = track.boxes - (108, 0, 0, 0)
    tracker = StructBoostTracker()
    tracker.init(shifted[0], boxes[0])
    found = [tracker.update(f)[0] for f in shifted[1:]]
    assert np.isfinite(found).all()
    assert box_overlap(np.array(found[:3]), boxes[1:4]).min() > 0.5


@pytest.mark.parametrize("box", [(40, 30, 1, 1), (40, 30, 1, 60), (2, 50, 120, 2)])
def test_boxes_of_one_pixel_and_long_ones_work(box):
    track = draw_track(4)
    tracker = StructBoostTracker()
    tracker.init(track.frames[0], box)
    for frame in track.frames[1:]:
        found, confidence = tracker.update(frame)
        assert np.isfinite(found).all()
        assert min(found[2:]) > 0
        assert 0 <= confidence <= 1


def test_frames_without_structure_are_tracked():
    flat = np.full((60, 80), 77, np.uint8)
    tracker = StructBoostTracker()
    tracker.init(flat, (30, 20, 20, 20))
    box, confidence = tracker.update(flat)
    assert np.isfinite(box).all()
    assert 0 <= confidence <= 1


def test_init_starts_from_scratch():
    track = draw_track(8)
    tracker = StructBoostTracker()
    first, _ = tracked(track, tracker)
    again, _ = tracked(track, tracker)
    np.testing.assert_array_equal(first, again)


def test_the_same_seed_gives_the_same_bytes_in_and_out_of_a_thread():
    track = draw_track(14)
    runs = []
    for background in (False, True, True):
        settings = TrackerSettings(background=background, delay=2)
        boxes, confidence = tracked(track, StructBoostTracker(3, settings=settings))
        runs.append(boxes.tobytes() + confidence.tobytes())
    assert runs[0] == runs[1] == runs[2]
    other, _ = tracked(track, StructBoostTracker(4, settings=TrackerSettings(delay=2)))
    assert other.tobytes() != runs[0][: other.nbytes]


def test_frames_are_not_changed_and_misuse_is_one_clear_error():
    track = draw_track(2)
    before = track.frames.copy()
    tracker = StructBoostTracker()
    with pytest.raises(ValueError, match="call init"):
        tracker.update(track.frames[0])
    with pytest.raises(ValueError, match="finite"):
        tracker.init(track.frames[0], (np.nan, 1, 5, 5))
    tracker.init(track.frames[0], track.boxes[0])
    tracker.update(track.frames[1])
    np.testing.assert_array_equal(track.frames, before)
    with pytest.raises(ValueError, match="the first one had"):
        tracker.update(track.frames[1][:100])
    tracker.close()
    with pytest.raises(ValueError, match="call init"):
        tracker.update(track.frames[1])


@pytest.mark.parametrize(
    "bad",
    [
        {"radius": 0},
        {"scale_step": 0.9},
        {"window": 0},
        {"every": 1.5},
        {"delay": True},
        {"trust": 2},
        {"area": 10},
        {"margin": -1},
        {"inertia": -0.1},
        {"scale_limit": 0.5},
    ],
)
def test_settings_are_checked(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        TrackerSettings(**bad)


def test_without_updates_the_first_model_stays():
    track = draw_track(8)
    tracker = StructBoostTracker(settings=TrackerSettings(every=None))
    tracker.init(track.frames[0], track.boxes[0])
    model = tracker._model
    boxes = [tracker.update(f)[0] for f in track.frames[1:]]
    assert tracker._model is model
    assert not tracker._new
    assert box_overlap(np.array(boxes), track.boxes[1:]).mean() > 0.7


def test_the_window_holds_its_size_and_memory_does_not_grow():
    track = draw_track(30)
    tracker = StructBoostTracker(settings=TrackerSettings(window=6))
    tracker.init(track.frames[0], track.boxes[0])
    window = tracker._learner.window
    for frame in track.frames[1:]:
        tracker.update(frame)
    assert window.pool._codes.shape[1] == (6 + 3 + 20) * len(tracker._boxes)
    assert len(window.pool) <= 300
    assert len(window.cuts) < 1000
    assert len(tracker._new) <= 2
