"""Masks with void: training takes them, whatever the folds see."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.array_images import label_arrays
from segboost.pipelines.artefacts import ArtefactStore
from segboost.pipelines.potentials import PotentialSettings, crf_instance
from segboost.pipelines.progress import QuietProgress
from segboost.pipelines.training_run import StageReporter, train_on
from segboost.pipelines.unary_training import UnarySettings, train_unary
from tests.pipelines.segmentation_sets import array_items, shared_cache, tiny_config


def stripes(mask, value):
    """Every fourth row of a class stays, all other pixels are void."""
    kept = np.zeros(mask.shape, bool)
    kept[::4] = True
    return np.where(kept & (mask == value), value, 255)


def partial_items(values):
    """The tiny images, of which image k shows only strokes of the classes values[k]."""
    pairs = [item.load() for item in array_items()]
    masks = []
    for (_, mask), wanted in zip(pairs, values, strict=True):
        parts = [stripes(mask, value) for value in wanted]
        masks.append(np.minimum.reduce([*parts, np.full(mask.shape, 255)]).astype(np.uint8))
    return label_arrays([image for image, _ in pairs], masks)


def train(items, **changes):
    with StageReporter(QuietProgress()) as report:
        return train_on(items, tiny_config(**changes), ArtefactStore(shared_cache()), 1, report)


@pytest.mark.parametrize("method", ["structboost", "ssvm", "adaboost", "svm"])
def test_every_method_learns_from_strokes(method):
    items = partial_items([(0, 1)] * 6)
    model = train(items, method=method).model
    right = [
        (model.predict(item.image()).mask == truth.mask()).mean()
        for item, truth in zip(items, array_items(), strict=True)
    ]
    assert np.mean(right) > 0.7


def test_foreground_in_one_fold_alone_trains_without_an_opinion_on_that_fold():
    # The first fold of two has it all: nothing is known of it from outside.
    items = partial_items([(0, 1), (0,), (0,), (0,), (0,), (0,)])
    trained = train(items, C=None, C_choices=(1.0, 10.0))
    n = trained.model.prepare(items[0].image()).n_superpixels
    for scores in trained.out_of_fold.values():
        assert (scores[:n] == 0).all()
    # No more is promised: without opinions on the only foreground, the CRF may find none.
    assert trained.model.predict(items[0].image()).mask.shape == items[0].mask().shape


def test_an_image_without_any_label_does_no_harm():
    trained = train(partial_items([(0, 1), (0, 1), (), (0, 1), (), (0, 1)]))
    assert trained.model.crf is not None


def test_superpixels_without_a_labelled_pixel_are_unknown_to_the_crf():
    item = partial_items([(0, 1)] * 6)[0]
    model = train(partial_items([(0, 1)] * 6)).model
    image = model.prepare(item.image()).with_truth(item.mask())
    instance = crf_instance(image, np.zeros((image.n_superpixels, 1)), PotentialSettings())
    known = image.labelled > 0
    assert 0 < known.mean() < 1
    assert np.array_equal(instance.labels >= 0, known)
    assert np.array_equal(instance.labels[known], image.labels[known])


def test_a_fold_whose_complement_lacks_a_class_has_no_opinion():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (90, 3)).astype(np.uint8)
    y = (X[:, 0] > 128).astype(np.int64)
    fold = np.repeat([0, 1, 2], 30)
    known = (fold == 0) | (y == 0)
    found = train_unary(X, y, known, fold, UnarySettings(n_stumps=5), seed=0)
    assert (found.out_of_fold[fold == 0] == 0).all()
    assert (found.out_of_fold[fold == 1] != 0).any()
    with pytest.raises(ValueError, match="no foreground superpixel"):
        train_unary(X, y, y == 0, fold, UnarySettings(n_stumps=5), seed=0)
