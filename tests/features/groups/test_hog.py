"""HOG against a direct implementation that sees one cut-out patch at a time."""

import numpy as np
import pytest

from segboost.features import as_rgb
from segboost.features.groups.hog import hog_patches, hog_response


def reference_features(pixels, cell):
    """Return the features of all inner cells of an image with colours 0 … 255, pixel by pixel.

    The image is `n` cells high and wide; the shape is (n − 2, n − 2, 31). Written from the
    description in Felzenszwalb et al. 2010, section 6, and its defining constants.
    """
    n = pixels.shape[0] // cell
    histogram = np.zeros((n + 2, n + 2, 18))  # with a ring for what falls outside
    angles = np.arange(18) * np.pi / 9
    # Four digits, as published: the first of two equally near directions wins.
    directions = np.round(np.stack([np.cos(angles), np.sin(angles)], axis=1), 4)
    for y in range(1, pixels.shape[0] - 1):
        for x in range(1, pixels.shape[1] - 1):
            dx, dy = pixels[y, x + 1] - pixels[y, x - 1], pixels[y + 1, x] - pixels[y - 1, x]
            k = np.argmax(dx**2 + dy**2)
            strength = np.hypot(dx[k], dy[k])
            o = np.argmax(directions @ (dx[k], dy[k]))
            yp, xp = (y + 0.5) / cell - 0.5, (x + 0.5) / cell - 0.5
            i, j = int(np.floor(yp)), int(np.floor(xp))
            v, u = yp - i, xp - j
            histogram[i + 1, j + 1, o] += (1 - v) * (1 - u) * strength
            histogram[i + 2, j + 1, o] += v * (1 - u) * strength
            histogram[i + 1, j + 2, o] += (1 - v) * u * strength
            histogram[i + 2, j + 2, o] += v * u * strength
    histogram = histogram[1:-1, 1:-1]
    unsigned = histogram[..., :9] + histogram[..., 9:]
    energy = (unsigned**2).sum(axis=2)
    features = np.zeros((n - 2, n - 2, 31))
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for t, (a, b) in enumerate(((0, 0), (-1, 0), (0, -1), (-1, -1))):
                norm = np.sqrt(energy[i + a : i + a + 2, j + b : j + b + 2].sum() + 1e-4)
                signed_cut = np.minimum(histogram[i, j] / norm, 0.2)
                features[i - 1, j - 1, :18] += 0.5 * signed_cut
                features[i - 1, j - 1, 18:27] += 0.5 * np.minimum(unsigned[i, j] / norm, 0.2)
                features[i - 1, j - 1, 27 + t] = 0.2357 * signed_cut.sum()
    return features


@pytest.mark.parametrize("size", [4, 8, 12, 16, 32, 48])
def test_equals_the_direct_descriptor(size, photograph):
    centres = np.array([[0, 0], [100, 150], [239, 319], [60, 33]])
    found = hog_patches(hog_response(as_rgb(photograph), 48), centres, size)
    padded = np.pad(photograph.astype(float), [(99, 99), (99, 99), (0, 0)], mode="symmetric")
    for (row, column), values in zip(centres + 99, found, strict=True):
        # The patch with two more cells on every side: the inner 4×4 have all their neighbours.
        cut = padded[row - size : row + size, column - size : column + size]
        wanted = reference_features(cut, size // 4)[1:5, 1:5]
        np.testing.assert_allclose(values.reshape(4, 4, 31), wanted, atol=2e-3)


def test_does_not_depend_on_the_padding(photograph):
    centres = np.array([[5, 5], [200, 300]])
    rgb = as_rgb(photograph)
    first = hog_patches(hog_response(rgb, 16), centres, 16)
    np.testing.assert_array_equal(first, hog_patches(hog_response(rgb, 64), centres, 16))


def test_even_colour_has_no_gradient():
    rgb = np.full((20, 20, 3), 0.5, np.float32)
    assert not hog_patches(hog_response(rgb, 16), np.array([[3, 9]]), 16).any()


def test_direction_of_a_ramp():
    rgb = np.repeat(np.linspace(0, 1, 60, dtype=np.float32)[None, :, None], 60, axis=0)
    values = hog_patches(hog_response(np.repeat(rgb, 3, axis=2), 16), np.array([[30, 30]]), 16)
    assert set(values.reshape(16, 31)[:, :18].argmax(axis=1)) == {0}  # brighter to the right
