"""Training on masks with void pixels, also if folds lack a class."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from segboost.datasets import load_synthetic
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.checked_training import StageReporter, check_and_train
from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings, UnarySettings
from segboost.pipelines.segmentation.images.array_images import label_arrays
from segboost.pipelines.segmentation.metrics.scores import SegmentationEvaluation
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import crf_instance
from segboost.pipelines.segmentation.potentials.group_classifier import GroupLearner
from segboost.pipelines.segmentation.potentials.out_of_fold import learn_out_of_fold
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_models import array_items, shared_cache, tiny_config


def stripes(mask, value):
    """Keep every fourth row of a class; all other pixels are void."""
    kept = np.zeros(mask.shape, bool)
    kept[::4] = True
    return np.where(kept & (mask == value), value, 255)


def with_strokes(items, values):
    """Return the images; number k has strokes of the classes values[k] only."""
    pairs = [item.load() for item in items]
    masks = []
    for (_, mask), wanted in zip(pairs, values, strict=True):
        parts = [stripes(mask, value) for value in wanted]
        masks.append(np.minimum.reduce([*parts, np.full(mask.shape, 255)]).astype(np.uint8))
    return label_arrays([image for image, _ in pairs], masks)


def partial_items(values):
    """Return the tiny images with strokes."""
    return with_strokes(array_items(), values)


def train(items, **changes):
    with StageReporter(QuietProgress()) as report:
        return check_and_train(
            items, tiny_config(**changes), ArtefactStore(shared_cache()), 1, report
        )


def ranking(model, items):
    """Return the AUC of superpixel scores, judged by the complete masks."""
    images = [model.prepare(item.image()).with_truth(item.mask()) for item in items]
    scores = np.concatenate([model.node_scores(image) for image in images])
    return roc_auc_score(np.concatenate([image.labels for image in images]), scores)


@pytest.mark.parametrize("method", ["adaboost", "svm"])
def test_classifiers_learn_from_strokes_to_rank_superpixels(method):
    model = train(partial_items([(0, 1)] * 6), method=method).model
    assert ranking(model, array_items()) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "unlabelled"), [("structboost", 0), ("ssvm", 0), ("structboost", 6)]
)
def test_crfs_learn_from_strokes_to_segment_new_images(method, unlabelled):
    # From 6 images a CRF learns little, even with complete masks.
    data = load_synthetic(24, 12, height=72, width=96)
    values = [()] * unlabelled + [(0, 1)] * (24 - unlabelled)
    model = train(with_strokes(data.train, values), method=method, context=False).model
    result = SegmentationEvaluation()
    for item in data.test:
        result.add(model.predict(item.image()).mask, item.mask())
    # Labelling everything as background gives 0.40.
    assert result.result().mean_iou > 0.65


@pytest.mark.parametrize("where", [0, 3])
def test_foreground_in_a_single_image_is_learned(where):
    items = partial_items([(0, 1) if k == where else (0,) for k in range(6)])
    trained = train(items)
    sizes = [trained.model.prepare(item.image()).n_superpixels for item in items]
    own = slice(sum(sizes[:where]), sum(sizes[: where + 1]))
    assert all(scores[own].any() for scores in trained.out_of_fold.values())
    found = trained.model.predict(items[where].image()).mask == 1
    truth = array_items()[where].mask() == 1
    assert found[truth].mean() > 0.5
    assert truth[found].mean() > 2 * truth.mean()  # twice as good as a guess


@pytest.mark.parametrize("method", ["adaboost", "svm"])
def test_unlabelled_images_do_not_worsen_the_ranking(method):
    labelled = (0, 1, 3, 5)
    items = partial_items([(0, 1) if k in labelled else () for k in range(6)])
    without = train([items[k] for k in labelled], method=method).model
    model = train(items, method=method).model
    # Not equal: the images add to the vocabulary, and move the borders of folds.
    assert ranking(model, array_items()) > max(0.75, ranking(without, array_items()) - 0.03)


def test_superpixels_without_a_labelled_pixel_are_unknown_to_the_crf():
    item = partial_items([(0, 1)] * 6)[0]
    model = train(partial_items([(0, 1)] * 6)).model
    image = model.prepare(item.image()).with_truth(item.mask())
    instance = crf_instance(image, np.zeros((image.n_superpixels, 1)), PotentialSettings())
    known = image.labelled > 0
    assert 0 < known.mean() < 1
    assert np.array_equal(instance.labels >= 0, known)
    assert np.array_equal(instance.labels[known], image.labels[known])


def test_a_fold_whose_complement_lacks_a_class_scores_zero():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (90, 3)).astype(np.uint8)
    y = (X[:, 0] > 128).astype(np.int64)
    fold = np.repeat([0, 1, 2], 30)
    known = (fold == 0) | (y == 0)
    settings = UnarySettings(n_stumps=5)
    found = learn_out_of_fold(GroupLearner(X, y, known, fold, settings, seed=0))
    assert (found.out_of_fold[fold == 0] == 0).all()
    assert (found.out_of_fold[fold == 1] != 0).any()
    with pytest.raises(ValueError, match="no foreground superpixel"):
        learn_out_of_fold(GroupLearner(X, y, y == 0, fold, settings, seed=0))
