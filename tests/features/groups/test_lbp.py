import numpy as np
import pytest
from skimage.feature import local_binary_pattern

from segboost.features.groups.lbp import code_table, lbp_codes, lbp_patches, lbp_response


@pytest.mark.filterwarnings("ignore:Applying `local_binary_pattern`")
def test_codes_equal_scikit_image(grey):
    noise = np.random.default_rng(0).integers(0, 5, grey.shape).astype(float)
    for image in (grey.astype(np.float64), noise):
        wanted = local_binary_pattern(image, 8, 1, method="nri_uniform")[1:-1, 1:-1]
        np.testing.assert_array_equal(lbp_codes(image), wanted)


def test_table_has_58_uniform_patterns():
    table = code_table()
    changes = [bin(p ^ ((p >> 1) | ((p & 1) << 7))).count("1") for p in range(256)]
    np.testing.assert_array_equal(table == 58, np.array(changes) > 2)
    np.testing.assert_array_equal(np.unique(table), np.arange(59))


@pytest.mark.parametrize("size", [4, 12, 16, 64])
def test_patches_equal_direct_counts(size, grey):
    centres = np.array([[0, 0], [120, 77], [239, 319]])
    found = lbp_patches(lbp_response(grey, 64), centres, size).reshape(3, 4, 4, 58)
    padded = np.pad(grey.astype(np.float64), 40, mode="symmetric")
    codes = np.pad(lbp_codes(padded), 1)
    cell = size // 4
    for (row, column), values in zip(centres + 40, found, strict=True):
        for a in range(4):
            for b in range(4):
                top, left = row - size // 2 + a * cell, column - size // 2 + b * cell
                part = codes[top : top + cell, left : left + cell]
                counts = np.bincount(part.ravel(), minlength=59)[:58]
                np.testing.assert_allclose(values[a, b] ** 2, counts / cell**2, atol=1e-6)


def test_patches_too_large_for_the_counters_are_refused(grey):
    response = lbp_response(grey, 16)
    with pytest.raises(ValueError, match="size: expected LBP patches of at most 1020"):
        lbp_patches(response, np.array([[5, 5]]), 1024)
