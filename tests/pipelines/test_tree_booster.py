from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from segboost.pipelines.tree_bins import encode, find_edges
from segboost.pipelines.tree_booster import BoosterSettings, TreeBooster

SETTINGS = BoosterSettings(n_trees=20, min_samples_leaf=5, max_features=0.5)


def table(n=600, d=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    X[:, 0] = np.round(X[:, 0])  # few values
    X[:, 1] = 3.0  # one value
    y = (X[:, 2] * X[:, 3] + X[:, 0] + rng.normal(size=n) > 0).astype(np.int64)
    return X, y, rng.uniform(0.5, 2, n)


def peer(seed=0):
    s = SETTINGS
    return HistGradientBoostingClassifier(
        max_iter=s.n_trees,
        learning_rate=s.learning_rate,
        max_leaf_nodes=s.max_leaves,
        min_samples_leaf=s.min_samples_leaf,
        l2_regularization=s.l2,
        max_features=s.max_features,
        early_stopping=False,
        random_state=seed,
    )


def test_equals_scikit_learn_without_weights():
    X, y, _ = table()
    ours = TreeBooster.fit(X, y, None, SETTINGS, seed=3)
    theirs = peer(3).fit(X, y)
    for rows in (X, table(seed=1)[0]):
        expected = theirs.decision_function(rows)
        np.testing.assert_allclose(ours.decision_function(rows), expected, rtol=0, atol=1e-9)


def test_equals_scikit_learn_on_codes_with_weights():
    X, y, weight = table()
    edges = [find_edges(column) for column in X.T]
    theirs = peer().fit(encode(X, edges), y, sample_weight=weight)
    ours = TreeBooster.fit(X, y, weight, SETTINGS)
    new = table(seed=2)[0]
    expected = theirs.decision_function(encode(new, edges))
    np.testing.assert_allclose(ours.decision_function(new), expected, rtol=0, atol=1e-9)


def test_codes_split_as_values_do():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 1))
    edges = find_edges(X[:, 0])
    assert len(edges) == 254
    assert (np.diff(edges) > 0).all()
    codes = encode(X, [edges])[:, 0]
    for k in (0, 17, 253):
        assert ((X[:, 0] <= edges[k]) == (codes <= k)).all()


def test_arrays_and_back():
    X, y, weight = table()
    model = TreeBooster.fit(X, y, weight, SETTINGS)
    again = TreeBooster.from_arrays(model.to_arrays())
    assert (again.decision_function(X) == model.decision_function(X)).all()


def test_same_seed_same_trees():
    X, y, weight = table()
    one, two = (TreeBooster.fit(X, y, weight, SETTINGS, seed=5) for _ in range(2))
    for name, array in one.to_arrays().items():
        assert (array == two.to_arrays()[name]).all()


@pytest.mark.parametrize(
    "damage",
    [
        {"left": lambda a: a * 0},
        {"right": lambda a: a + 10**6},
        {"root": lambda a: a - 1},
        {"feature": lambda a: a + 100},
        {"value": lambda a: a[:-1]},
        {"threshold": lambda a: a[:-1]},
    ],
    ids=lambda d: next(iter(d)),
)
def test_damaged_arrays_are_refused(damage):
    X, y, _ = table()
    arrays = TreeBooster.fit(X, y, None, SETTINGS).to_arrays()
    with pytest.raises(ValueError, match="damaged"):
        TreeBooster.from_arrays(arrays | {k: f(arrays[k]) for k, f in damage.items()})


def test_rows_of_another_width_are_refused():
    X, y, _ = table()
    with pytest.raises(ValueError, match="expected"):
        TreeBooster.fit(X, y, None, SETTINGS).decision_function(X[:, 1:])
