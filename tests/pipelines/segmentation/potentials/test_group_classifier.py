from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.config.stage_settings import UnarySettings
from segboost.pipelines.segmentation.potentials.group_classifier import GroupLearner, fit_stumps
from segboost.pipelines.segmentation.potentials.out_of_fold import learn_out_of_fold

SETTINGS = UnarySettings(n_stumps=15, n_folds=3)


def table(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 256, (n, 4)).astype(np.uint8)
    y = (X[:, 1].astype(int) + rng.normal(scale=40, size=n) > 150).astype(np.int64)
    return X, y


def learn(X, y, known, fold):
    return learn_out_of_fold(GroupLearner(X, y, known, fold, SETTINGS, seed=0))


def test_a_score_does_not_depend_on_the_labels_of_its_fold():
    X, y = table()
    fold = np.repeat([0, 1, 2], 200)
    known = np.ones(len(y), bool)
    one = learn(X, y, known, fold)
    flipped = np.where(fold == 1, 1 - y, y)
    other = learn(X, flipped, known, fold)
    assert (one.out_of_fold[fold == 1] == other.out_of_fold[fold == 1]).all()
    assert (one.out_of_fold[fold == 0] != other.out_of_fold[fold == 0]).any()


def test_superpixels_without_a_label_are_not_learned_from():
    X, y = table()
    fold = np.repeat([0, 1, 2], 200)
    known = np.arange(len(y)) % 3 > 0
    other = np.where(known, y, 1 - y)
    one, two = (learn(X, labels, known, fold) for labels in (y, other))
    assert (one.out_of_fold == two.out_of_fold).all()
    for name, array in one.model.pack().items():
        assert (array == two.model.pack()[name]).all()


def test_out_of_fold_scores_separate_the_classes():
    X, y = table()
    found = learn(X, y, np.ones(len(y), bool), np.repeat([0, 1, 2], 200))
    assert ((found.out_of_fold > 0) == (y == 1)).mean() > 0.75


def test_samples_keep_the_weight_of_the_classes():
    X, y = table(3000)
    few = UnarySettings(n_stumps=1, most_foreground=100, most_background=200)
    rows = np.arange(len(y))
    scores = [
        fit_stumps(X, y, rows, s, np.random.default_rng(0)).scores(X)[:, 0]
        for s in (few, UnarySettings(n_stumps=1))
    ]
    assert np.mean((scores[0] > 0) == (scores[1] > 0)) > 0.9


@pytest.mark.parametrize(("value", "missing"), [(0, "foreground"), (1, "background")])
def test_a_missing_class_is_named(value, missing):
    X, y = table()
    with pytest.raises(ValueError, match=f"no {missing} superpixel"):
        fit_stumps(X, y * 0 + value, np.arange(len(y)), SETTINGS, np.random.default_rng(0))
