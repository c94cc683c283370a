from __future__ import annotations

import numpy as np
import pytest

from segboost.boosting.walking import ROWS_AT_A_TIME, CompleteTrees, add_trees_numpy


def random_trees(rng, n_trees, depth, n_features, n_scores):
    """Return trees with leaves on all levels and random values below them, which are unused."""
    n_nodes = 2 ** (depth + 1) - 1
    feature = rng.integers(0, n_features, (n_trees, n_nodes)).astype(np.int32)
    feature[rng.random(feature.shape) < 0.3] = -1
    feature[:, n_nodes // 2 :] = -1
    threshold = rng.integers(-2, 3, (n_trees, n_nodes)).astype(np.float64)
    threshold[rng.random(threshold.shape) < 0.1] = np.nan
    return feature, threshold, rng.normal(size=(n_trees, n_nodes, n_scores))


def walk(feature, threshold, value, row):
    """Return the sum over the trees for one row, by definition."""
    total = np.zeros(value.shape[2])
    for tree in range(len(feature)):
        k = 0
        while feature[tree, k] >= 0:
            below = row[feature[tree, k]] <= threshold[tree, k]
            k = 2 * k + (1 if below else 2)
        total += value[tree, k]
    return total


@pytest.mark.parametrize("n_rows", [0, 1, ROWS_AT_A_TIME, 2 * ROWS_AT_A_TIME + 3])
@pytest.mark.parametrize("depth", [0, 1, 4])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_sums_equal_the_walk_of_every_row_to_the_bit(n_rows, depth, n_scores):
    rng = np.random.default_rng([n_rows, depth, n_scores])
    trees = random_trees(rng, 12, depth, 5, n_scores)
    table = rng.integers(-3, 4, (n_rows, 5)).astype(np.float32)
    table[rng.random(table.shape) < 0.05] = np.nan
    expected = np.array([walk(*trees, row) for row in table]).reshape(n_rows, n_scores)
    complete = CompleteTrees.of(*trees)
    for add in (complete.add_to, lambda out, table: add_trees_numpy(complete, out, table)):
        out = np.zeros((n_rows, n_scores))
        add(out, table)
        assert np.array_equal(out, expected)
