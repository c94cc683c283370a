"""Validation of frames and boxes."""

import numpy as np
import pytest

from segboost.tracking.base import FrameGate, as_box, as_frame, grey_of, is_colour

GREY = np.zeros((20, 30), np.uint8)


def test_frames_get_three_axes():
    assert as_frame(GREY).shape == (20, 30, 1)
    assert as_frame(np.zeros((20, 30, 3), np.uint8)).shape == (20, 30, 3)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (GREY.astype(float), "uint8"),
        (np.zeros((20, 30, 4), np.uint8), "shape"),
        (np.zeros(20, np.uint8), "shape"),
        (np.zeros((0, 30), np.uint8), "shape"),
    ],
)
def test_other_frames_are_refused(bad, message):
    with pytest.raises(ValueError, match=f"frame must.*{message}"):
        as_frame(bad)


@pytest.mark.parametrize(
    "bad",
    [
        (1, 2, 3),
        (np.nan, 2, 5, 5),
        (1, 2, np.inf, 5),
        (1, 2, 0, 5),
        (1, 2, 5, -1),
        (30, 2, 5, 5),
        (-9, 2, 5, 5),
        "box?",
    ],
)
def test_invalid_boxes_are_refused(bad):
    with pytest.raises(ValueError, match=r"box|could not convert"):
        as_box(bad, as_frame(GREY))


def test_boxes_may_reach_beyond_the_frame():
    assert as_box((-3, -3, 5, 5), as_frame(GREY)) == (-3.0, -3.0, 5.0, 5.0)


def test_frames_with_different_channels_are_in_colour():
    grey = np.repeat(GREY[..., None], 3, axis=2)
    assert not is_colour(grey)
    grey[3, 4, 1] = 9
    assert is_colour(grey)


def test_the_gate_converts_and_keeps_the_size():
    colour = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    assert FrameGate(colour).admit(GREY).shape == (20, 30, 3)
    gate = FrameGate(as_frame(GREY))
    np.testing.assert_array_equal(gate.admit(colour), grey_of(colour))
    with pytest.raises(ValueError, match="30×21 pixels, the first one had 30×20"):
        gate.admit(np.zeros((21, 30), np.uint8))
