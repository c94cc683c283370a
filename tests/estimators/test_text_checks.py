"""Text columns of frames and arrays: refused, doubted, or taken as categories."""

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


def test_declared_categories_are_taken():
    X = frame([f"2024-01-{1 + i % 9:02}" for i in range(40)]).astype({"text": "category"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fit(X)
    # What was a category in training is one in new rows, whatever its type.
    assert model.predict(X.astype({"text": object})).tolist() == model.predict(X).tolist()


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
