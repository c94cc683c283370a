"""A model owns only the files that its document names."""

from __future__ import annotations

import hashlib
import json
import os

import numpy as np
import pytest

from segboost.storage.folder import read_folder, write_folder
from segboost.storage.ownership import ForeignFileError, owned_arrays, remove_model
from segboost.storage.whole_file import NotReplaceableError

FOREIGN = ("arrays-train.npz", "arrays-0123456789abcdef.npz", "arrays-.npz", "notes.txt", ".hidden")


def save(folder, number):
    return write_folder(folder, "thing", {"n": number}, {"a": np.full(3, number)})


def test_foreign_files_with_any_name_are_kept(tmp_path):
    for name in FOREIGN:
        (tmp_path / name).write_text(name)
    for number in range(3):
        save(tmp_path, number)
        assert read_folder(tmp_path, "thing")[0] == {"n": number}
    assert {n: (tmp_path / n).read_text() for n in FOREIGN} == {n: n for n in FOREIGN}
    assert len(list(tmp_path.iterdir())) == len(FOREIGN) + 2


@pytest.mark.parametrize("text", ["", "{}", '{"class_name": "Sequential"}', "[1]", "not JSON"])
def test_a_foreign_document_is_refused(tmp_path, text):
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(ForeignFileError, match=r"model\.json was not written by segboost"):
        save(tmp_path, 1)
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]
    assert (tmp_path / "model.json").read_text() == text


def test_a_damaged_document_of_ours_is_replaced(tmp_path):
    save(tmp_path, 1)
    document = tmp_path / "model.json"
    document.write_bytes(document.read_bytes()[:90])
    save(tmp_path, 2)
    assert read_folder(tmp_path, "thing")[0] == {"n": 2}


def test_a_foreign_file_with_the_name_of_the_arrays_is_refused(tmp_path):
    name = owned_arrays(save(tmp_path / "one", 1)).name
    other = tmp_path / "other"
    other.mkdir()
    (other / name).write_text("mine")
    with pytest.raises(ForeignFileError, match="not part of a model"):
        save(other, 1)
    assert (other / name).read_text() == "mine"
    assert not (other / "model.json").exists()


def test_damaged_arrays_of_the_model_are_replaced(tmp_path):
    arrays = owned_arrays(save(tmp_path, 1))
    arrays.write_text("damaged")
    save(tmp_path, 1)
    assert read_folder(tmp_path, "thing")[1]["a"].tolist() == [1, 1, 1]


@pytest.mark.parametrize("named", ["../data.npz", "data.npz", "/etc/hostname", "arrays-x.npz"])
def test_a_document_cannot_claim_foreign_files(tmp_path, named):
    folder = save(tmp_path / "model", 1)
    for place in (tmp_path / "data.npz", folder / "data.npz", folder / "arrays-x.npz"):
        place.write_text("data")
    document = json.loads((folder / "model.json").read_text())
    document["arrays"] = {"file": named, "sha256": hashlib.sha256(b"data").hexdigest()}
    (folder / "model.json").write_text(json.dumps(document))
    assert owned_arrays(folder) is None
    save(folder, 2)
    for place in (tmp_path / "data.npz", folder / "data.npz", folder / "arrays-x.npz"):
        assert place.read_text() == "data"


def test_arrays_changed_since_are_kept(tmp_path):
    arrays = owned_arrays(save(tmp_path, 1))
    arrays.write_text("changed")
    save(tmp_path, 2)
    assert arrays.read_text() == "changed"


def test_removing_a_model_keeps_foreign_files(tmp_path):
    save(tmp_path / "one", 1)
    remove_model(tmp_path / "one")
    assert not (tmp_path / "one").exists()
    save(tmp_path / "two", 1)
    (tmp_path / "two" / "notes.txt").write_text("mine")
    remove_model(tmp_path / "two")
    assert [p.name for p in (tmp_path / "two").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_nothing_is_written_if_the_document_is_not_a_file(tmp_path, kind):
    document = tmp_path / "m" / "model.json"
    document.parent.mkdir()
    make = {"pipe": os.mkfifo, "folder": os.mkdir, "link": lambda p: p.symlink_to("nowhere")}
    make[kind](document)
    with pytest.raises(NotReplaceableError, match=kind):
        save(document.parent, 1)
    assert [p.name for p in document.parent.iterdir()] == ["model.json"]
