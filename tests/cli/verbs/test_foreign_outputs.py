"""No verb replaces a file that segboost did not write, or one of its own inputs."""

from __future__ import annotations

import errno
import os
import shutil
import stat

import numpy as np
import pytest
from PIL import Image

from segboost.cli.main import run
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from tests.cli.verbs.test_fit_and_predict import FAST, blobs, write_csv
from tests.pipelines.segmentation.tiny_models import tiny_data, trained


def refused(capsys, arguments, *words):
    """Check that a command exits with status 2 and prints one line with these words."""
    capsys.readouterr()
    assert run(list(map(str, arguments))) == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1, printed
    for word in words:
        assert word in printed
    return printed


def contents(folder):
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.name != ".segboost.lock")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


# Masks of a batch


@pytest.fixture(scope="module")
def segmenter(tmp_path_factory):
    return save_segmenter(trained().model, tmp_path_factory.mktemp("model"))


@pytest.fixture
def photos(tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    for item in tiny_data().test[:2]:
        Image.fromarray(item.image()).save(folder / f"{item.name}.png")
    return folder


@pytest.fixture
def segment(segmenter):
    return ["segment", "--model", segmenter, "--jobs", "1", "-o"]


def test_hand_made_masks_stay(segment, photos, tmp_path, capsys):
    masks = tmp_path / "masks"
    masks.mkdir()
    for path in photos.iterdir():
        (masks / path.name).write_bytes(b"made by hand")
    before = contents(masks)
    refused(capsys, [*segment, masks, photos], "and 1 more were not written", "--overwrite")
    assert contents(masks) == before
    assert run([*map(str, segment), str(masks), str(photos), "--overwrite"]) == 0
    assert all(Image.open(path).mode == "L" for path in masks.glob("*.png"))


def test_repeated_commands_and_edited_masks(segment, photos, tmp_path, capsys):
    arguments = [*map(str, segment), str(tmp_path / "out"), str(photos)]
    assert run(arguments) == 0
    assert run(arguments) == 0
    edited = sorted((tmp_path / "out").glob("*.png"))[0]
    Image.new("L", (96, 72), 255).save(edited)
    data = edited.read_bytes()
    refused(capsys, arguments, edited.name, "changed since")
    assert edited.read_bytes() == data


@pytest.mark.parametrize("folder", ["overlays", "scores", "probabilities"])
@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_an_input_in_a_folder_of_the_output_stays(
    segment, photos, tmp_path, capsys, folder, overwrite
):
    place = tmp_path / "o" / folder
    place.mkdir(parents=True)
    image = place / "a.png"
    image.write_bytes(next(photos.iterdir()).read_bytes())
    data = image.read_bytes()
    options = ["--overlay", "--scores", "--probabilities", *overwrite]
    refused(capsys, [*segment, tmp_path / "o", image, *options], "is an input")
    assert image.read_bytes() == data


def test_a_foreign_table_and_journal_stay(segment, photos, tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / "results.csv").write_text("name,score\nmine,1\n")
    refused(capsys, [*segment, out, photos], "results.csv was not written")
    (out / "results.csv").unlink()
    (out / "segment.jsonl.part").write_text("mine\n")
    refused(capsys, [*segment, out, photos], "segment.jsonl.part was not written")
    assert (out / "segment.jsonl.part").read_text() == "mine\n"


# Tables


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    X, y = blobs()
    write_csv(place / "train.csv", X, np.array(["low", "mid", "top"])[y])
    assert run(["fit", str(place / "train.csv"), "--C", "9", "-o", str(place / "m"), *FAST]) == 0
    return place


@pytest.fixture
def predict(tables, tmp_path):
    new = tmp_path / "new.csv"
    new.write_bytes((tables / "train.csv").read_bytes())
    return ["predict", "--model", tables / "m", new, "-o"], new


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
@pytest.mark.parametrize("name", ["new.csv", "./new.csv", "hard.csv"])
def test_predict_never_replaces_its_input(predict, tmp_path, capsys, overwrite, name):
    command, new = predict
    before = new.read_bytes()
    if name == "hard.csv":
        os.link(new, tmp_path / name)
    refused(capsys, [*command, tmp_path / name, *overwrite], "is an input")
    assert new.read_bytes() == before


def test_predict_replaces_predictions_but_no_other_file(predict, tables, tmp_path, capsys):
    command, _ = predict
    target = tmp_path / "predictions.csv"
    for options in ([], [], ["--scores"], []):
        assert run(list(map(str, [*command, target, *options]))) == 0
    target.write_text("")  # as mktemp creates it
    assert run(list(map(str, [*command, target]))) == 0
    foreign = (b"row,prediction,notes\n1,low,look\n", b"row;prediction\n", b"row,prediction\n7,")
    for data in (*foreign, b"a\rb\n"):
        target.write_bytes(data)
        refused(capsys, [*command, target], "was not written by segboost", "--overwrite")
        assert target.read_bytes() == data
    assert run(list(map(str, [*command, target, "--overwrite"]))) == 0
    model = contents(tables / "m")
    for name in model:
        refused(capsys, [*command, tables / "m" / name, "--overwrite"], "is an input")
    assert contents(tables / "m") == model


@pytest.mark.parametrize("verb", ["predict", "report", "features"])
@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_devices_pipes_and_links_are_not_replaced(
    verb, predict, tables, photos, tmp_path, capsys, overwrite
):
    image = sorted(photos.iterdir())[0]
    command = {
        "predict": predict[0],
        "report": ["report", tables, "-o"],
        "features": ["features", "show", image, "-o"],
    }[verb]
    pipe, link, mine = (tmp_path / name for name in ("pipe.png", "link.png", "mine.png"))
    os.mkfifo(pipe)
    mine.write_bytes(b"mine")
    link.symlink_to(mine)
    for target in (pipe, link):
        refused(capsys, [*command, target, *overwrite], target.name)
    if verb != "features":
        refused(capsys, [*command, "/dev/full", *overwrite], "/dev/full is a device")
        refused(capsys, [*command, "/dev/stdout", *overwrite], "/dev/stdout is a symbolic link")
    assert stat.S_ISCHR(os.lstat("/dev/full").st_mode)
    assert stat.S_ISFIFO(os.lstat(pipe).st_mode)
    assert mine.read_bytes() == b"mine"


def test_fit_keeps_a_training_file_in_the_model_folder(tmp_path):
    folder = tmp_path / "w"
    folder.mkdir()
    X, y = blobs()
    np.savez(folder / "arrays-train.npz", X=X, y=y)
    before = (folder / "arrays-train.npz").read_bytes()
    for C in ("9", "20"):
        arguments = ["fit", str(folder / "arrays-train.npz"), "-o", str(folder), "--C", C, *FAST]
        assert run(arguments) == 0
    assert (folder / "arrays-train.npz").read_bytes() == before
    assert len(list(folder.glob("arrays-*.npz"))) == 2


@pytest.mark.parametrize("name", ["model.json", "table.json"])
def test_fit_refuses_a_folder_with_other_documents(tables, tmp_path, capsys, name):
    (tmp_path / name).write_text('{"mine": 1}')
    command = ["fit", tables / "train.csv", "--C", "9", "-o", tmp_path, *FAST]
    refused(capsys, command, f"{name} was not written by segboost")
    assert contents(tmp_path) == {name: b'{"mine": 1}'}


@pytest.mark.parametrize("name", ["model.json", "table.json"])
def test_fit_refuses_a_folder_with_a_link(tables, tmp_path, capsys, name):
    (tmp_path / name).symlink_to("nowhere")
    command = ["fit", tables / "train.csv", "--C", "9", "-o", tmp_path, *FAST]
    refused(capsys, command, "a symbolic link: choose a regular file or a new name")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_fit_and_train_do_not_replace_each_other(tables, segmenter, capsys):
    before = contents(segmenter), contents(tables / "m")
    refused(capsys, ["fit", tables / "train.csv", "--C", "9", "-o", segmenter], "holds a segmenter")
    refused(capsys, ["train", "-o", tables / "m"], "another kind")
    assert (contents(segmenter), contents(tables / "m")) == before


# Runs, reports, pictures, tracks


@pytest.mark.parametrize("name", ["run.json", "scores.json", "train.jsonl", "answers.npz"])
def test_train_refuses_to_replace_foreign_files(name, tmp_path, capsys):
    (tmp_path / name).write_text("mine")
    refused(capsys, ["train", "-o", tmp_path], name, "does not belong to a training run")
    assert contents(tmp_path) == {name: b"mine"}


def test_train_keeps_its_settings_file(tmp_path, capsys):
    (tmp_path / "run.json").write_text('{"C": 10}')
    (tmp_path / "train.jsonl").write_text('{"time": "2026')
    refused(capsys, ["train", "--config", tmp_path / "run.json", "-o", tmp_path], "is an input")
    assert (tmp_path / "run.json").read_text() == '{"C": 10}'


@pytest.mark.parametrize("name", ["page.html", "model.json", "notes.txt"])
def test_report_replaces_reports_only(name, tmp_path, capsys):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / name).write_text("<p>mine</p>")
    for options in ([], ["--overwrite"]):
        refused(capsys, ["report", folder, "-o", folder / name, *options], "is not a report")
    (tmp_path / name).write_text("<p>mine</p>")
    refused(capsys, ["report", folder, "-o", tmp_path / name], name)
    assert (tmp_path / name).read_text() == "<p>mine</p>"


def test_features_show_replaces_its_pictures_only(photos, tmp_path, capsys):
    image = sorted(photos.iterdir())[0]
    target = tmp_path / "picture.png"
    target.write_bytes(image.read_bytes())
    refused(capsys, ["features", "show", image, "-o", target], "was not written by segboost")
    assert target.read_bytes() == image.read_bytes()
    for options in (["--overwrite"], []):
        assert run(["features", "show", str(image), "-o", str(target), *options]) == 0


@pytest.fixture
def film(tmp_path):
    folder = tmp_path / "out" / "overlay"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    for number in range(3):
        pixels = rng.integers(0, 255, (40, 50, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{number:05d}.jpg")
    return folder


def track(*options):
    return ["track", "--method", "fragments", "--box", "5,5,12,12", *options]


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_track_keeps_its_frames_and_truth(film, tmp_path, capsys, overwrite):
    before = contents(film)
    command = track("--frames", film, "-o", film.parent, "--overlay", "frames", *overwrite)
    refused(capsys, command, "is an input")
    truth = film.parent / "boxes.csv"
    truth.write_text("6,6,12,12\n" * 3)
    command = track("--frames", film, "--truth", truth, "-o", film.parent, *overwrite)
    refused(capsys, command, "boxes.csv is an input")
    assert contents(film) == before


def test_track_refuses_foreign_files_and_replaces_its_own(film, tmp_path, capsys):
    out = tmp_path / "track"
    out.mkdir()
    (out / "summary.json").write_text("mine")
    command = list(map(str, track("--frames", film, "-o", out, "--overlay", "frames")))
    refused(capsys, command, "summary.json was not written by segboost")
    assert contents(out) == {"summary.json": b"mine"}
    (out / "summary.json").unlink()
    assert run(command) == 0
    assert run(command) == 0
    (out / "overlay" / "00001.jpg").write_bytes(b"mine")
    refused(capsys, command, "00001.jpg was not written by segboost")


def test_demo_keeps_foreign_pictures_and_pages(tmp_path, capsys):
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "test_000.png").write_bytes(b"mine")
    refused(capsys, ["demo", "-o", tmp_path], "test_000.png was not written")
    (tmp_path / "index.html").write_text("mine")
    refused(capsys, ["demo", "-o", tmp_path, "--overwrite"], "index.html is not a report")
    assert len(contents(tmp_path)) == 2


@pytest.mark.parametrize("place", ["mine.txt/sub", "broken", "broken/sub"])
def test_folders_that_cannot_be_made_are_refused_before_work(tables, tmp_path, capsys, place):
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "broken").symlink_to("nowhere")
    before = sorted(path.name for path in tmp_path.iterdir())
    for command in (
        ["fit", tables / "train.csv"],
        ["train"],
        ["segment", "x.png", "--model", "m"],
        ["demo"],
        track("--frames", "x"),
        ["reproduce", "classes", "--dataset", "synthetic-classes", "--quick"],
    ):
        refused(capsys, [*command, "-o", tmp_path / place], "not a folder")
    for command in (["report", tables], ["predict", tables / "train.csv", "--model", "m"]):
        refused(capsys, [*command, "-o", tmp_path / "none" / "r.html"], "does not exist")
        refused(capsys, [*command, "-o", tmp_path], "is a folder, not a file")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_failed_save_keeps_the_previous_model(tables, tmp_path, monkeypatch, capsys):
    shutil.copytree(tables / "m", tmp_path / "m")
    before = contents(tmp_path / "m")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("segboost.storage.folder.write_whole", full)
    command = ["fit", str(tables / "train.csv"), "--C", "20", "-o", str(tmp_path / "m"), *FAST]
    assert run(command) == 1
    assert contents(tmp_path / "m") == before
