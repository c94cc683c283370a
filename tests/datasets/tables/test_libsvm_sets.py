"""The paper's sets by name: which files are pooled, idx files, incomplete sets, packed files."""

from __future__ import annotations

import bz2
import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from segboost.datasets import DatasetError
from segboost.datasets.tables import libsvm_sets as sets
from segboost.datasets.tables.idx_format import parse_idx
from segboost.datasets.tables.libsvm_sets import (
    LIBSVM_SETS,
    LibsvmSet,
    find_libsvm_files,
    load_libsvm_set,
)
from segboost.datasets.tables.packed_files import TableFileError, read_packed
from tests.datasets.tables.outcomes import SOURCE, outcome

DATA = os.environ.get("SEGBOOST_DATA")


def rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 9, (n, 4)).astype(float), np.arange(n) % 3


def write(path: Path, X: np.ndarray, y: np.ndarray) -> None:
    path.parent.mkdir(exist_ok=True)
    dump_svmlight_file(X, y, str(path), zero_based=False)


def idx(array: np.ndarray) -> bytes:
    head = bytes([0, 0, 8, array.ndim])
    return head + b"".join(int(n).to_bytes(4, "big") for n in array.shape) + array.tobytes()


@pytest.fixture
def vowel(tmp_path, monkeypatch):
    """A set of two small files, the second one packed."""
    monkeypatch.setitem(LIBSVM_SETS, "vowel", LibsvmSet(16, 4, 3, ("", ".t")))
    folder = tmp_path / "libsvm"
    write(folder / "vowel.scale", *rows(10, 0))
    write(folder / "vowel.scale.t", *rows(6, 1))
    packed = folder / "vowel.scale.t.bz2"
    packed.write_bytes(bz2.compress((folder / "vowel.scale.t").read_bytes()))
    (folder / "vowel.scale.t").unlink()
    return tmp_path


def test_files_are_pooled_training_part_first(vowel):
    table = load_libsvm_set("vowel", vowel)
    np.testing.assert_array_equal(table.X, np.concatenate([rows(10, 0)[0], rows(6, 1)[0]]))
    np.testing.assert_array_equal(table.y, np.concatenate([rows(10, 0)[1], rows(6, 1)[1]]))
    assert table.name == "vowel"


def test_a_missing_part_is_named(vowel):
    (vowel / "libsvm" / "vowel.scale.t.bz2").unlink()
    with pytest.raises(DatasetError, match=r"not complete: .* has no vowel\.scale\.t \(or"):
        load_libsvm_set("vowel", vowel)
    (vowel / "libsvm" / "vowel.scale").unlink()
    with pytest.raises(DatasetError, match=r"put vowel\.scale and vowel\.scale\.t there"):
        load_libsvm_set("vowel", vowel)


def test_a_set_with_a_wrong_number_of_rows_is_refused(vowel):
    write(vowel / "libsvm" / "vowel.scale", *rows(9, 0))
    with pytest.raises(DatasetError, match="15 rows, 4 features and 3 classes, expected 16, 4"):
        load_libsvm_set("vowel", vowel)


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(DatasetError, match="no set 'iris': choose wine, glass"):
        find_libsvm_files("iris", tmp_path)


def test_mnist_from_idx_files(tmp_path, monkeypatch):
    monkeypatch.setitem(LIBSVM_SETS, "mnist", LibsvmSet(7, 6, 3, ("", ".t")))
    folder = tmp_path / "libsvm" / "mnist"
    folder.mkdir(parents=True)
    pixels = np.random.default_rng(0).integers(0, 256, (7, 2, 3)).astype(np.uint8)
    y = (np.arange(7) % 3).astype(np.uint8)
    for stem, part in (("train", slice(4)), ("t10k", slice(4, None))):
        packed = folder / f"{stem}-images-idx3-ubyte.gz"
        packed.write_bytes(gzip.compress(idx(pixels[part])))
        (folder / f"{stem}-labels-idx1-ubyte").write_bytes(idx(y[part]))
    table = load_libsvm_set("mnist", tmp_path)
    np.testing.assert_array_equal(table.X * 255, pixels.reshape(7, 6))
    np.testing.assert_array_equal(table.y, y)
    (folder / "t10k-labels-idx1-ubyte").write_bytes(idx(y[:2]))
    with pytest.raises(TableFileError, match=r"3 images, .* 2 labels"):
        load_libsvm_set("mnist", tmp_path)
    (folder / "t10k-labels-idx1-ubyte").write_bytes(idx(pixels))
    with pytest.raises(TableFileError, match=r"expected bytes in 1 dimension\(s\)"):
        load_libsvm_set("mnist", tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not an idx file"),
        (b"\0\0\x08", "not an idx file"),
        (b"\0\0\x07\x01\0\0\0\1a", "not an idx file"),
        (b"\0\0\x08\x03\0\0\0\1", "ends inside its header"),
        (b"\0\0\x08\x01\0\0\0\2a", "1 bytes of values, but the shape (2,) of its header needs 2"),
        (b"\0\0\x0e\x03" + b"\xff" * 12, "0 bytes of values"),
        (b"\0\0\x08\x01\0\0\0\1ab", "2 bytes of values"),
    ],
)
def test_idx_headers_are_compared_with_the_data(data, message):
    with pytest.raises(TableFileError) as error:
        parse_idx(data, "a")
    assert message in str(error.value)


@given(st.binary(max_size=60) | st.binary(max_size=40).map(lambda b: b"\0\0\x08\x02" + b))
def test_arbitrary_bytes_are_an_array_or_one_clear_error(data):
    found = outcome(lambda: parse_idx(data, SOURCE))
    if not isinstance(found, str):
        assert found.nbytes == len(data) - 4 - 4 * found.ndim


def test_idx_values_are_big_endian():
    data = b"\0\0\x0c\x01\0\0\0\2" + (7).to_bytes(4, "big") + (-3).to_bytes(4, "big", signed=True)
    assert parse_idx(data, "a").tolist() == [7, -3]


def test_packed_files_are_recognised_by_their_content(tmp_path):
    for name, data in (
        ("a", gzip.compress(b"text")),
        ("b.gz", b"text"),
        ("c", bz2.compress(b"text")),
    ):
        (tmp_path / name).write_bytes(data)
        assert read_packed(tmp_path / name) == b"text"


def test_packed_files_that_cannot_be_used(tmp_path):
    path = tmp_path / "a.gz"
    with pytest.raises(TableFileError, match="no such file"):
        read_packed(path)
    with pytest.raises(TableFileError, match="is a folder"):
        read_packed(tmp_path)
    path.write_bytes(gzip.compress(bytes(10**6)))
    with pytest.raises(TableFileError, match="more than 1000 bytes"):
        read_packed(path, most_bytes=1000)
    path.write_bytes(gzip.compress(b"text" * 1000)[:-10])
    with pytest.raises(TableFileError, match="cannot be read"):
        read_packed(path)
    path.write_bytes(bz2.compress(b"text" * 1000)[:-10])
    with pytest.raises(TableFileError, match="cannot be read"):
        read_packed(path)


@pytest.mark.data
@pytest.mark.skipif(not DATA, reason="needs the data sets: set SEGBOOST_DATA")
@pytest.mark.parametrize("name", ["wine", "glass", "svmguide2", "vowel", "dna", "segment"])
def test_the_real_sets_equal_those_read_by_scikit_learn(name):
    table = load_libsvm_set(name, DATA)
    files = find_libsvm_files(name, DATA)
    d = sets.LIBSVM_SETS[name].n_features
    theirs = [load_svmlight_file(str(file), n_features=d) for file in files]
    np.testing.assert_array_equal(table.X, np.concatenate([X.toarray() for X, _ in theirs]))
    np.testing.assert_array_equal(table.y, np.concatenate([y for _, y in theirs]))
