from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from segboost.pipelines.segmentation.config.stage_settings import LinearSettings
from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
from segboost.pipelines.segmentation.potentials.linear import (
    DEFAULT,
    LinearPotential,
    fit_linear_potential,
)
from tests.pipelines.segmentation.superpixel_graphs import grid_image

FOLD = np.repeat([0, 1, 2], 2 * 36)


def labelled_images(n=6, seed=0):
    """Return images whose labels follow a noisy sum of two columns in different groups."""
    rng = np.random.default_rng(seed)
    images, features = [], []
    for _ in range(n):
        image = grid_image(rows=6, columns=6)
        coarse = rng.integers(0, 256, (36, 2)).astype(np.uint8)
        fine = rng.normal(size=(36, 3)).astype(np.float32)
        truth = (coarse[:, 0] / 64.0 - 2 + fine[:, 1] + rng.normal(scale=0.3, size=36)) > 0
        images.append(image.with_truth(truth[image.superpixels].astype(np.uint8)))
        features.append({"coarse": coarse, "fine": fine})
    return images, FeatureReader(n, ("coarse", "fine"), lambda i, g: features[i][g])


def test_the_potential_is_logistic_regression_on_standardised_columns():
    images, reader = labelled_images()
    found = fit_linear_potential(reader, images, FOLD, 0).model
    table = np.concatenate([reader.column_block(g).astype(float) for g in reader.groups], axis=1)
    labels = np.concatenate([i.labels for i in images])
    scaler = StandardScaler().fit(table)
    peer = LogisticRegression(C=DEFAULT.regularisation, max_iter=1000)
    peer.fit(scaler.transform(table), labels)
    expected = peer.decision_function(scaler.transform(table))
    own = np.concatenate([found.scores(reader.image(i)) for i in range(len(images))])
    np.testing.assert_allclose(own, expected, atol=1e-3)


def test_out_of_fold_scores_do_not_see_their_fold():
    images, reader = labelled_images()
    scores = fit_linear_potential(reader, images, FOLD, 0).out_of_fold
    first = images[0]
    images[0] = first.with_truth((1 - first.labels)[first.superpixels].astype(np.uint8))
    again = fit_linear_potential(reader, images, FOLD, 0).out_of_fold
    assert (scores[FOLD == 0] == again[FOLD == 0]).all()
    assert (scores[FOLD != 0] != again[FOLD != 0]).all()


def test_arrays_and_back():
    images, reader = labelled_images()
    found = fit_linear_potential(reader, images, FOLD, 0).model
    again = LinearPotential.from_arrays(reader.groups, found.to_arrays())
    assert (found.scores(reader.image(0)) == again.scores(reader.image(0))).all()
    with pytest.raises(ValueError, match="expected 5 columns"):
        found.scores({**reader.image(0), "fine": np.zeros((36, 2))})


def test_the_averaged_potential_is_the_mean_of_the_classifiers_of_all_parts():
    images, reader = labelled_images()
    alone = fit_linear_potential(reader, images, FOLD, 0)
    averaged = fit_linear_potential(reader, images, FOLD, 0, average=True)
    assert (averaged.out_of_fold == alone.out_of_fold).all()
    own = np.concatenate([averaged.model.scores(reader.image(i)) for i in range(len(images))])
    models = [alone.model]
    for k in range(3):  # fit the classifier of the other two folds again
        part = [i for n, i in enumerate(images) if FOLD[36 * n] != k]
        groups = [reader.image(n) for n in range(len(images)) if FOLD[36 * n] != k]
        others = FeatureReader(4, reader.groups, lambda i, g, groups=groups: groups[i][g])
        models.append(fit_linear_potential(others, part, np.zeros(4 * 36, np.int64), 0).model)
    table = [[m.scores(reader.image(i)) for i in range(len(images))] for m in models]
    np.testing.assert_allclose(own, np.mean(table, axis=0).ravel(), atol=1e-9)


def test_classes_are_balanced_by_a_power_of_their_size():
    images, reader = labelled_images()
    kept = np.arange(36) % 4 == 0
    partial = []  # three quarters of the background are void
    for image in images:
        labels = np.where((image.labels == 1) | kept, image.labels, 255)
        partial.append(image.with_truth(labels[image.superpixels].astype(np.uint8)))
    settings = LinearSettings(regularisation=6e-3, balanced=2)
    found = fit_linear_potential(reader, partial, FOLD, 0, settings=settings).model
    table = np.concatenate([reader.column_block(g).astype(float) for g in reader.groups], axis=1)
    labels = np.concatenate([i.labels for i in partial])
    weight = np.concatenate([i.labelled for i in partial])
    rows = weight > 0
    total = np.bincount(labels[rows], weight[rows])
    weight = weight[rows] * total[labels[rows]] ** -(2 / 6)
    x = StandardScaler().fit(table[rows]).transform(table[rows])
    peer = LogisticRegression(C=6e-3, max_iter=1000).fit(x, labels[rows], weight / weight.mean())
    own = np.concatenate([found.scores(reader.image(i)) for i in range(len(images))])[rows]
    np.testing.assert_allclose(own, peer.decision_function(x), atol=1e-3)
    plain = fit_linear_potential(reader, partial, FOLD, 0).model
    assert found.bias != plain.bias
