"""The context potential on graphs made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.boosting import BoosterSettings
from segboost.pipelines.segmentation.potentials.context import ContextPotential, fit_context
from tests.pipelines.segmentation.superpixel_graphs import images_and_scores

BOOSTER = BoosterSettings(n_trees=30, learning_rate=0.2, min_curvature=2.0)


def context(fold=None, n_jobs=1):
    images, scores = images_and_scores()
    image_fold = np.repeat([0, 1], 4) if fold is None else fold
    fold = np.repeat(image_fold, [i.n_superpixels for i in images])
    first = np.concatenate(scores)
    return images, first, fit_context(images, first, fold, BOOSTER, 0, n_jobs)


def test_context_scores_are_better_than_any_first_score():
    images, first, learned = context()
    truth = np.concatenate([i.labels for i in images]) == 1
    right = [((column > 0) == truth).mean() for column in (*first.T, learned.out_of_fold)]
    assert right[-1] > max(right[:-1])


def test_context_arrays_and_back():
    images, first, learned = context()
    found = learned.model
    again = ContextPotential.from_arrays(found.to_arrays())
    own = first[: images[0].n_superpixels]
    assert (found.scores(images[0], own) == again.scores(images[0], own)).all()


def test_context_does_not_depend_on_the_jobs():
    one, two = context()[2], context(n_jobs=2)[2]
    assert (one.out_of_fold == two.out_of_fold).all()
    arrays = two.model.to_arrays()
    assert all((a == arrays[name]).all() for name, a in one.model.to_arrays().items())


def test_one_fold_uses_the_final_model():
    images, first, learned = context(fold=np.zeros(8, dtype=np.int64))
    own = slice(0, images[0].n_superpixels)
    found = learned.model.scores(images[0], first[own])
    np.testing.assert_allclose(found, learned.out_of_fold[own], atol=1e-9)


def test_rows_that_do_not_fit_are_refused():
    images, scores = images_and_scores(2)
    with pytest.raises(ValueError, match="rows"):
        fit_context(images, scores[0], np.array([0, 1]), BOOSTER, 0)
