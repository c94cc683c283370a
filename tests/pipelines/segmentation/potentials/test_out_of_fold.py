from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from segboost.pipelines.segmentation.potentials.out_of_fold import in_threads, learn_out_of_fold


@dataclass
class ShareLearner:
    """Its model is the share of foreground, which is also the score of every row."""

    labels: np.ndarray
    fold: np.ndarray

    @property
    def known(self):
        return np.ones(len(self.labels), bool)

    def fit(self, rows, part):
        return float(self.labels[rows].mean())

    def score(self, model, rows):
        return np.full(len(rows), model)


LEARNER = ShareLearner(np.array([0, 0, 1, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2]))


def mean(models):
    return float(np.mean(models))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_model_may_be_the_mean_of_all_parts(n_jobs):
    learned = learn_out_of_fold(LEARNER, in_threads(n_jobs), mean=mean)
    assert learned.model == pytest.approx((3 / 6 + 3 / 4 + 2 / 4 + 1 / 4) / 4)
    np.testing.assert_allclose(learned.out_of_fold, np.repeat([3 / 4, 2 / 4, 1 / 4], 2))


def test_without_a_mean_it_is_the_model_of_all_rows():
    assert learn_out_of_fold(LEARNER).model == 3 / 6
    single = ShareLearner(LEARNER.labels, np.zeros(6, int))
    assert learn_out_of_fold(single, mean=mean).model == 3 / 6


def test_a_fold_whose_complement_lacks_a_class_adds_nothing_to_the_mean():
    learner = ShareLearner(np.array([0, 1, 0, 0]), np.array([0, 0, 1, 1]))
    learned = learn_out_of_fold(learner, mean=mean)
    assert learned.model == pytest.approx((1 / 4 + 1 / 2) / 2)
    np.testing.assert_allclose(learned.out_of_fold, [0, 0, 1 / 2, 1 / 2])
