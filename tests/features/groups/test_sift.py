"""SIFT against OpenCV's descriptors on the same grid, and against a direct sum."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from segboost.features.groups.sift import dense_sift, grid_points


@pytest.mark.parametrize("cell", [4, 6, 8, 12])
def test_correlates_with_opencv(cell, grey):
    cv2 = pytest.importorskip("cv2", reason="the reference is OpenCV")
    points = grid_points(grey.shape, 16)
    # OpenCV ends at the border of the image; ours reflects it there.
    inside = ((points >= 3 * cell) & (points < np.array(grey.shape) - 3 * cell)).all(axis=1)
    points = points[inside]
    keys = [cv2.KeyPoint(float(x), float(y), cell / 1.5, 0.0) for y, x in points]
    _, wanted = cv2.SIFT_create().compute(grey.astype(np.uint8), keys)
    found = dense_sift(grey, points, (cell,))
    even = (found == 0).all(axis=1) | (wanted == 0).all(axis=1)  # black sky
    assert even.mean() < 0.02
    found, wanted = found[~even], wanted[~even]
    each = [np.corrcoef(a, b)[0, 1] for a, b in zip(found, wanted, strict=True)]
    assert np.corrcoef(found.ravel(), wanted.ravel())[0, 1] > 0.9
    assert np.median(each) > 0.95
    assert np.mean(np.array(each) > 0.9) > 0.95


def direct_descriptor(smooth, row, column, cell):
    """Sum pixel by pixel, with the window taken at the centre of each cell."""
    histogram = np.zeros((4, 4, 8))
    for y in range(int(row - 2.5 * cell), int(row + 2.5 * cell) + 1):
        for x in range(int(column - 2.5 * cell), int(column + 2.5 * cell) + 1):
            dx = smooth[y, x + 1] - smooth[y, x - 1]
            dy = smooth[y - 1, x] - smooth[y + 1, x]
            place = np.arctan2(dy, dx) * 8 / (2 * np.pi)
            for a in range(4):
                for b in range(4):
                    v = 1 - abs((y - row) / cell - (a - 1.5))
                    u = 1 - abs((x - column) / cell - (b - 1.5))
                    if v > 0 and u > 0:
                        o = int(np.floor(place))
                        weight = v * u * np.hypot(dx, dy)
                        weight *= np.exp(-((a - 1.5) ** 2 + (b - 1.5) ** 2) / 8)
                        histogram[a, b, o % 8] += weight * (1 - place + o)
                        histogram[a, b, (o + 1) % 8] += weight * (place - o)
    vector = histogram.ravel() / np.linalg.norm(histogram)
    vector = np.minimum(vector, 0.2)
    return vector / np.linalg.norm(vector)


def test_equals_a_direct_sum(grey):
    points = np.array([[60, 80], [100, 200]])
    smooth = gaussian_filter(grey.astype(float), np.sqrt(1.6**2 - 0.5**2), truncate=3)
    found = dense_sift(grey, points, (4, 6))
    wanted = [direct_descriptor(smooth, *p, cell) for cell in (4, 6) for p in points]
    np.testing.assert_allclose(found, wanted, atol=5e-3)


def test_length_is_one_or_zero(grey):
    found = dense_sift(grey, grid_points(grey.shape, 8), (4, 8))
    length = np.linalg.norm(found, axis=1)
    np.testing.assert_allclose(length[length > 0], 1, atol=1e-5)
    assert not dense_sift(np.full((9, 9), 7, np.float32), np.array([[4, 4]]), (4,)).any()


def test_grid_is_centred():
    points = grid_points((20, 9), 6)
    np.testing.assert_array_equal(np.unique(points[:, 0]), [0, 6, 12, 18])
    np.testing.assert_array_equal(np.unique(points[:, 1]), [1, 7])
    assert len(grid_points((1, 1), 6)) == 1
