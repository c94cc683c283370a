"""LIBSVM files: valid rows, errors with their line, and arbitrary bytes."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from segboost.datasets.tables.libsvm_format import _checked_pairs, _fast_pairs, parse_libsvm
from segboost.datasets.tables.packed_files import TableFileError
from tests.datasets.tables.outcomes import SOURCE, outcome

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False, width=32)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 6))
def test_reads_what_another_library_writes_and_reads(seed, n, d):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.4, 0.0, rng.normal(size=(n, d)))
    y = rng.integers(-2, 3, n)
    file = io.BytesIO()
    dump_svmlight_file(X, y, file, zero_based=False, comment="made by a test")
    read, labels = parse_libsvm(file.getvalue(), "a", n_features=d)
    np.testing.assert_allclose(read, X, rtol=1e-14)
    np.testing.assert_array_equal(labels, y)
    file.seek(0)
    theirs, _ = load_svmlight_file(file, n_features=d, zero_based=False)
    np.testing.assert_array_equal(read, theirs.toarray())


def test_labels_keep_their_type():
    assert parse_libsvm(b"+1 1:1\n-1 1:2\n", "a")[1].dtype == np.int64
    assert parse_libsvm(b"0.5 1:1\n1 1:2\n", "a")[1].tolist() == [0.5, 1.0]
    assert parse_libsvm(b"1:1\n1:2\n", "a")[1].shape == (0,)


def test_rows_without_pairs_are_zeros_and_fewer_features_are_padded():
    X, y = parse_libsvm(b"1\r\n\r\n# comment\n2 2:5 # more\n", "a", n_features=4)
    np.testing.assert_array_equal(X, [[0, 0, 0, 0], [0, 5, 0, 0]])
    assert y.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "a has no rows"),
        (b"# nothing\n", "a has no rows"),
        (b"1 1:1\nx 1:1\n", "a, line 2: expected a number as label, got 'x'"),
        (b"1,2 1:1\n", "a, line 1: expected a number as label, got '1,2'"),
        (b"nan 1:1\n", "line 1: expected a number as label"),
        (b"1 1:nan\n", "line 1: expected index:value"),
        (b"1 1:1e999\n", "line 1: expected index:value"),
        (b"1 1:inf\n", "line 1: expected index:value"),
        (b"1 1:1_0\n", "line 1: expected index:value"),
        (b"1 1_0:1\n", "line 1: expected index:value"),
        (b"1 1:\n", "line 1: expected index:value"),
        (b"1 1:2:3\n", "line 1: expected index:value"),
        (b"1 qid:3 1:2\n", "line 1: expected index:value, both numbers, got 'qid:3'"),
        (b"1 5\n", "line 1: expected index:value"),
        (b"1 0:1\n", "line 1: index 0, expected indices from 1"),
        (b"1 -3:1\n", "line 1: index -3, expected indices from 1"),
        (b"1 2:1 2:1\n", "line 1: index 2 after 2, expected rising"),
        (b"1 3:1 2:1\n", "line 1: index 2 after 3, expected rising"),
        (b"1 1:1\n1 1000000000000:1\n", "index 1000000000000 in a, line 2"),
        (b"1 " + b"9" * 30 + b":1\n", "expected indices from 1"),
        (b"1 " + b"9" * 5000 + b":1\n", "expected index:value"),
        (b"1:1\n5 1:1\n", "line 2: expected index:value"),
        (b"1 1:1\n1:1\n", "line 2: expected a number as label"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(TableFileError, match=message.replace("(", r"\(")):
        parse_libsvm(text, "a")


def test_more_features_than_expected_are_refused():
    with pytest.raises(TableFileError, match="a, line 2: index 7, expected at most 3 features"):
        parse_libsvm(b"1 1:1\n1 7:1\n1 2:1\n", "a", n_features=3)


def test_the_size_is_checked_before_memory_is_allocated():
    with pytest.raises(TableFileError, match="take more than 1000 bytes"):
        parse_libsvm(b"1 200:1\n", "a", most_bytes=1000)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_a_table_or_one_clear_error(data):
    found = outcome(lambda: parse_libsvm(data, SOURCE, most_bytes=1 << 20))
    if not isinstance(found, str):
        X, y = found
        assert np.isfinite(X.data if sparse.issparse(X) else X).all()
        assert np.isfinite(y).all()


@given(st.lists(st.text("0123456789:.+-eEnaif_ \t", max_size=12), max_size=5))
def test_the_fast_path_agrees_with_the_checked_one(words):
    given = [word.encode() for text in words for word in text.split()]
    fast = _fast_pairs(given)
    try:
        checked = _checked_pairs(given, "a, line 1")
    except TableFileError:
        assert fast is None
    else:
        assert fast is None or fast == checked


@given(st.lists(st.tuples(st.integers(1, 5), NUMBERS), max_size=6))
def test_the_fast_path_handles_valid_rows(pairs):
    index = np.cumsum([step for step, _ in pairs]).tolist()
    words = [f"{i}:{v!r}".encode() for i, (_, v) in zip(index, pairs, strict=True)]
    assert _fast_pairs(words) == (index, [v for _, v in pairs])


def test_large_tables_with_few_values_stay_sparse():
    lines = b"".join(b"%d %d:0.5 700000:2\n" % (i % 2, i + 1) for i in range(4))
    X, y = parse_libsvm(lines, "a")
    assert X.format == "csc"
    assert X.shape == (4, 700_000)
    np.testing.assert_array_equal(
        X[:, [0, 3, 699_999]].toarray()[[0, 3]], [[0.5, 0, 2], [0, 0.5, 2]]
    )
    np.testing.assert_array_equal(y, [0, 1, 0, 1])


def test_nearly_empty_tables_are_refused_before_memory_is_allocated():
    lines = b"1 20000000:1\n" + b"2 1:1\n" * 3
    with pytest.raises(TableFileError, match=r"only 4 values \(index 20000000 in a, line 1\)"):
        parse_libsvm(lines, "a")
