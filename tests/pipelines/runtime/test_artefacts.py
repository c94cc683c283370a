"""The store of artefacts: keys, whole files only, several processes."""

import logging
import multiprocessing
import os
import zipfile
from dataclasses import dataclass

import numpy as np
import pytest

from segboost.pipelines.runtime.artefact_key import canonical_json
from segboost.pipelines.runtime.artefact_store import (
    Artefact,
    ArtefactStore,
    KeyParts,
    array_key,
    file_key,
)

PARTS = KeyParts({"C": 10.0, "sizes": (4, 8)}, ("a" * 64,), 2)


def some_artefact(seed=0):
    rng = np.random.default_rng(seed)
    arrays = {
        "features": rng.normal(size=(7, 3)).astype(np.float32),
        "labels": rng.integers(0, 5, (4, 6), dtype=np.int32),
        "mask": rng.random(5) < 0.5,
        "empty": np.zeros((0, 3)),
        "scalar": np.array(np.nan),
    }
    return Artefact(arrays, {"names": ["a", "b"], "n": 3, "text": "ß"})


def assert_same(one, other):
    assert one.document == other.document
    assert one.arrays.keys() == other.arrays.keys()
    for name, array in one.arrays.items():
        assert other.arrays[name].dtype == array.dtype
        assert other.arrays[name].shape == array.shape
        assert other.arrays[name].tobytes() == array.tobytes()


@pytest.fixture
def store(tmp_path):
    return ArtefactStore(tmp_path / "cache")


def never():
    raise AssertionError("made again")


# Keys


def test_key_is_the_same_in_every_process_and_version():
    # A constant: keys that change by accident would invalidate all existing caches.
    assert KeyParts({"b": 1, "a": [True, None, 0.1]}, ("x",), 3).key("crf") == (
        "c01b4de978a270bb3cc267ebb56cf21ab144295b12e26705b1cb154dd88cef08"
    )


@pytest.mark.parametrize(
    "other",
    [
        KeyParts({"C": 10.5, "sizes": (4, 8)}, ("a" * 64,), 2),
        KeyParts({"C": 10.0, "sizes": (8, 4)}, ("a" * 64,), 2),
        KeyParts({"C": 10.0, "sizes": (4, 8), "more": None}, ("a" * 64,), 2),
        KeyParts({"C": 10.0, "sizes": (4, 8)}, ("b" * 64,), 2),
        KeyParts({"C": 10.0, "sizes": (4, 8)}, ("a" * 64,) * 2, 2),
        KeyParts({"C": 10.0, "sizes": (4, 8)}, ("a" * 64,), 3),
    ],
)
def test_every_part_changes_the_key(other):
    assert other.key("crf") != PARTS.key("crf")
    assert PARTS.key("crf") != PARTS.key("crf2")


def test_equal_values_give_equal_keys():
    @dataclass(frozen=True)
    class Options:
        C: float
        sizes: list

    same = [
        KeyParts({"sizes": [np.int64(4), 8], "C": np.float64(10)}, ("a" * 64,), 2),
        KeyParts(Options(10.0, [4, 8]), ("a" * 64,), 2),
    ]
    assert {p.key("crf") for p in same} == {PARTS.key("crf")}


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), {1: 2}, object(), {1, 2}, b"x"])
def test_values_that_json_would_change_are_refused(odd):
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"value": odd})


@pytest.mark.parametrize("stage", ["", "a/b", "..", "Unary", "a b"])
def test_stage_names_must_be_valid_folder_names(stage, store):
    with pytest.raises(ValueError, match="stage"):
        store.path(stage, PARTS)


def test_content_keys(tmp_path):
    array = np.arange(6).reshape(2, 3)
    assert array_key(array) == array_key(np.asfortranarray(array))
    others = [array + 1, array.reshape(3, 2), array.astype(np.int32)]
    assert len({array_key(a) for a in [array, *others]}) == 4
    assert array_key(array, array) != array_key(array)
    for name, data in (("a", b"1"), ("b", b"1"), ("c", b"2")):
        (tmp_path / name).write_bytes(data)
    assert file_key(tmp_path / "a") == file_key(tmp_path / "b") != file_key(tmp_path / "c")


# Files


def test_round_trip(store):
    made = store.get_or_make("crf", PARTS, some_artefact)
    assert_same(made, some_artefact())
    assert_same(store.get_or_make("crf", PARTS, never), made)
    assert store.has("crf", PARTS)
    assert not store.has("unary", PARTS)
    assert store.get("unary", PARTS) is None


def test_made_and_read_artefacts_are_equal(store):
    array = np.asfortranarray(np.arange(6.0).reshape(2, 3))[:, ::-1]
    made = store.get_or_make("s", PARTS, lambda: Artefact({"a": array}, {"t": (1, 2)}))
    read = store.get_or_make("s", PARTS, never)
    assert made.arrays["a"].flags.c_contiguous
    assert read.arrays["a"].strides == made.arrays["a"].strides
    assert made.document == read.document == {"t": [1, 2]}


def test_numpy_opens_the_file_and_the_same_content_gives_the_same_bytes(store, tmp_path):
    other = ArtefactStore(tmp_path / "other")
    for s in (store, other):
        s.put("crf", PARTS, some_artefact())
    paths = [s.path("crf", PARTS) for s in (store, other)]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with np.load(paths[0], allow_pickle=False) as archive:
        assert np.array_equal(archive["labels"], some_artefact().arrays["labels"])


@pytest.mark.parametrize(
    "artefact", [Artefact({"a": np.array([None])}), Artefact({}, {"a": float("nan")})]
)
def test_unstorable_values_are_refused_and_leave_nothing(artefact, store):
    with pytest.raises(ValueError, match=r"objects|JSON"):
        store.get_or_make("crf", PARTS, lambda: artefact)
    assert [p for p in store.root.rglob("*") if p.is_file()] == []


def test_a_failed_make_leaves_nothing(store):
    with pytest.raises(AssertionError, match="made again"):
        store.get_or_make("crf", PARTS, never)
    assert not store.has("crf", PARTS)


def test_a_truncated_file_is_made_again_with_a_warning(store, caplog):
    store.put("crf", PARTS, some_artefact())
    path = store.path("crf", PARTS)
    whole = path.read_bytes()
    for length in [*range(0, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert not store.has("crf", PARTS)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert_same(store.get_or_make("crf", PARTS, some_artefact), some_artefact())
        assert "is damaged" in caplog.text
        assert path.read_bytes() == whole


def test_a_changed_byte_is_detected_or_harmless(store, caplog):
    caplog.set_level(logging.CRITICAL)
    store.put("crf", PARTS, some_artefact())
    path = store.path("crf", PARTS)
    whole = path.read_bytes()
    found = 0
    for place in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        read = store.get("crf", PARTS)
        if read is None:
            found += 1
        else:
            # Metadata of the archive, such as dates, is not part of the content.
            assert_same(read, some_artefact())
    assert found > len(whole) / 3 / 2


def test_a_forged_array_is_detected(store):
    """A valid archive whose array is not the one that was stored."""
    store.put("crf", PARTS, some_artefact())
    path = store.path("crf", PARTS)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["features.npy"] = members["features.npy"][:-1] + b"\x00"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    assert store.has("crf", PARTS)
    assert store.get("crf", PARTS) is None


def test_a_file_with_the_name_of_another_is_not_used(store):
    store.put("crf", PARTS, some_artefact())
    other = KeyParts({"C": 1.0})
    os.replace(store.path("crf", PARTS), store.path("crf", other))
    assert not store.has("crf", other)
    assert store.get("crf", other) is None


def test_a_write_that_fails_keeps_the_old_file_and_no_temporary(store, monkeypatch):
    store.put("crf", PARTS, some_artefact())

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.put("crf", PARTS, some_artefact(1))
    assert_same(store.get("crf", PARTS), some_artefact())
    assert [p.name for p in store.root.rglob(".*")] == []


def test_files_are_flushed_before_they_are_renamed(store, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda f: (calls.append("fsync"), fsync(f)))
    monkeypatch.setattr(os, "replace", lambda a, b: (calls.append("replace"), replace(a, b)))
    store.put("crf", PARTS, some_artefact())
    assert calls == ["fsync", "replace", "fsync"]


def make_often(root, start, failures):
    store = ArtefactStore(root)
    start.wait()
    for round_ in range(15):
        parts = KeyParts({"round": round_})
        artefact = store.get_or_make("crf", parts, lambda round_=round_: some_artefact(round_))
        try:
            assert_same(artefact, some_artefact(round_))
        except AssertionError:
            failures.value += 1


def test_processes_that_make_the_same_artefact_at_once(store):
    context = multiprocessing.get_context("fork")
    start, failures = context.Barrier(4), context.Value("i", 0)
    processes = [
        context.Process(target=make_often, args=(store.root, start, failures)) for _ in range(4)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [p.exitcode for p in processes] == [0] * 4
    assert failures.value == 0
    assert len(list(store.root.glob("crf/*.npz"))) == 15
    assert list(store.root.rglob(".*")) == []
