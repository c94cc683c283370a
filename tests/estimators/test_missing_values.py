"""Missing values and categories in arrays and data frames."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import segboost
from segboost import StructBoostClassifier, StructBoostOrdinal, StructBoostRanker
from segboost.estimators.table_encoder import TableEncoder

FAST = {"C": 50.0, "n_iterations": 6, "random_state": 0}
LEARNERS = ("stump", "tree", "perceptron", "svm", "sigmoid")


def frame(n=60):
    """Return classes that only a category and a missing value distinguish."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    age = pd.Series(rng.normal(size=n)).mask(y == 2)
    colour = pd.Categorical(np.where(y == 0, "red", rng.choice(["blue", "green"], n)))
    whole = pd.array(rng.integers(0, 5, n), dtype="Int64")
    whole[3] = pd.NA
    text = pd.Series(rng.choice(["a", "b"], n), dtype=object).mask(np.arange(n) == 5)
    return pd.DataFrame({"age": age, "colour": colour, "n": whole, "t": text}), y


@pytest.mark.parametrize("learner", LEARNERS)
def test_frames_are_learned_saved_and_loaded(tmp_path, learner):
    X, y = frame()
    model = StructBoostClassifier(weak_learner=learner, **FAST).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.feature_importances_.shape == (4,)
    assert model.feature_importances_[:2].sum() > 0.5
    model.save(tmp_path / "m")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        back = segboost.load_model(tmp_path / "m")
        np.testing.assert_array_equal(back.decision_function(X), model.decision_function(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"age": "years"}))


def test_the_side_of_missing_numbers_is_learned():
    """Gaps go with the high values in one case and with the low ones in the other."""
    x = np.array([1.0, 2, 3, 4, np.nan, np.nan, np.nan, np.nan, 5, 6, 7, 8])
    for y in (np.isnan(x) | (x > 4), np.isnan(x) | (x < 5)):
        model = StructBoostClassifier(**FAST).fit(x[:, None], y)
        assert model.score(x[:, None], y) == 1.0
        assert len(model.ensemble_.weights.nonzero()[0]) == 1  # one stump suffices


def test_values_beyond_training_do_not_count_as_missing():
    x = np.array([1.0, 2, 3, 4, np.nan, np.nan])
    model = StructBoostClassifier(**FAST).fit(x[:, None], np.isnan(x))
    assert model.predict([[-1e9], [1e9], [np.nan]]).tolist() == [False, False, True]


def test_gaps_in_new_rows_of_complete_columns_become_the_median():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] > 0.5).astype(int)
    model = StructBoostClassifier(**FAST).fit(X, y)
    new = X.copy()
    new[::2, 1] = np.nan
    filled = np.where(np.isnan(new), np.median(X, axis=0), new)
    np.testing.assert_array_equal(model.decision_function(new), model.decision_function(filled))
    back = pd.DataFrame(new)
    np.testing.assert_array_equal(model.predict(back), model.predict(filled))


def test_unknown_categories_are_zeros():
    X = np.array([["a", 1.0], ["b", 2.0], ["a", 3.0]], dtype=object)
    encoder = TableEncoder().fit(X)
    assert encoder.transform(np.array([["c", 1.0]], dtype=object)).tolist() == [[0, 0, 1]]


def test_words_in_a_column_of_numbers_are_refused():
    X, y = frame()
    model = StructBoostClassifier(**FAST).fit(X, y)
    with pytest.raises(ValueError, match="column 1 of X must hold numbers, got 'old'"):
        model.predict(X.assign(age="old"))
    with pytest.raises(ValueError, match="holds dates"):
        model.fit(X.assign(age=pd.Timestamp("2024-01-01")), y)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(X.assign(age=np.inf), y)


def test_rankers_and_ranks():
    X, y = frame()
    assert StructBoostRanker(**FAST).fit(X, y == 0).score(X, y == 0) == 1.0
    assert StructBoostOrdinal(**FAST).fit(X, y).score(X, y) > 0.6


def test_complete_frames_give_the_same_model_as_arrays():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    plain = StructBoostClassifier(**FAST).fit(X, y)
    framed = StructBoostClassifier(**FAST).fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert framed.encoder_ is None
    np.testing.assert_array_equal(
        plain.decision_function(X),
        framed.decision_function(pd.DataFrame(X, columns=["a", "b"])),
    )


def test_the_encoder_is_a_transformer():
    X, y = frame()
    encoder = TableEncoder("linear").set_output(transform="pandas")
    found = encoder.fit_transform(X)
    assert list(found.columns) == [
        "age", "age (missing)", "colour=blue", "colour=green", "colour=red",
        "n", "n (missing)", "t=a", "t=b", "t (missing)",
    ]  # fmt: skip
    assert not found.isna().any().any()
    assert make_pipeline(TableEncoder(), StructBoostClassifier(**FAST)).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("value", [1e308, -1e200])
def test_numbers_that_overflow_are_refused(value):
    X = np.ones((4, 2))
    X[1, 1] = value
    with pytest.raises(ValueError, match="beyond ±1e\\+100 in column 2"):
        StructBoostClassifier(**FAST).fit(X, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="beyond ±1e\\+100 in column 2"):
        StructBoostClassifier(**FAST).fit(np.eye(4)[:, :2], [0, 1, 0, 1]).predict(X)
