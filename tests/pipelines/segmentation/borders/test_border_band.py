from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.borders.border_band import FAR, band_pixels, border_distance


def slow_distance(foreground):
    rows, columns = np.indices(foreground.shape)
    out = np.empty(foreground.shape, int)
    for i, j in np.ndindex(foreground.shape):
        other = foreground != foreground[i, j]
        steps = np.maximum(abs(rows - i), abs(columns - j))[other].min()
        out[i, j] = steps if foreground[i, j] else -steps
    return out


def test_distances_are_those_to_the_nearest_pixel_of_the_other_class():
    foreground = np.random.default_rng(0).random((9, 13)) < 0.2
    assert (border_distance(foreground) == slow_distance(foreground)).all()


@pytest.mark.parametrize("value", [True, False])
def test_without_a_border_nothing_is_near(value):
    distance = border_distance(np.full((4, 5), value))
    assert (distance == (FAR if value else -FAR)).all()
    assert band_pixels(distance, 5)[0].size == 0


def test_the_band_has_the_pixels_within_its_width():
    foreground = np.zeros((10, 20), bool)
    foreground[:, 10:] = True
    _, columns = band_pixels(border_distance(foreground), 3)
    assert sorted(set(columns)) == [7, 8, 9, 10, 11, 12]
