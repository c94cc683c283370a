"""Columns of CSV files: gaps, categories, dates, decimal commas, ids."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.datasets.tables.csv_columns import looks_like_ids
from segboost.datasets.tables.csv_format import ColumnChoices, parse_csv
from segboost.datasets.tables.packed_files import TableFileError
from segboost.datasets.tables.table import read_table
from segboost.datasets.tables.table_like import Columns, read_like


@pytest.mark.parametrize("gap", ["", " ", "NA", "n/a", "nan", "NULL", "?"])
def test_cells_that_stand_for_missing_values(gap):
    table = parse_csv(f"x,z,k\n1,2,a\n3,{gap},b\n".encode(), "a")
    np.testing.assert_array_equal(table.X, [[1, 2], [3, np.nan]])


def test_words_are_categories():
    table = parse_csv(b"x,z,k\n1,red,a\n3,,b\n4,blue,b\n", "a")
    assert table.X.tolist() == [[1, "red"], [3, None], [4, "blue"]]
    assert parse_csv(b"1,red,a\n2,blue,b\n", "a").X.tolist() == [[1, "red"], [2, "blue"]]
    choices = ColumnChoices(categories=("x",))
    assert parse_csv(b"x,k\n01,a\n1,b\n", "a", choices=choices).X.tolist() == [["01"], ["1"]]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        (b"x,z,k\n1,red,a\n", True),
        (b"1,red,a\n2,red,b\n", False),
        (b"x,z,k\nlow,red,a\n", True),  # words only: the first line names the columns
        (b",x,k\n0,1,a\n1,2,b\n", True),  # as pandas writes its index
        (b"1,,a\n2,3,b\n", False),  # a missing value in the first row
        (b"x,k\n,a\n2,b\n", True),
    ],
)
def test_headers(text, header):
    assert bool(parse_csv(text, "a").feature_names) == header


def test_decimal_commas():
    text = b"x;z;k\n1,5;2;a\n-0,25;1.234,5;b\n"
    table = parse_csv(text, "a", choices=ColumnChoices(decimal=","))
    assert table.X.tolist() == [[1.5, 2], [-0.25, 1234.5]]
    with pytest.raises(TableFileError, match="decimal comma: add --decimal ,"):
        parse_csv(text, "a")
    with pytest.raises(TableFileError, match=r"expected a finite number, got '1\.5'"):
        parse_csv(b"x;k\n1,5;a\n1.5;a\n", "a", choices=ColumnChoices(decimal=","))


@pytest.mark.parametrize(
    "date",
    [
        "2024-01-31", "31.1.2024", "1/31/24", "2024-01-31T10:00:00", "Jan 1 2024", "1 Jan 2024",
        "01.02.2024", "2024/01/02 10:00", "12/31/2024", "Monday 1 January 2024",
    ],
)  # fmt: skip
def test_dates_are_refused_with_advice(date):
    text = f"x,when,k\n1,{date},a\n3,{date},b\n".encode()
    with pytest.raises(TableFileError, match=r"column 2 \(when\): .* is a date: .*--ignore 'when'"):
        parse_csv(text, "a")
    assert parse_csv(text, "a", choices=ColumnChoices(ignore=("when",))).feature_names == ("x",)


def test_nearly_all_cells_decide_whether_a_column_holds_dates():
    dates = "".join(f"1,Jan {i} 2024,a\n" for i in range(1, 10))
    with pytest.raises(TableFileError, match=r"line 3, column 2 \(when\): 'Jan 1 2024' is a date"):
        parse_csv(f"x,when,k\n1,unknown,b\n{dates}".encode(), "a")
    for texts in (["May", "March"], ["A-1-2", "1-2-3 street"], ["Jan 1 2024", "unknown"]):
        rows = "".join(f"1,{text},a\n" for text in texts)
        assert parse_csv(f"x,z,k\n{rows}".encode(), "a").X[:, 1].tolist() == texts
    choices = ColumnChoices(categories=("when",))
    assert len(parse_csv(f"x,when,k\n{dates}".encode(), "a", choices=choices).X) == 9


def test_free_text_is_refused_with_advice():
    rows = "".join(f"{i % 3},name {i},a\n" for i in range(30))
    with pytest.raises(TableFileError, match=r"30 different texts in 30 rows.*--id 'who'"):
        parse_csv(f"x,who,k\n{rows}".encode(), "a")


@pytest.mark.parametrize(
    ("values", "name", "found"),
    [
        (range(30), "x", True),
        (range(100, 160, 2), "", True),
        (reversed(range(30)), "customer_id", True),
        (reversed(range(30)), "customerId", True),
        (reversed(range(30)), "humid", False),
        (range(19), "id", False),  # too few rows to tell
        ([*range(29), 3], "id", False),
        (np.arange(30) + 0.5, "id", False),
    ],
)
def test_ids_that_look_like_numbers(values, name, found):
    assert looks_like_ids(np.array(list(values), dtype=float), name) == found


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("5.0%", "'5.0%' has a percent sign: remove the percent signs, leave .*--ignore 'z'"),
        ("$3.50", "has a currency sign: remove the currency signs"),
        ("12 kg", "has a unit: remove the unit 'kg' from the cells, .*--category 'z'"),
        ("1,234.5", "has thousands separators: remove the separators"),
        ("1 234", "has thousands separators: remove the separators"),
        ("1_000", "has thousands separators: remove the separators"),
        ("1,234", "for thousands or for decimals: remove commas .*add --decimal , if they are"),
        ("1.234.567", "has thousands separators: add --decimal ,"),
        ("09:30", "is a time of day: replace it with a number"),
    ],
)
def test_decorated_numbers_are_refused_with_advice(cell, message):
    text = f"x;z;k\n1;{cell};a\n3;{cell};b\n".encode()
    with pytest.raises(TableFileError, match=rf"line 2, column 2 \(z\): .*{message}"):
        parse_csv(text, "a")
    choices = ColumnChoices(categories=("z",))
    assert parse_csv(text, "a", choices=choices).X[:, 1].tolist() == [cell, cell]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("1,234", "got '1,234', which has a comma .*; remove commas .*, or add --decimal ,$"),
        ("5%", "got '5%', which has a percent sign; remove the percent signs$"),
        ("1,5", "got '1,5'; for decimal commas add --decimal ,$"),
        ("red", "got 'red'; if the column holds categories, add --category 'z'$"),
    ],
)
def test_single_words_among_numbers(cell, message):
    with pytest.raises(TableFileError, match=message):
        parse_csv(f"x;z;k\n1;2;a\n3;4;b\n5;{cell};b\n".encode(), "a")


def test_new_files_are_not_advised_to_use_options_of_fit(tmp_path):
    (tmp_path / "a.csv").write_text("u,v,class\n1,2,a\n3,4,b\n")
    columns = Columns.of(read_table(tmp_path / "a.csv"))
    (tmp_path / "b.csv").write_text("u,v\n1,red\n2,3\n")
    with pytest.raises(TableFileError, match=r"expected a finite number, got 'red'$"):
        read_like(tmp_path / "b.csv", columns)


def test_decimal_points_where_commas_are_expected():
    with pytest.raises(TableFileError, match=r"'1\.5' has a decimal point: omit --decimal ,"):
        parse_csv(b"x;k\n1.5;a\n2.5;a\n3;b\n", "a", choices=ColumnChoices(decimal=","))


@pytest.mark.parametrize("minus", ["\u2212", "\u2013", "\uff0d"])
def test_other_minus_signs(minus):
    assert parse_csv(f"x,k\n{minus}5,a\n2,b\n".encode(), "a").X.tolist() == [[-5], [2]]


def test_blank_names_beside_the_label_are_a_header():
    with pytest.raises(TableFileError, match="two columns named ''"):
        parse_csv(b",,class\n1,2,a\n3,4,b\n", "a")


def test_requested_categories_with_too_many_values_cause_a_note():
    rows = "".join(f"{i},{i % 2}\n" for i in range(30))
    choices = ColumnChoices(categories=("code",))
    note = parse_csv(f"code,class\n{rows}".encode(), "a", choices=choices).notes[0]
    assert "30 different categories in 30 rows, all of them numbers: omit --category" in note
    rows = rows.replace(",", "x,")
    note = parse_csv(f"code,class\n{rows}".encode(), "a", choices=choices).notes[0]
    assert "30 different categories in 30 rows: leave it out with --ignore 'code'" in note


def test_ids_are_noticed_and_carried():
    rows = "".join(f"{i},{i % 7},{i % 2}\n" for i in range(30))
    data = f"row,x,class\n{rows}".encode()
    assert "'row' looks like a row number or id" in parse_csv(data, "a").notes[0]
    table = parse_csv(data, "a", choices=ColumnChoices(identifier="row"))
    assert (table.notes, table.feature_names) == ((), ("x",))
    assert table.ids.tolist() == [str(i) for i in range(30)]


@pytest.mark.parametrize(
    ("choices", "label", "reason"),
    [
        (ColumnChoices(), "auto", "it is the last column"),
        (ColumnChoices(ignore=("z",)), "auto", "it is the last column that is not left out"),
        (ColumnChoices(), "x", "it was named with --label"),
    ],
)
def test_why_a_column_holds_the_labels(choices, label, reason):
    assert parse_csv(b"x,y,z\n1,2,3\n4,5,6\n", "a", label, choices=choices).label_reason == reason


def test_labels_are_whole_numbers_however_they_are_written():
    table = parse_csv(b"1,1.0\n2,2.000e+00\n", "a")
    assert (table.y.dtype, table.y.tolist()) == (np.int64, [1, 2])


@pytest.mark.parametrize("text", ["u,note,v,who\n1,?,red,7\n", "1,?,red,a,7\n", "1,?,red,7\n"])
def test_ids_ignored_columns_and_categories_of_new_files(tmp_path, text):
    train = b"u,note,v,class,who\n1,x,red,a,1\n2,y,blue,b,2\n3,z,red,a,3\n"
    (tmp_path / "a.csv").write_bytes(train)
    choices = ColumnChoices(ignore=("note",), identifier="who")
    columns = Columns.of(read_table(tmp_path / "a.csv", choices=choices), choices)
    (tmp_path / "b.csv").write_text(text)
    table = read_like(tmp_path / "b.csv", columns)
    assert table.X.tolist() == [[1.0, "red"]]
    assert table.ids.tolist() == ["7"]
    assert table.notes == ()


def test_other_columns_of_new_files_are_ignored_with_a_note(tmp_path):
    (tmp_path / "a.csv").write_text("u,v,class\n1,2,a\n3,4,b\n")
    columns = Columns.of(read_table(tmp_path / "a.csv"))
    (tmp_path / "b.csv").write_text("w,v,u,class\nfree text,2,1,a\n")
    table = read_like(tmp_path / "b.csv", columns)
    assert (table.X.tolist(), table.y.tolist()) == ([[1, 2]], ["a"])
    assert table.notes == ("columns that the model does not know are ignored: 'w'",)
    (tmp_path / "b.csv").write_text("u,v,class\n1,2,\n")
    assert not read_like(tmp_path / "b.csv", columns).has_labels


@pytest.mark.parametrize(
    "head", [b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", b"\xd0\xcf\x11\xe0"]
)
def test_workbooks_are_refused_with_advice(tmp_path, head):
    (tmp_path / "a.xlsx").write_bytes(head + bytes(100))
    with pytest.raises(TableFileError, match="save the sheet as CSV"):
        read_table(tmp_path / "a.xlsx")
    with pytest.raises(TableFileError, match="save the sheet as CSV"):
        read_like(tmp_path / "a.xlsx", Columns(2))


@pytest.mark.parametrize("cell", ["nan", "NA", "?"])
def test_a_missing_label_among_numbers_is_not_a_class(cell):
    with pytest.raises(TableFileError, match=r"line 2, column 2: the label .* is a missing value"):
        parse_csv(f"1,1.0\n2,{cell}\n3,0.0\n".encode(), "a")
    assert parse_csv(f"1,yes\n2,{cell}\n".encode(), "a").y.tolist() == ["yes", cell]


def test_infinite_numbers_are_not_categories():
    with pytest.raises(TableFileError, match="expected a finite number, got '1e400'"):
        parse_csv(b"u,v,class\n1e400,1,a\n1e400,2,b\n", "a")


def test_spaces_separate_cells_if_nothing_else_does():
    table = parse_csv(b"u  v class\n 1.0 2.0   a \n\n3.0 4.0 b\n", "a")
    assert (table.X.tolist(), table.y.tolist()) == ([[1, 2], [3, 4]], ["a", "b"])
    assert parse_csv(b"two words\n1\n2\n", "a", None).feature_names == ("two words",)
