from __future__ import annotations

import numpy as np

from segboost.boosting import BoosterSettings
from segboost.pipelines.segmentation.potentials import byte_table, trees
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.pipelines.segmentation.potentials.trees import (
    TreePotential,
    fit_tree_potential,
)
from tests.pipelines.segmentation.superpixel_graphs import grid_image

SETTINGS = BoosterSettings(n_trees=25, depth=2, n_columns=3, min_curvature=1.0, learning_rate=0.3)
FOLD = np.repeat([0, 1, 2], 3 * 36)


def labelled_images(n=9, seed=0):
    """Return images whose labels are the exclusive or of two features of different groups."""
    rng = np.random.default_rng(seed)
    images, features = [], []
    for _ in range(n):
        image = grid_image(rows=6, columns=6)
        coarse = rng.integers(0, 256, (36, 2)).astype(np.uint8)
        fine = rng.normal(size=(36, 2)).astype(np.float32)
        truth = (coarse[:, 0] > 128) ^ (fine[:, 1] > 0)
        mask = truth[image.superpixels].astype(np.uint8)
        images.append(image.with_truth(mask))
        features.append({"coarse": coarse, "fine": fine})
    return images, FeatureReader(n, ("coarse", "fine"), lambda i, g: features[i][g])


def test_trees_combine_features_of_several_groups():
    images, reader = labelled_images()
    scores = fit_tree_potential(reader, images, FOLD, SETTINGS, 0).out_of_fold
    truth = np.concatenate([i.labels for i in images]) == 1
    assert ((scores > 0) == truth).mean() > 0.8


def test_out_of_fold_scores_do_not_see_their_fold():
    images, reader = labelled_images()
    scores = fit_tree_potential(reader, images, FOLD, SETTINGS, 0).out_of_fold
    first = images[0]
    images[0] = first.with_truth((1 - first.labels)[first.superpixels].astype(np.uint8))
    again = fit_tree_potential(reader, images, FOLD, SETTINGS, 0).out_of_fold
    assert (scores[FOLD == 0] == again[FOLD == 0]).all()
    assert (scores[FOLD != 0] != again[FOLD != 0]).any()


def test_trees_do_not_depend_on_the_jobs():
    images, reader = labelled_images()
    one, two = (fit_tree_potential(reader, images, FOLD, SETTINGS, 0, n) for n in (1, 2))
    assert (one.out_of_fold == two.out_of_fold).all()
    arrays = two.model.to_arrays()
    assert all((a == arrays[name]).all() for name, a in one.model.to_arrays().items())


def test_arrays_and_back():
    images, reader = labelled_images()
    found = fit_tree_potential(reader, images, FOLD, SETTINGS, 0).model
    again = TreePotential.from_arrays(reader.groups, found.to_arrays())
    assert (found.scores(reader.image(0)) == again.scores(reader.image(0))).all()


def test_many_superpixels_are_sampled(monkeypatch):
    images, reader = labelled_images()
    everything = fit_tree_potential(reader, images, FOLD, SETTINGS, 0).out_of_fold
    seen = []
    boost = trees.boost_trees

    def record(columns, rows, positive, *rest):
        seen.append((columns.shape[1], len(rows), positive.copy()))
        return boost(columns, rows, positive, *rest)

    monkeypatch.setattr(byte_table, "MOST_ROWS", 200)
    monkeypatch.setattr(trees, "boost_trees", record)
    scores = fit_tree_potential(reader, images, FOLD, SETTINGS, 0).out_of_fold
    whole, *parts = seen  # the model of all rows, then one without each fold
    assert [columns for columns, _, _ in seen] == [200] * 4
    assert whole[1] == 200
    assert sum(n for _, n, _ in parts) == 2 * 200  # each row is left out once
    assert all(0.3 < positive.mean() < 0.7 for _, _, positive in seen)
    assert (scores != everything).mean() > 0.9
    # Superpixels outside the sample have scores as well, and better than chance.
    truth = np.concatenate([i.labels for i in images]) == 1
    assert ((scores > 0) == truth).mean() > 0.6
    again = fit_tree_potential(reader, images, FOLD, SETTINGS, 0).out_of_fold
    assert (scores == again).all()


def test_unlabelled_superpixels_are_not_learned_from():
    images, reader = labelled_images()
    void = images[0].labels.copy()[images[0].superpixels].astype(np.uint8)
    void[images[0].superpixels == 7] = 255
    images[0] = images[0].with_truth(void)
    one = fit_tree_potential(reader, images, FOLD, SETTINGS, 0).model
    features = reader.image(0)
    features["fine"][7] = 100.0
    two = fit_tree_potential(reader, images, FOLD, SETTINGS, 0).model
    assert (one.trees.value == two.trees.value).all()
