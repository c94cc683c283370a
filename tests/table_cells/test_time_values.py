"""Dates, times and durations in frames and arrays are refused, with the column's name."""

import copy
import datetime

import numpy as np
import pandas as pd
import pytest

from segboost import StructBoostClassifier, StructBoostRanker
from segboost.baselines import AdaBoostMH, RankBoost, RankingSVM, StructuredSVMClassifier
from segboost.estimators.table_encoder import TableEncoder
from segboost.table_cells.time_values import refuse_time_columns

DAYS = pd.date_range("2024-01-01", periods=4)
COLUMNS = {
    "datetime64": (DAYS, "dates"),
    "with a time zone": (DAYS.tz_localize("UTC"), "dates"),
    "period": (DAYS.to_period("M"), "dates"),
    "timestamps": (pd.Series(list(DAYS), dtype=object), "dates"),
    "dates": ([day.date() for day in DAYS], "dates"),
    "with gaps": ([None, *DAYS.to_pydatetime()[1:]], "dates"),
    "timedelta64": (DAYS - DAYS[0], "durations"),
    "timedeltas": ([datetime.timedelta(1)] * 4, "durations"),
    "times": ([datetime.time(9, 30)] * 4, "times of day"),
}
ESTIMATORS = (
    StructBoostClassifier, StructBoostRanker, AdaBoostMH, StructuredSVMClassifier, RankBoost,
    RankingSVM, TableEncoder,
)  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_frames(name):
    values, kind = COLUMNS[name]
    X = pd.DataFrame({"size": np.arange(4.0), "when": values})
    with pytest.raises(ValueError, match=f"column 'when' holds {kind}: replace it with numbers"):
        StructBoostClassifier().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("make", ESTIMATORS)
def test_all_estimators_for_tables(make):
    X = pd.DataFrame({"size": np.arange(4.0), "when": DAYS.to_period("M")})
    with pytest.raises(ValueError, match="column 'when' holds dates"):
        make().fit(X, [0, 1, 0, 1])


def test_new_rows():
    X = pd.DataFrame({"when": np.arange(4.0)})
    model = StructBoostClassifier(C=100).fit(X, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="column 'when' holds dates"):
        model.predict(X.assign(when=DAYS))


def test_arrays():
    with pytest.raises(ValueError, match="X holds dates"):
        StructBoostClassifier().fit(DAYS.to_numpy()[:, None], [0, 1, 0, 1])
    with pytest.raises(ValueError, match="column 2 of X holds dates"):
        refuse_time_columns(np.array([[1.0, day] for day in DAYS], dtype=object))


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": [1.0, 2.0], "b": ["x", None], 3: [True, False]}),
        pd.DataFrame({"a": pd.Series(DAYS).astype("category")}),
        np.array([[1.0, "x"], [pd.NaT, None]], dtype=object),
        [[1, 2]],
    ],
    ids=["mixed", "categories", "missing", "list"],
)
def test_other_columns_pass(table):
    before = copy.deepcopy(table)
    refuse_time_columns(table)
    assert str(table) == str(before)
