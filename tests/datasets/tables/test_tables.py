"""Table files: formats recognised by name and content, and tables read for a model."""

from __future__ import annotations

import bz2
import gzip
import os

import numpy as np
import pytest

from segboost.datasets.tables.packed_files import TableFileError
from segboost.datasets.tables.table import find_format, read_table
from segboost.datasets.tables.table_like import Columns, read_like

CSV = b"u,v,class\n1,2,a\n3,4,b\n"


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.csv", b"1 1:2\n", "csv"),
        ("a.tsv.gz", b"1\t2\n", "csv"),
        ("a.scale.t.bz2", b"1,2\n", "libsvm"),
        ("a.npz", b"", "npz"),
        ("a", b"PK\x03\x04", "npz"),
        ("svmguide2", b"# c\n+1  1:0.5 2:3\n", "libsvm"),
        ("a.txt", b"1,2,3\n", "csv"),
        ("a.data", b"u;v\n1;2\n", "csv"),
        ("a", b"1\n2\n", "libsvm"),
    ],
)
def test_formats(name, data, kind):
    assert find_format(name, data) == kind


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_all_formats_plain_and_packed_are_the_same_table(tmp_path, pack):
    X, y = np.array([[1.0, 0.0], [0.0, 2.5]]), np.array([3, 4])
    np.savez(tmp_path / "n.npz", X=X, y=y)
    contents = {
        "t.libsvm": b"3 1:1\n4 2:2.5\n",
        "t.csv": b"1,0,3\n0,2.5,4\n",
        "t.npz": (tmp_path / "n.npz").read_bytes(),
    }
    for name, data in contents.items():
        path = tmp_path / (name + {gzip.compress: ".gz", bz2.compress: ".bz2"}.get(pack, ""))
        path.write_bytes(pack(data))
        table = read_table(path)
        np.testing.assert_array_equal(table.X, X)
        np.testing.assert_array_equal(table.y, y)
        assert table.name == name
        assert table.has_labels


def test_another_number_of_features_is_an_error(tmp_path):
    (tmp_path / "a.csv").write_bytes(CSV)
    with pytest.raises(TableFileError, match="2 features, expected 3"):
        read_table(tmp_path / "a.csv", n_features=3)
    with pytest.raises(ValueError, match="file_format"):
        read_table(tmp_path / "a.csv", file_format="arff")


@pytest.fixture
def columns(tmp_path):
    (tmp_path / "train.csv").write_bytes(CSV)
    return Columns.of(read_table(tmp_path / "train.csv"))


@pytest.mark.parametrize(
    ("text", "X", "y"),
    [
        ("u,v,class\n1,2,a\n", [[1, 2]], ["a"]),
        ("v,class,u\n2,a,1\n", [[1, 2]], ["a"]),
        ("v,u\n2,1\n", [[1, 2]], []),
        ("1,2\n3,4\n", [[1, 2], [3, 4]], []),
        ("1,2,a\n", [[1, 2]], ["a"]),
    ],
)
def test_columns_are_found_by_name_and_labels_may_be_missing(tmp_path, columns, text, X, y):
    (tmp_path / "b.csv").write_text(text)
    table = read_like(tmp_path / "b.csv", columns)
    assert table.X.tolist() == X
    assert table.y.tolist() == y


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("u,class\n1,a\n", "lacks 1 of the model's features: 'v'"),
        ("p,q,class\n1,2,a\n", "lacks 2 of the model's features: 'u', 'v'"),
        ("1,2,3,4\n", "has 4 columns, expected 2 features"),
        ("1\n", "has 1 columns, expected 2 features"),
    ],
)
def test_other_columns_are_an_error(tmp_path, columns, text, message):
    (tmp_path / "b.csv").write_text(text)
    with pytest.raises(TableFileError, match=message):
        read_like(tmp_path / "b.csv", columns)


def test_the_label_column_keeps_its_position(tmp_path):
    (tmp_path / "a.csv").write_text("a,1,2\nb,3,4\n")
    columns = Columns.of(read_table(tmp_path / "a.csv", label=1))
    table = read_like(tmp_path / "a.csv", columns)
    assert table.X.tolist() == [[1, 2], [3, 4]]
    assert table.y.tolist() == ["a", "b"]


def test_libsvm_files_are_padded_but_never_cut(tmp_path):
    (tmp_path / "a").write_text("1 1:5\n")
    assert read_like(tmp_path / "a", Columns(3)).X.tolist() == [[5, 0, 0]]
    (tmp_path / "a").write_text("1 4:5\n")
    with pytest.raises(TableFileError, match="index 4, expected at most 3"):
        read_like(tmp_path / "a", Columns(3))


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", "u,v,label\n" + "1,2,x\n" * 50), ("a", "1 1:2\n" * 50)]
)
def test_the_limit_holds_for_the_table_as_well_as_the_file(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    columns = Columns(2, ("u", "v"), "label", 2) if name == "a.csv" else Columns(100)
    assert read_like(tmp_path / name, columns).X.shape[0] == 50
    with pytest.raises(TableFileError, match=r"more than.* 700 bytes"):
        read_like(tmp_path / name, columns, most_bytes=700)


def test_npz_columns_follow_their_names(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.array([[1, 2]]), feature_names=np.array(["v", "u"]))
    assert read_like(tmp_path / "a.npz", Columns(2, ("u", "v"))).X.tolist() == [[2, 1]]
    with pytest.raises(TableFileError, match="has 2 features, expected 3"):
        read_like(tmp_path / "a.npz", Columns(3))


def test_pipes_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(TableFileError, match="pipe or device"):
        read_table(tmp_path / "a.csv")
