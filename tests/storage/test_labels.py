"""Class names keep their type through JSON."""

import json

import numpy as np
import pytest

from segboost import ModelFileError
from segboost.storage.labels import labels_from_json, labels_to_json

NAMES = {
    "int64": np.array([-5, 0, 2**62]),
    "int8": np.array([1, 2], dtype=np.int8),
    "uint8": np.array([0, 255], dtype=np.uint8),
    "float64": np.array([-0.5, 1e300]),
    "float32": np.array([0.1, 2.5], dtype=np.float32),
    "bool": np.array([False, True]),
    "text": np.array(["", "ü", "long name"]),
    "objects": np.array(["a", 3, 2.5, True], dtype=object),
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_round_trip(names):
    back = labels_from_json(json.loads(json.dumps(labels_to_json(names))))
    assert back.dtype == names.dtype
    assert back.shape == names.shape
    assert np.array_equal(back, names)
    assert [type(v) for v in back.tolist()] == [type(v) for v in names.tolist()]


@pytest.mark.parametrize(
    "names",
    [
        np.array([(1, 2), None], dtype=object),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.array([b"bytes"]),
        np.array([1 + 2j]),
        np.array([None, "a"], dtype=object),
        np.array([frozenset()], dtype=object),
    ],
    ids=["tuple", "date", "bytes", "complex", "None", "set"],
)
def test_class_names_that_json_cannot_hold_are_refused(names):
    with pytest.raises(ValueError, match="class names must be text, numbers or booleans"):
        labels_to_json(names)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        [],
        {},
        {"values": [1]},
        {"dtype": "<i8"},
        {"dtype": "nonsense", "values": [1]},
        {"dtype": "<i8", "values": ["a"]},
        {"dtype": "<i8", "values": [[1, 2]]},
        {"dtype": "<i8", "values": 3},
        {"dtype": "|i1", "values": [1000]},
    ],
)
def test_damaged_names_are_reported(value):
    with pytest.raises(ModelFileError, match="class names"):
        labels_from_json(value)
