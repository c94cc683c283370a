"""Model folders: round trips, and a one-line error for every kind of damage."""

import json
import os
import re
import time
import zipfile

import numpy as np
import pytest

from segboost import ModelFileError
from segboost.storage import folder as storage
from segboost.storage.folder import read_folder, write_folder
from tests.storage.edited_model import edit_document

ARRAYS = {
    "floats": np.array([[1.5, -np.inf], [np.nan, 0.0]]),
    "ints": np.arange(5),
    "flags": np.array([True, False]),
    "scalar": np.array(3),
    "empty": np.zeros((0, 4)),
    "transposed": np.arange(6.0).reshape(2, 3).T,
}
DOCUMENT = {"name": "x", "list": [1, 2.5, None, True, "ü"], "nested": {"a": {}}}


@pytest.fixture
def model(tmp_path):
    return write_folder(tmp_path / "model", "thing", DOCUMENT, ARRAYS)


def assert_fails(model, message, kind="thing"):
    with pytest.raises(ModelFileError, match=message) as caught:
        read_folder(model, kind)
    assert "\n" not in str(caught.value)
    assert str(model) in str(caught.value)


def arrays_of(model):
    (path,) = model.glob("arrays-*.npz")
    return path


def test_round_trip(model):
    document, arrays = read_folder(model, "thing")
    assert document == DOCUMENT
    assert arrays.keys() == ARRAYS.keys()
    for name, expected in ARRAYS.items():
        assert arrays[name].dtype == expected.dtype
        assert arrays[name].shape == expected.shape
        assert np.array_equal(arrays[name], expected, equal_nan=expected.dtype.kind == "f")
    assert sorted(p.name for p in model.iterdir()) == [arrays_of(model).name, "model.json"]


def test_the_same_content_gives_the_same_bytes(model, tmp_path, monkeypatch):
    another_day = time.struct_time((2001, 2, 3, 4, 5, 6, 5, 34, 0))
    monkeypatch.setattr(time, "localtime", lambda *seconds: another_day)
    other = write_folder(
        tmp_path / "other",
        "thing",
        dict(reversed(DOCUMENT.items())),
        dict(reversed(ARRAYS.items())),
    )
    for path in model.iterdir():
        assert (other / path.name).read_bytes() == path.read_bytes()


def test_a_model_is_replaced_whole(model):
    write_folder(model, "thing", {"name": "y"}, {"ints": np.arange(2)})
    document, arrays = read_folder(model, "thing")
    assert document == {"name": "y"}
    assert list(arrays) == ["ints"]
    assert len(list(model.iterdir())) == 2


@pytest.mark.parametrize("failing", [1, 2])
def test_a_crash_at_either_write_leaves_the_old_model_readable(model, failing, monkeypatch):
    replace, calls = os.replace, []

    def crash(source, target):
        calls.append(target)
        if len(calls) == failing:
            raise OSError("power cut")
        replace(source, target)

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(OSError, match="power cut"):
        write_folder(model, "thing", {"name": "y"}, {"ints": np.arange(2)})
    monkeypatch.undo()
    document, arrays = read_folder(model, "thing")
    assert document == DOCUMENT
    assert arrays.keys() == ARRAYS.keys()
    assert not list(model.glob(".*"))
    write_folder(model, "thing", {"name": "y"}, {"ints": np.arange(2)})
    assert read_folder(model, "thing")[0] == {"name": "y"}
    assert len(list(model.iterdir())) == 2


def test_a_disk_that_fills_up_leaves_the_old_model_readable(model, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_folder(model, "thing", {"name": "y"}, {})
    monkeypatch.undo()
    assert read_folder(model, "thing")[0] == DOCUMENT
    assert len(list(model.iterdir())) == 2


def test_missing_files(model, tmp_path):
    assert_fails(tmp_path / "nowhere", "is not a model folder")
    assert_fails(tmp_path, "is not a model folder")
    arrays_of(model).unlink()
    assert_fails(model, "cannot be read: No such file")
    (model / "model.json").unlink()
    assert_fails(model, "no model.json")


def test_a_file_instead_of_the_folder(tmp_path):
    path = tmp_path / "file"
    path.write_text("{}")
    assert_fails(path, r"model\.json cannot be read: Not a directory")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_truncated_arrays(model, share):
    path = arrays_of(model)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    assert_fails(model, "checksum does not match")


def test_one_changed_bit_of_the_arrays(model):
    path = arrays_of(model)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    assert_fails(model, "checksum does not match")


@pytest.mark.parametrize("share", [0.0, 0.5, 0.97])
def test_a_truncated_document(model, share):
    text = (model / "model.json").read_text()
    (model / "model.json").write_text(text[: int(share * len(text))])
    assert_fails(model, "not JSON")


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null", '{"format": "other"}', "{}"])
def test_a_document_of_another_program(model, text):
    (model / "model.json").write_text(text)
    assert_fails(model, "not written by segboost")


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\x00" * 50, b"[" * 100_000])
def test_bytes_that_are_not_text(model, data):
    (model / "model.json").write_bytes(data)
    assert_fails(model, "not JSON")


def test_an_edited_document(model):
    path = model / "model.json"
    path.write_text(path.read_text().replace('"x"', '"z"'))
    assert_fails(model, "edited or damaged")
    document = json.loads(path.read_text())
    del document["sha256"]
    path.write_text(json.dumps(document))
    assert_fails(model, "edited or damaged")


def test_spaces_and_order_of_the_document_do_not_matter(model):
    path = model / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text())))
    assert read_folder(model, "thing")[0] == DOCUMENT


def test_a_folder_of_a_newer_version(model):
    edit_document(model, lambda d: d.update(schema=storage.SCHEMA + 1, version="99.0"))
    assert_fails(model, r"segboost 99.0 with schema 2.*upgrade segboost")


@pytest.mark.parametrize("schema", [None, "1", [], -1, 0, True, 1.0])
def test_an_unknown_schema(model, schema):
    edit_document(model, lambda d: d.update(schema=schema))
    assert_fails(model, f"with schema {re.escape(repr(schema))}; .*upgrade segboost")


def test_a_folder_of_another_kind(model):
    assert_fails(model, "is a folder of kind 'thing', expected 'model'", kind="model")


@pytest.mark.parametrize("part", ["kind", "content", "arrays"])
def test_a_document_without_a_part(model, part):
    edit_document(model, lambda d: d.pop(part))
    assert_fails(model, "required entries are missing")


@pytest.mark.parametrize(
    "entry", [None, "x", {}, {"file": 3, "sha256": "x"}, {"file": "a.npz"}, {"sha256": "x"}]
)
def test_a_document_with_an_invalid_entry_of_arrays(model, entry):
    edit_document(model, lambda d: d.update(arrays=entry))
    assert_fails(model, "required entries are missing")


def test_arrays_without_a_file_name(model):
    edit_document(model, lambda d: d["arrays"].update(file=""))
    assert_fails(model, "is not a regular file")


def test_arrays_cannot_be_taken_from_elsewhere(model, tmp_path):
    """The entry is a file name, not a path."""
    outside = tmp_path / "outside.npz"
    outside.write_bytes(arrays_of(model).read_bytes())
    edit_document(model, lambda d: d["arrays"].update(file="../outside.npz"))
    assert_fails(model, "cannot be read")


def replaced_arrays(model, data):
    path = arrays_of(model)
    path.write_bytes(data)
    import hashlib

    edit_document(model, lambda d: d["arrays"].update(sha256=hashlib.sha256(data).hexdigest()))


def test_arrays_that_are_not_npz(model):
    replaced_arrays(model, b"hello")
    assert_fails(model, "not a readable npz")


def test_pickles_are_never_opened(model, tmp_path):
    trap = tmp_path / "trap"

    class Trap:
        def __reduce__(self):
            return (trap.write_text, ("sprung",))

    np.savez(tmp_path / "evil.npz", x=np.array([Trap()], dtype=object))
    replaced_arrays(model, (tmp_path / "evil.npz").read_bytes())
    assert_fails(model, "not a readable npz")
    assert not trap.exists()


def test_sizes_are_checked_before_memory_is_allocated(model, tmp_path):
    bomb = tmp_path / "bomb.npz"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo("x.npy")
        archive.writestr(info, b"x")
    data = bytearray(bomb.read_bytes())
    # The central directory claims 4 GB.
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = (2**32 - 2).to_bytes(4, "little")
    replaced_arrays(model, bytes(data))
    assert_fails(model, "the limit is|not a readable npz")


def test_unstorable_values_are_refused_before_writing(model):
    with pytest.raises(ValueError, match="Python objects"):
        write_folder(model, "thing", {}, {"x": np.array([{}], dtype=object)})
    with pytest.raises(ValueError, match=r"[Oo]ut of range"):
        write_folder(model, "thing", {"x": float("nan")}, {})
    assert read_folder(model, "thing")[0] == DOCUMENT
