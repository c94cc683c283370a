"""Masks of large images have full size: those of the reduced images, scaled up."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.checked_training import StageReporter, check_and_train
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.evaluation import evaluate_model
from segboost.pipelines.segmentation.images.working_size import (
    reduce_image,
    resize_labels,
    working_shape,
)
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_models import (
    array_items,
    shared_cache,
    tiny_config,
    tiny_data,
)


@pytest.fixture(scope="module")
def model():
    config = tiny_config(longest_side=64)
    with StageReporter(QuietProgress()) as report:
        return check_and_train(
            array_items(), config, ArtefactStore(shared_cache()), 1, report
        ).model


def test_sizes_keep_their_proportion():
    assert working_shape((3000, 4000), 800) == (600, 800)
    assert working_shape((4000, 3), 800) == (800, 1)
    assert working_shape((480, 640), None) == (480, 640)


def test_only_larger_images_are_reduced():
    image = np.zeros((48, 64, 3), np.uint8)
    assert reduce_image(image, 64) is image
    assert reduce_image(image, None) is image
    assert np.shape(reduce_image(image, 32)) == (24, 32, 3)
    assert np.shape(reduce_image(Image.fromarray(image), 32)) == (24, 32, 3)


def test_labels_are_taken_from_the_nearest_centre():
    labels = np.arange(12).reshape(3, 4)
    assert np.array_equal(resize_labels(np.kron(labels, np.ones((5, 5), int)), (3, 4)), labels)
    assert np.array_equal(resize_labels(labels, (15, 20)), np.kron(labels, np.ones((5, 5), int)))


def test_a_mask_has_the_size_of_its_image(model):
    image = tiny_data().test[0].image()
    found = model.predict(image)
    small = model.predict(reduce_image(image, 64))
    assert found.mask.shape == image.shape[:2]
    assert small.mask.shape == (48, 64)
    assert np.array_equal(found.mask, resize_labels(small.mask, image.shape[:2]))


def test_evaluation_is_at_the_working_size(model):
    found = evaluate_model(model, tiny_data().test[:1])
    (prediction,) = found.predictions.values()
    assert (prediction.foreground + prediction.background).sum() == 48 * 64


@pytest.mark.parametrize("side", [0, 31, 40.5, "large"])
def test_invalid_sides_are_refused(side):
    with pytest.raises(ValueError, match="longest_side"):
        SegmentationConfig.from_dict({"longest_side": side})
