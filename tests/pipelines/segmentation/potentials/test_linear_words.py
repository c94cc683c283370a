from __future__ import annotations

import numpy as np

from segboost.pipelines.segmentation.potentials import linear_words
from segboost.pipelines.segmentation.potentials.linear_words import fit_linear_words


def test_svm_scores_come_from_machines_that_did_not_see_the_fold(monkeypatch):
    monkeypatch.setattr(linear_words, "C_CHOICES", (1.0,))
    rng = np.random.default_rng(0)
    features = rng.integers(0, 9, (120, 6))
    labels = (features[:, 0] > 4).astype(np.int64)
    fold = np.repeat([0, 1, 2], 40)
    known, area = np.ones(120, bool), np.ones(120)
    scores = fit_linear_words(features, labels, known, fold, area).out_of_fold
    wrong = np.where(fold == 1, 1 - labels, labels)
    learned = fit_linear_words(features, wrong, known, fold, area)
    other = learned.out_of_fold
    assert (scores[fold == 1] == other[fold == 1]).all()
    assert (scores[fold != 1] != other[fold != 1]).all()
    assert (learned.model(features) != other).any()


def test_a_fold_whose_complement_has_one_class_gets_the_final_scores():
    features = np.repeat(np.eye(2, dtype=np.uint8), 20, axis=0)
    labels, fold = np.repeat([0, 1], 20), np.repeat([0, 1], [20, 20])
    learned = fit_linear_words(features, labels, np.ones(40, bool), fold, np.ones(40))
    assert (learned.out_of_fold == learned.model(features)).all()
