"""The default superpixels on real photographs with masks."""

import numpy as np
import pytest
from PIL import Image

from segboost.features import find_superpixels, is_connected, read_image


def mask_of(path):
    union = np.zeros(0)
    for part in sorted(path.parent.glob(path.name.split(".")[0] + ".mask.*.png")):
        visible = np.asarray(Image.open(part)) == 1
        union = visible if union.size == 0 else union | visible
    return union


@pytest.mark.data
def test_oracle_segmentation_with_the_default_superpixels(bikes):
    counts = np.zeros(4)
    for number in range(11, 300, 40):  # training images
        path = next(bikes.glob(f"bike_{number:03d}.image.*"))
        labels, mask = find_superpixels(read_image(path)), mask_of(path)
        assert labels.max() + 1 <= 1000
        assert is_connected(labels)
        area = np.bincount(labels.ravel())
        chosen = (2 * np.bincount(labels.ravel(), mask.ravel()) > area)[labels]
        counts += [
            (chosen & mask).sum(),
            (chosen | mask).sum(),
            (~chosen & ~mask).sum(),
            (~chosen | ~mask).sum(),
        ]
    assert (counts[0] / counts[1] + counts[2] / counts[3]) / 2 >= 0.94
