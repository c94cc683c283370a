"""CSV files appear when they are complete."""

from __future__ import annotations

import pytest

from segboost.storage.csv_file import open_csv


def test_rows_appear_at_the_end(tmp_path):
    path = tmp_path / "a.csv"
    with open_csv(path) as write_row:
        write_row(["name", "n"])
        write_row(["a,b", "1"])
        write_row(["\udcff", "2"])
        assert not path.exists()
    assert path.read_bytes() == b'name,n\n"a,b",1\n\xff,2\n'


def write_half(path):
    with open_csv(path) as write_row:
        write_row(["name"])
        raise RuntimeError


def test_an_error_leaves_no_file(tmp_path):
    with pytest.raises(RuntimeError):
        write_half(tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []
