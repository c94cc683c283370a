"""Thousands of changed model folders of all kinds: each loads or raises ModelFileError."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from segboost import ModelFileError, load_model
from segboost.datasets.tables.table_like import Columns
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter, save_segmenter
from segboost.pipelines.tables.labels import LabelRule
from segboost.pipelines.tables.model import TableModel
from segboost.storage import folder as storage
from segboost.storage.folder import read_folder, write_folder
from segboost.storage.labels import labels_to_json
from tests.estimators.tables import CASES
from tests.hostile.mutations import write_with_checksums
from tests.pipelines.segmentation.tiny_models import trained
from tests.saving.test_baselines import LAYOUTS, fitted

ROOT = Path(__file__).parents[2]
CASES_EACH = 125
ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return a folder with models of every kind."""
    root = tmp_path_factory.mktemp("models")
    save_segmenter(trained().model, root / "segmenter.structboost")
    save_segmenter(trained("ssvm").model, root / "segmenter.ssvm")
    for case in CASES:
        case.fitted(n_iterations=4).save(root / f"estimator.{case.name}")
    CASES[0].fitted(n_iterations=3, weak_learner="tree").save(root / "estimator.trees")
    for name in LAYOUTS:
        fitted(name).save(root / f"baseline.{name}")
    return root


@pytest.mark.slow
def test_changed_models_load_the_same_or_raise_one_exception(models):
    n_cases = CASES_EACH * len(list(models.iterdir()))
    assert n_cases >= 2_000
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.fuzz", str(models), str(CASES_EACH), "0"],
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["problems"] == []
    assert found["seen"] == []
    assert found["peak"] < 2 * 2**30
    assert sum(found["counts"].values()) == n_cases
    # The fuzzer gets past the checksums into the readers.
    assert found["counts"]["updated, refused"] > n_cases / 10
    assert found["counts"]["updated, loaded"] > n_cases / 20


def assert_refused(load, folder, match=None):
    with pytest.raises(ModelFileError, match=match) as caught:
        load(folder)
    assert "\n" not in str(caught.value)


@pytest.fixture
def model(tmp_path):
    return CASES[0].fitted(n_iterations=3).save(tmp_path / "model")


def put_arrays(folder, packed):
    document = json.loads((folder / "model.json").read_text())
    (folder / document["arrays"]["file"]).write_bytes(packed)
    document["arrays"]["sha256"] = hashlib.sha256(packed).hexdigest()
    write_with_checksums(folder, document)


def packed_with(name, data, **options):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data, **options)
    return buffer.getvalue()


def header(text):
    head = text.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head


def test_a_zip_bomb_is_refused_before_it_is_unpacked(model, monkeypatch):
    monkeypatch.setattr(storage, "LARGEST_ARRAYS", 2**20)
    put_arrays(model, packed_with("x.npy", bytes(2**20 + 1)))
    assert_refused(load_model, model, "the limit is")


@pytest.mark.parametrize(
    "head",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "{'descr': '<U2000000000', 'fortran_order': False, 'shape': (1,), }",
    ],
)
def test_a_header_that_declares_a_huge_array_is_refused(model, head):
    put_arrays(model, packed_with("which.npy", header(head)))
    assert_refused(load_model, model, "does not have the size it declares|not a valid dtype")


def test_objects_are_refused(model):
    put_arrays(
        model,
        packed_with(
            "which.npy", header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") + b"x"
        ),
    )
    assert_refused(load_model, model, "unsupported dtype object")


def test_a_header_that_is_code_is_not_run(model, tmp_path):
    mark = tmp_path / "mark"
    put_arrays(model, packed_with("which.npy", header(f"open({str(mark)!r}, 'w')")))
    assert_refused(load_model, model)
    assert not mark.exists()


def test_too_many_arrays_are_refused(model):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(10_001):
            archive.writestr(f"{number}.npy", b"")
    put_arrays(model, buffer.getvalue())
    assert_refused(load_model, model, "10001 arrays")


@pytest.mark.parametrize("name", ["model.json", "arrays"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "device"])
def test_pipes_and_devices_are_refused_without_waiting(model, name, kind):
    path = model / name if name == "model.json" else next(model.glob("arrays-*.npz"))
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path)
    else:
        path.symlink_to("/dev/zero")
    assert_refused(load_model, model)


def test_a_document_that_is_too_large_is_refused(model, monkeypatch):
    monkeypatch.setattr(storage, "LARGEST_DOCUMENT", 100)
    assert_refused(load_model, model, "is too large")


@pytest.mark.parametrize("name", ["../elsewhere.npz", "/elsewhere.npz", "..", ".", "", "a\0b"])
def test_paths_cannot_leave_the_folder(model, name):
    document = json.loads((model / "model.json").read_text())
    source = model / document["arrays"]["file"]
    (model.parent / "elsewhere.npz").write_bytes(source.read_bytes())
    document["arrays"]["file"] = name
    write_with_checksums(model, document)
    assert_refused(load_model, model)


@pytest.mark.parametrize("name", ["../crf", "/tmp", "..", "a\0b", 5, ["x"]])
def test_the_crf_of_a_segmenter_cannot_be_elsewhere(name, tmp_path):
    folder = save_segmenter(trained().model, tmp_path / "model")
    document, arrays = read_folder(folder, "segmenter")
    next(folder.glob("crf-*")).rename(tmp_path / "crf")
    write_folder(folder, "segmenter", {**document, "crf": name}, arrays)
    assert_refused(load_segmenter, folder)


@pytest.mark.parametrize("kind", ["function", "folder"])
def test_a_segmenter_that_names_code_or_a_folder_is_refused(kind, tmp_path):
    folder = save_segmenter(trained().model, tmp_path / "model")
    document, arrays = read_folder(folder, "segmenter")
    entry = {"kind": kind, "name": "x", kind: "os:getcwd"}
    document["preset"]["groups"].append(entry)
    write_folder(folder, "segmenter", document, arrays)
    assert_refused(load_segmenter, folder, "which is not allowed by default")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": NaN}', "not written by segboost"),
        ('{"a": "\\ud800"}', "not written by segboost"),
        ("[" * 100_000, "not JSON"),
        ("1" * 10_000, "not JSON"),
    ],
    ids=["nan", "surrogate", "deep", "long number"],
)
def test_unexpected_json_is_refused(model, text, message):
    (model / "model.json").write_text(text)
    assert_refused(load_model, model, message)


@pytest.mark.parametrize("content", [None, True, 3, "text", [], [{}]])
def test_content_of_an_unexpected_type_is_refused(model, content):
    """Everything else in the document is valid, its checksum included."""
    document = json.loads((model / "model.json").read_text())
    write_with_checksums(model, document)
    load_model(model)
    write_with_checksums(model, {**document, "content": content})
    assert_refused(load_model, model, "required entries are missing")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_content_that_has_no_checksum_is_refused(model, value):
    """Python reads NaN as JSON, but no saved model has it; here the checksum is null."""
    document = json.loads((model / "model.json").read_text())
    document["content"]["odd"] = value
    write_with_checksums(model, document)
    assert json.loads((model / "model.json").read_text())["sha256"] is None
    assert_refused(load_model, model, "edited or damaged")


def counts(**changes):
    def change(content):
        content["counts"].update(changes)

    return change


@pytest.mark.parametrize(
    "change",
    [
        counts(n_features_in_=10**9),
        lambda c: c["ensemble"].update(n_channels=10**12),
        lambda c: c["classes"].update(dtype="<U2000000000"),
        lambda c: c["classes"].update(dtype="O,O"),
        lambda c: c.update(estimator="__import__"),
    ],
)
def test_implausible_content_is_refused(model, change):
    document = json.loads((model / "model.json").read_text())
    change(document["content"])
    write_with_checksums(model, document)
    assert_refused(load_model, model)


def test_a_table_model_with_a_pipe_for_a_description(tmp_path):
    estimator = CASES[0].fitted(n_iterations=3)
    columns = Columns(4, ("a", "b", "c", "d"), "y", 4)
    rule = LabelRule.from_json({"task": "multiclass", "values": labels_to_json(estimator.classes_)})
    TableModel(estimator, columns, rule).save(tmp_path)
    TableModel.load(tmp_path)
    (tmp_path / "table.json").unlink()
    os.mkfifo(tmp_path / "table.json")
    assert_refused(TableModel.load, tmp_path)


def test_arrays_of_all_plain_types_come_back(tmp_path):
    arrays = {
        "floats": np.array([[1.5, -np.inf]]),
        "text": np.array(["a", "bcd"]),
        "transposed": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "empty": np.zeros((0, 4)),
        "scalar": np.array(True),
    }
    write_folder(tmp_path, "thing", {}, arrays)
    _, found = read_folder(tmp_path, "thing")
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)
        assert found[name].flags.writeable
