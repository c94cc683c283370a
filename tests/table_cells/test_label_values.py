"""Labels that cannot be sorted are refused by all estimators on tables."""

import numpy as np
import pandas as pd
import pytest

from segboost import StructBoostClassifier, StructBoostOrdinal, StructBoostRanker
from segboost.baselines import AdaBoostMH, RankBoost, RankingSVM, StructuredSVMClassifier
from segboost.table_cells.label_values import refuse_odd_labels

X = np.arange(8.0).reshape(4, 2)
FRAME = pd.DataFrame({"size": [1.0, 2, 3, 4], "colour": ["red", "blue", "red", "blue"]})
ODD = {
    "None": np.array(["u", None, "u", "v"]),
    "nan": np.array(["u", np.nan, "u", "v"], dtype=object),
    "other nan": np.array(["u", float("nan"), "u", "v"], dtype=object),
    "NA": pd.array(["u", None, "u", "v"], dtype="string"),
    "mixed": np.array(["u", 1, "u", 1], dtype=object),
}
ESTIMATORS = (
    StructBoostClassifier, StructBoostOrdinal, StructBoostRanker, AdaBoostMH, RankBoost,
    RankingSVM, StructuredSVMClassifier,
)  # fmt: skip


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("make", ESTIMATORS)
def test_missing_and_mixed_labels(make, name):
    with pytest.raises(ValueError, match=r"y (contains missing|mixes text)|contains NaN"):
        make().fit(X, ODD[name])


@pytest.mark.parametrize("y", [None, 3, "abc", [], [1, 2, 3], [[0, 1]] * 4, [0, 1, np.nan, 1]])
def test_labels_beside_a_table_with_text(y):
    with pytest.raises(ValueError, match=r"\by\b|inconsistent numbers of samples"):
        StructBoostClassifier().fit(FRAME, y)


@pytest.mark.parametrize("y", [[0, 1], np.array(["u", "v"], dtype=object), np.array([True, False])])
def test_other_labels_pass(y):
    before = list(y)
    refuse_odd_labels(y)
    assert list(y) == before
    assert list(StructBoostClassifier().fit([[0.0], [1.0]], y).classes_) == sorted(before)


@pytest.mark.parametrize("nan", [np.nan, float("nan"), np.float32("nan"), np.float64("nan")])
@pytest.mark.parametrize("other", ["u", 1])
def test_every_nan_is_a_missing_label(nan, other):
    with pytest.raises(ValueError, match=r"y contains missing labels \(nan\)"):
        refuse_odd_labels(np.array([other, nan], dtype=object))
