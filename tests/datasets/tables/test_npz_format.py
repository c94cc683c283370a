"""npz tables: only plain arrays, whose sizes are checked before they are unpacked."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segboost.datasets.tables.npz_format import parse_npz
from segboost.datasets.tables.packed_files import TableFileError
from tests.datasets.tables.outcomes import SOURCE, outcome


def packed(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


GOOD = packed(X=np.arange(6, dtype=np.int16).reshape(3, 2), y=np.array(["a", "b", "a"]))


def test_rows_labels_and_names():
    X, y, names = parse_npz(GOOD, "a")
    assert X.dtype == np.float64
    assert X.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert y.tolist() == ["a", "b", "a"]
    assert names == ()
    named = packed(X=np.eye(2), t=np.arange(2), feature_names=np.array(["u", "v"]))
    assert parse_npz(named, "a")[1].shape == (0,)
    X, y, names = parse_npz(named, "a", label="t")
    assert y.tolist() == [0, 1]
    assert names == ("u", "v")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"data": np.eye(2)}, "holds data: expected an array X"),
        ({"X": np.zeros(3)}, r"X has shape \(3,\)"),
        ({"X": np.zeros((0, 3))}, r"X has shape \(0, 3\)"),
        ({"X": np.zeros((2, 2), complex)}, "type complex128"),
        ({"X": np.array([["a"]])}, "expected rows of real numbers"),
        ({"X": np.array([[1.0, np.inf]])}, r"X\[0, 1\] is inf"),
        ({"X": np.eye(2), "y": np.zeros(3)}, "expected 2 numbers or strings"),
        ({"X": np.eye(2), "y": np.array([0, np.inf])}, "nan or infinity"),
        ({"X": np.eye(2), "y": np.array([{}, []], dtype=object)}, "'y' cannot be read"),
        ({"X": np.array([[{}]], dtype=object)}, "'X' cannot be read"),
        ({"X": np.eye(2), "feature_names": np.array(["a", "a"])}, "2 different strings"),
    ],
)
def test_files_that_are_not_tables_are_refused(arrays, message):
    with pytest.raises(TableFileError, match=message):
        parse_npz(packed(**arrays), "a")


def test_a_missing_label_array_is_named():
    with pytest.raises(TableFileError, match="no array 'kind': it holds X, y"):
        parse_npz(GOOD, "a", label="kind")


def test_a_bomb_is_refused_before_it_is_unpacked():
    with pytest.raises(TableFileError, match="unpacks to 8000128 bytes"):
        parse_npz(packed(X=np.zeros((1000, 1000))), "a", most_bytes=1 << 20)


def test_a_header_that_lies_about_its_size_is_refused():
    header = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (10**12, 10**3)}
    np.lib.format.write_array_header_1_0(header, shape)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("X.npy", header.getvalue() + b"\0" * 16)
    with pytest.raises(TableFileError, match="'X' cannot be read"):
        parse_npz(file.getvalue(), "a")


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_a_changed_byte_is_a_table_or_one_clear_error(place, change):
    data = bytearray(GOOD)
    data[place] ^= change
    found = outcome(lambda: parse_npz(bytes(data), SOURCE, most_bytes=1 << 20))
    assert isinstance(found, str) or np.isfinite(found[0]).all()


@given(st.binary(max_size=100))
def test_arbitrary_bytes_are_refused(data):
    with pytest.raises(TableFileError):
        parse_npz(data, "a")
