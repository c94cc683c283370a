"""CSV files: headers, label columns, errors with line and column."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segboost.datasets.tables.csv_format import parse_csv
from segboost.datasets.tables.packed_files import TableFileError
from tests.datasets.tables.outcomes import SOURCE, outcome

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@given(
    st.lists(
        st.tuples(NUMBERS, NUMBERS, st.sampled_from(["a b", 'quo"te', "x,y", "ü"])), min_size=1
    )
)
def test_written_rows_are_read_back(delimiter, rows):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(["first", "second", "kind"])
    writer.writerows(rows)
    table = parse_csv(file.getvalue().encode(), "a")
    assert table.X.tolist() == [[a, b] for a, b, _ in rows]
    assert table.y.tolist() == [kind for *_, kind in rows]
    assert table.feature_names == ("first", "second")
    assert (table.label_name, table.label_column) == ("kind", 2)


def test_without_a_header_all_rows_count():
    table = parse_csv(b"1,2,a\n3,4,b\n", "a")
    assert table.X.tolist() == [[1, 2], [3, 4]]
    assert table.y.tolist() == ["a", "b"]
    assert table.feature_names == ()


@pytest.mark.parametrize(
    ("label", "X", "y"),
    [
        ("auto", [[1, 3], [4, 6]], [2, 5]),  # the column named class
        ("c", [[1, 2], [4, 5]], [3, 6]),
        ("1", [[2, 3], [5, 6]], [1, 4]),
        (1, [[2, 3], [5, 6]], [1, 4]),
        (-1, [[1, 2], [4, 5]], [3, 6]),
        (None, [[1, 2, 3], [4, 5, 6]], []),
    ],
)
def test_the_label_column_by_name_or_number(label, X, y):
    table = parse_csv(b"\xef\xbb\xbfa,class,c\n1,2,3\n4,5,6\n", "a", label)
    assert table.X.tolist() == X
    assert table.y.tolist() == y


def test_labels_are_integers_numbers_or_text():
    assert parse_csv(b"1,-1\n1,+1\n", "a").y.dtype == np.int64
    assert parse_csv(b"1,1.5\n1,2\n", "a").y.tolist() == [1.5, 2.0]
    assert parse_csv(b"1,nan\n1,x\n", "a").y.tolist() == ["nan", "x"]
    assert parse_csv(b"1,9999999999999999999\n2,1\n", "a").y.dtype == np.float64


@pytest.mark.parametrize(
    ("text", "label", "message"),
    [
        (b"", "auto", "a has no rows"),
        (b"\n \n,,\n", "auto", "a has no rows"),
        (b"x,y,z\n", "auto", "a header but no rows"),
        (b"1\n2\n", "auto", "no features"),
        (b"x,k\n1,a\n2\n", "auto", "a, line 3: 1 cells, expected 2"),
        (b"x,k\n1,a\n2,b,c\n", "auto", "a, line 3: 3 cells, expected 2"),
        (b"x,z,k\n1,4,a\n2,red,b\n", "auto", r"line 3, column 2 \(z\): .*number, got 'red'"),
        (b"1,2,a\n1,-inf,b\n", "auto", "a, line 2, column 2: expected a finite number"),
        (b"1,2,a\n1,1_0,b\n", "auto", "a, line 2, column 2: expected a finite number"),
        (b"x,k\n1,a\n2,\n", "auto", "a, line 3, column 2: the label is empty"),
        (b"x,x,k\n1,2,a\n", "auto", "two columns named 'x'"),
        (b"label,class,x\n1,2,3\n", "auto", r"several label columns \(label, class\)"),
        (b"x,k\n1,a\n", "colour", "no column 'colour'; its first line is x, k"),
        (b"x,k\n1,a\n", "3", "no column 3: it has 2"),
        (b"x,k\n1,a\n", 0, "no column 0"),
        (b"x,k\n1,a\n\xff,b\n", "auto", "a, line 3: expected UTF-8"),
        (b'x,k\n"1,a\n', "auto", "a, line 2: unexpected end"),
    ],
)
def test_errors_name_the_line_and_column(text, label, message):
    with pytest.raises(TableFileError, match=message):
        parse_csv(text, "a", label)


def test_the_size_is_checked():
    with pytest.raises(TableFileError, match="more than the limit of 20 bytes"):
        parse_csv(b"1,2,a\n3,4,b\n", "a", most_bytes=20)


@given(st.binary(max_size=120) | st.text('01.,;\n"ab-e ', max_size=120).map(str.encode))
def test_arbitrary_bytes_are_a_table_or_one_clear_error(data):
    found = outcome(lambda: parse_csv(data, SOURCE))
    if not isinstance(found, str):
        known = [v for v in found.X.ravel().tolist() if not isinstance(v, str) and v is not None]
        assert not np.isinf(known).any()
        assert len(found.y) == len(found.X) > 0
        assert "" not in found.y.astype(str)
