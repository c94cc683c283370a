from __future__ import annotations

import json

import numpy as np
import pytest

from segboost.pipelines.segmentation.config.segmentation_config import METHODS
from segboost.pipelines.segmentation.model.segmenter_files import (
    KIND,
    load_segmenter,
    save_segmenter,
)
from segboost.storage.folder import ModelFileError, read_folder, write_folder
from segboost.storage.ownership import ForeignFileError
from tests.pipelines.segmentation.tiny_models import tiny_data, trained

IMAGE = tiny_data().test[0].image()


def files(folder):
    paths = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in paths}


@pytest.mark.parametrize("method", METHODS)
def test_loaded_predicts_the_same_to_the_bit(method, tmp_path):
    model = trained(method).model
    save_segmenter(model, tmp_path, {"note": [1, "two"]})
    again = load_segmenter(tmp_path)
    expected, found = model.predict(IMAGE), again.predict(IMAGE)
    assert (expected.scores == found.scores).all()
    assert (expected.mask == found.mask).all()
    assert (expected.superpixels == found.superpixels).all()
    assert again.config == model.config
    assert read_folder(tmp_path, KIND)[0]["extra"] == {"note": [1, "two"]}


def test_json_and_npz_only_and_the_same_bytes_again(tmp_path):
    model = trained().model
    one, two = tmp_path / "one", tmp_path / "two"
    save_segmenter(model, one)
    save_segmenter(load_segmenter(one), two)
    assert files(one) == files(two)
    assert {name.rpartition(".")[2] for name in files(one)} == {"json", "npz"}


def test_a_new_model_replaces_the_old_one_whole(tmp_path):
    save_segmenter(trained("ssvm").model, tmp_path)
    save_segmenter(trained().model, tmp_path)
    assert len(list(tmp_path.glob("crf-*"))) == 1
    assert load_segmenter(tmp_path).config.method == "structboost"
    save_segmenter(trained("adaboost").model, tmp_path)
    assert list(tmp_path.glob("crf-*")) == []


def test_saving_keeps_foreign_files(tmp_path):
    save_segmenter(trained("ssvm").model, tmp_path)
    (old,) = tmp_path.glob("crf-*")
    foreign = {
        "crf-paper/notes.txt": b"1",
        "crf-notes.txt": b"2",
        f"crf-{'0' * 64}/model.json": b"3",
        "arrays-mine.npz": b"4",
        f"{old.name}/notes.txt": b"5",
    }
    for name, data in foreign.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    save_segmenter(trained().model, tmp_path)
    assert foreign.items() <= files(tmp_path).items()
    assert [p.name for p in old.iterdir()] == ["notes.txt"]
    assert load_segmenter(tmp_path).config.method == "structboost"


def test_a_foreign_document_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "model.json").write_text('{"class_name": "Sequential"}')
    with pytest.raises(ForeignFileError, match="was not written by segboost"):
        save_segmenter(trained().model, tmp_path)
    assert list(files(tmp_path)) == ["model.json"]


def test_a_save_that_fails_leaves_the_old_model(tmp_path, monkeypatch):
    save_segmenter(trained().model, tmp_path)
    before = files(tmp_path)

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr("segboost.pipelines.segmentation.model.segmenter_files.write_folder", fail)
    with pytest.raises(OSError, match="disk full"):
        save_segmenter(trained("ssvm").model, tmp_path)
    kept = files(tmp_path)
    assert before.items() <= kept.items()
    assert load_segmenter(tmp_path).config.method == "structboost"


@pytest.mark.parametrize(
    "pattern", ["model.json", "arrays-*.npz", "crf-*/model.json", "crf-*/*.npz"]
)
@pytest.mark.parametrize("how", ["remove", "cut", "flip"])
def test_damage_is_a_model_file_error(pattern, how, tmp_path):
    save_segmenter(trained().model, tmp_path)
    (path,) = tmp_path.glob(pattern)
    data = bytearray(path.read_bytes())
    if how == "remove":
        path.unlink()
    elif how == "cut":
        path.write_bytes(data[: len(data) // 2])
    else:
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    with pytest.raises(ModelFileError) as caught:
        load_segmenter(tmp_path)
    assert "\n" not in str(caught.value)


def rewrite(folder, change):
    """Write the folder again with a changed document or arrays and correct checksums."""
    from segboost.storage.folder import read_folder

    document, arrays = read_folder(folder, "segmenter")
    change(document, arrays)
    write_folder(folder, "segmenter", document, arrays)


def far_feature(document, arrays):
    arrays["unary0_feature"] = arrays["unary0_feature"] + 100_000


def function_group(document, arrays):
    document["preset"]["groups"][1] = {"kind": "function", "name": "x", "function": "os:getcwd"}


def short_scale(document, arrays):
    arrays["scale"] = arrays["scale"][:-1]


def no_config(document, arrays):
    del document["config"]


def other_crf(document, arrays):
    document["crf"] = "crf-elsewhere"


def no_codebook(document, arrays):
    del arrays["codebook_words"]


@pytest.mark.parametrize(
    "change", [far_feature, function_group, short_scale, no_config, other_crf, no_codebook]
)
def test_parts_that_do_not_fit_are_refused(change, tmp_path):
    save_segmenter(trained().model, tmp_path)
    rewrite(tmp_path, change)
    with pytest.raises(ModelFileError):
        load_segmenter(tmp_path)


def test_another_kind_of_folder_is_refused(tmp_path):
    write_folder(tmp_path, "estimator", {}, {"x": np.zeros(1)})
    with pytest.raises(ModelFileError, match="expected 'segmenter'"):
        load_segmenter(tmp_path)
    with pytest.raises(ModelFileError, match="is not a model folder"):
        load_segmenter(tmp_path / "none")


def test_the_document_is_plain_json(tmp_path):
    save_segmenter(trained().model, tmp_path)
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["kind"] == "segmenter"
    assert "seconds" not in json.dumps(document)
