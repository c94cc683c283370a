from __future__ import annotations

import numpy as np
import pytest

from segboost.boosting import BoosterSettings, TreeBooster
from segboost.boosting.bins import bin_columns
from segboost.boosting.growing import walk_columns

SETTINGS = BoosterSettings(n_trees=20, depth=3, n_columns=4, l2=2.0, min_curvature=2.0)


def table(n=600, d=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    X[:, 0] = np.round(X[:, 0])  # few values
    X[:, 1] = 3.0  # one value
    y = (X[:, 2] * X[:, 3] + X[:, 0] + rng.normal(size=n) > 0).astype(np.int64)
    return X, y, rng.uniform(0.5, 2, n)


def test_thresholds_of_values_split_as_the_codes_did():
    X, y, weight = table()
    model = TreeBooster.fit(X, y, weight, SETTINGS, seed=3)
    new = table(seed=1)[0]
    thresholds = bin_columns(X).thresholds
    columns = np.stack(
        [np.searchsorted(t, x) for t, x in zip(thresholds, new.T.astype(float), strict=True)]
    ).astype(np.uint8)
    expected = np.full(len(new), model.baseline)
    for feature, threshold, value in zip(model.feature, model.threshold, model.value, strict=True):
        cut = np.zeros(len(feature), dtype=np.int64)
        for k in np.flatnonzero(feature >= 0):
            cut[k] = np.flatnonzero(thresholds[feature[k]] == threshold[k])[0]
        expected += walk_columns(columns, np.arange(len(new)), feature, cut, value)
    np.testing.assert_allclose(model.decision_function(new), expected, rtol=0, atol=1e-12)


def test_arrays_and_back():
    X, y, weight = table()
    model = TreeBooster.fit(X, y, weight, SETTINGS)
    again = TreeBooster.from_arrays(model.to_arrays())
    assert (again.decision_function(X) == model.decision_function(X)).all()


def test_same_seed_same_trees():
    X, y, weight = table()
    one, two, other = (TreeBooster.fit(X, y, weight, SETTINGS, seed=s) for s in (5, 5, 6))
    for name, array in one.to_arrays().items():
        assert (array == two.to_arrays()[name]).all()
    assert (one.feature != other.feature).any()


@pytest.mark.parametrize(
    "damage",
    [
        {"feature": lambda a: a + 100},
        {"feature": lambda a: np.zeros_like(a)},
        {"feature": lambda a: a.astype(np.float64)},
        {"feature": lambda a: a[:, :-1], "value": lambda a: a[:, :-1]},
        {"value": lambda a: a[:-1]},
        {"threshold": lambda a: a[:-1]},
    ],
    ids=["beyond", "no leaves", "kind", "nodes", "value", "threshold"],
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


def test_the_mean_of_boosters_has_the_mean_of_their_scores():
    X, y, weight = table()
    boosters = [TreeBooster.fit(X, y, weight, SETTINGS, seed=s) for s in (0, 1, 2)]
    expected = np.mean([b.decision_function(X) for b in boosters], axis=0)
    np.testing.assert_allclose(TreeBooster.mean(boosters).decision_function(X), expected)
