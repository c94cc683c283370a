"""Text columns of frames and arrays: refused, warned about, or taken as categories."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from segboost import StructBoostClassifier
from segboost.estimators.table_encoder import TableEncoder

Y = np.arange(40) % 2


def frame(values, kind=object):
    return pd.DataFrame({"size": np.arange(40.0), "text": pd.Series(values, dtype=kind)})


def fit(X):
    return StructBoostClassifier(C=1e3, n_iterations=2, random_state=0).fit(X, Y)


@pytest.mark.parametrize("kind", [object, "string"])
def test_written_dates_are_refused(kind):
    X = frame([f"Jan {1 + i % 28} 2024" for i in range(40)], kind)
    for estimator in (StructBoostClassifier(), TableEncoder()):
        with pytest.raises(ValueError, match=r"column 'text': 'Jan 1 2024' is a date: replace it"):
            estimator.fit(X, Y)


@pytest.mark.parametrize("text", ["{}.5%", "${}.50", "1,{:03}.5", "{} kg"])
def test_decorated_numbers_are_refused(text):
    with pytest.raises(ValueError, match=r"column 'text': .* has .*: remove the"):
        fit(frame([text.format(i) for i in range(40)]))


def test_declared_categories_are_taken():
    X = frame([f"2024-01-{1 + i % 9:02}" for i in range(40)]).astype({"text": "category"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fit(X)
    # A column of categories in training is one in new rows too, regardless of its type.
    assert model.predict(X.astype({"text": object})).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "column 'text' holds 40 different numbers written as text in 40 rows"),
        ("name {}x", "column 'text' holds 40 different texts in 40 rows"),
    ],
)
def test_nearly_as_many_values_as_rows_cause_a_warning(text, message):
    X = frame([text.format(i) for i in range(40)])
    with pytest.warns(UserWarning, match=message):
        fit(X)
    with pytest.warns(UserWarning, match="column 2 of X holds 40 different"):
        fit(X.to_numpy(dtype=object))


def test_objects_of_other_types():
    decimals = fit(frame([Decimal(i) for i in range(40)]))
    numbers = fit(frame(np.arange(40), float))
    np.testing.assert_array_equal(
        decimals.decision_function(frame(np.arange(40), float)),
        numbers.decision_function(frame(np.arange(40), float)),
    )
    with pytest.raises(ValueError, match=r"column 'text' holds Interval\(0, 1, closed='right'\)"):
        fit(frame(list(pd.interval_range(0, 40))))
    with pytest.raises(ValueError, match="column 'text' holds"):
        fit(frame([{"a": 1}] * 40))


def test_masked_values_are_missing():
    X = np.ma.masked_array(np.arange(80.0).reshape(40, 2), mask=False)
    X[::3, 1] = np.ma.masked
    masked, gaps = fit(X), fit(X.filled(np.nan))
    np.testing.assert_array_equal(masked.decision_function(X), gaps.decision_function(X))


def test_numbers_too_large_for_floats_and_arrays_are_refused():
    with pytest.raises(ValueError, match=r"beyond ±1e\+100"):
        fit(frame([10**400] * 40))
    with pytest.raises(ValueError, match="column 'text' holds"):
        fit(frame([np.zeros(2)] * 40))
