"""The truth of superpixels: labelled pixels by class."""

import numpy as np
import pytest

from segboost.pipelines.segmentation.metrics.scores import region_counts
from tests.pipelines.segmentation.superpixel_graphs import grid_image


def test_two_classes_are_counted_as_foreground_and_background():
    rng = np.random.default_rng(0)
    mask = rng.choice(np.array([0, 1, 255], np.uint8), (15, 20))
    image = grid_image(mask=mask)
    foreground, background = region_counts(image.superpixels, mask)
    for found, expected in zip(image.truth, (foreground, background), strict=True):
        assert found.dtype == np.int64
        assert (found == expected).all()
    assert (image.labels == (foreground > background)).all()
    assert (image.labelled == foreground + background).all()


def test_several_classes():
    mask = np.full((15, 20), 255, np.uint8)
    mask[:5, :5] = np.repeat([[3], [3], [1], [1], [0]], 5, axis=1)
    mask[:5, 5:10] = 2
    image = grid_image().with_truth(mask, n_classes=4)
    assert image.counts.shape == (12, 4)
    assert image.counts[0].tolist() == [5, 10, 0, 10]
    assert image.labels[:2].tolist() == [1, 2]  # the lower one on a tie
    assert image.labelled[:3].tolist() == [25, 25, 0]
    with pytest.raises(ValueError, match="has 4 classes"):
        image.truth  # noqa: B018


def test_bad_and_missing_masks():
    with pytest.raises(ValueError, match="0, 1 and 255"):
        grid_image().with_truth(np.full((15, 20), 2, np.uint8))
    with pytest.raises(ValueError, match="of 3 classes"):
        grid_image().with_truth(np.full((15, 20), 3, np.uint8), n_classes=3)
    assert grid_image().counts is None
    with pytest.raises(ValueError, match="has no mask"):
        grid_image().labels  # noqa: B018
