"""Mirrored copies of training images."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.mirrored import MirroredImage, mirrored_copies
from segboost.pipelines.segmentation.training import train_segmenter
from tests.pipelines.segmentation.tiny_class_models import (
    LEGEND,
    class_config,
    class_items,
    class_store,
)


def test_a_copy_is_mirrored_and_has_different_keys():
    item = class_items(1)[0]
    copy = MirroredImage(item)
    np.testing.assert_array_equal(copy.image(), item.image()[:, ::-1])
    np.testing.assert_array_equal(copy.mask(), item.mask()[:, ::-1])
    names = {copy.image_key(), copy.mask_key(), item.image_key(), item.mask_key()}
    assert len(names) == 4
    assert copy.name != item.name


def test_copies_share_the_fold_of_their_image_and_divided_images_have_none():
    items = class_items(3)
    fold = np.array([0, 0, 1, 1, 2, 2, 2])
    copies, folds = mirrored_copies(items, fold, [2, 3, 2])
    assert [copy.item for copy in copies] == [items[0], items[2]]
    assert folds == [0, 2]


@pytest.mark.parametrize("n_classes", [2, 4])
def test_trees_learn_from_copies(n_classes):
    items = class_items(6, n_classes=n_classes)
    legend = LEGEND if n_classes == 4 else None
    given = {} if legend is None else {"legend": legend}
    models, scores = [], []
    for mirror in (False, True):
        config = class_config(mirror_images=mirror, method="trees")
        found = train_segmenter(items, config, class_store(), **given)
        models.append(found.model)
        scores.append(np.stack(list(found.out_of_fold.values())))
    # Copies are only learned from: there are scores of the original images only.
    assert scores[0].shape == scores[1].shape
    assert not np.array_equal(*scores)
    again = train_segmenter(
        items, class_config(mirror_images=True, method="trees"), class_store(), n_jobs=2, **given
    )
    image = class_items(1, first=30)[0].image()
    np.testing.assert_array_equal(
        models[1].predict(image).scores, again.model.predict(image).scores
    )


def test_few_images_have_no_copies():
    config = class_config(mirror_images=True, linear_below=20)
    assert not config.mirrors(19)
    assert config.mirrors(20)


def test_group_classifiers_have_no_copies():
    config = SegmentationConfig.for_preset("classic", mirror_images=True)
    assert not config.mirrors(100)
