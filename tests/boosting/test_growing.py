from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss

from segboost.boosting import BoosterSettings
from segboost.boosting.growing import boost_trees, grow_tree, walk_columns

SETTINGS = BoosterSettings(
    n_trees=15, depth=3, row_share=1.0, n_columns=100, l2=2.0, min_curvature=1.0
)


def bytes_and_labels(n=400, d=6, seed=0):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 256, (d, n)).astype(np.uint8)
    columns[0] //= 64  # few values
    columns[1] = 9  # one value
    logit = (columns[2] > 100) * 2.0 - (columns[3] > 50) * (columns[0] > 1) * 3.0
    return columns, rng.random(n) < expit(logit), rng.uniform(0.5, 1.5, n)


def slow_tree(columns, rows, gradient, curvature, settings, depth):
    """Grow a tree by trying every cut of every column; return it as a function of the row."""
    g, h = gradient[rows].sum(), curvature[rows].sum()
    best = (1e-9, None)
    for j in range(len(columns)):
        for b in range(255):
            left = rows[columns[j, rows] <= b]
            gl, hl = gradient[left].sum(), curvature[left].sum()
            gr, hr = g - gl, h - hl
            if min(hl, hr) < settings.min_curvature:
                continue
            gain = gl**2 / (hl + settings.l2) + gr**2 / (hr + settings.l2)
            gain -= g**2 / (h + settings.l2)
            if gain > best[0] + 1e-12:
                best = (gain, (j, b))
    if depth == 0 or best[1] is None:
        value = -settings.learning_rate * g / (h + settings.l2)
        return lambda i: value
    j, b = best[1]
    below = columns[j, rows] <= b
    left = slow_tree(columns, rows[below], gradient, curvature, settings, depth - 1)
    right = slow_tree(columns, rows[~below], gradient, curvature, settings, depth - 1)
    return lambda i: left(i) if columns[j, i] <= b else right(i)


@pytest.mark.parametrize("depth", [1, 3])
def test_a_tree_equals_the_one_found_by_trying_every_cut(depth):
    columns, labels, weight = bytes_and_labels(n=120)
    rows = np.arange(120)
    gradient, curvature = (0.5 - labels) * weight, 0.25 * weight
    settings = BoosterSettings(depth=depth, l2=2.0, min_curvature=1.0)
    tree = grow_tree(columns, rows, np.arange(6), gradient, curvature, settings)
    expected = slow_tree(columns, rows, gradient, curvature, settings, depth)
    found = walk_columns(columns, rows, tree.feature, tree.cut, tree.value)
    np.testing.assert_allclose(found, [expected(i) for i in rows], rtol=1e-9)


def test_as_good_as_scikit_learn_on_new_rows():
    columns, labels, weight = bytes_and_labels(n=4000)
    train, test = np.arange(2000), np.arange(2000, 4000)
    settings = BoosterSettings(n_trees=60, depth=4, n_columns=4)
    baseline, trees = boost_trees(
        columns, train, labels[train], weight[train], settings, np.random.default_rng(0)
    )
    score = baseline + sum(walk_columns(columns, test, t.feature, t.cut, t.value) for t in trees)
    peer = HistGradientBoostingClassifier(max_iter=60).fit(columns.T[train], labels[train])
    theirs = log_loss(labels[test], peer.predict_proba(columns.T[test])[:, 1])
    assert log_loss(labels[test], expit(score)) < 1.02 * theirs


def test_training_loss_falls_with_every_tree():
    columns, labels, weight = bytes_and_labels()
    rows = np.arange(400)
    baseline, trees = boost_trees(columns, rows, labels, weight, SETTINGS, np.random.default_rng(0))
    score, losses = np.full(400, baseline), []
    for tree in trees:
        losses.append(log_loss(labels, expit(score), sample_weight=weight))
        score += walk_columns(columns, rows, tree.feature, tree.cut, tree.value)
    assert (np.diff(losses) < 0).all()
