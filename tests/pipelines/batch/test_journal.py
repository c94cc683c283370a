"""Journals of interrupted batches: which results a later run reuses."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
import tifffile
from PIL import Image

from segboost.pipelines.batch.image_result import ImageResult
from segboost.pipelines.batch.journal import JOURNAL, BatchJournal
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.output_names import image_file_names
from segboost.pipelines.objects.finding import ObjectSettings

WANTED = frozenset({"scores"})


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.json").write_text("one model")
    return folder


@pytest.fixture
def images(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for name in "abcd":
        (folder / f"{name}.jpg").write_text(name)
    return sorted(folder.iterdir())


@pytest.fixture
def output(tmp_path):
    (tmp_path / "out" / "scores").mkdir(parents=True)
    return tmp_path / "out"


def make(paths, output, seen=None, failing=()):
    """Yield results, writing the files of each on demand."""
    for path in paths:
        if seen is not None:
            seen.append(path.stem)
        if path.stem in failing:
            yield ImageResult(path.name, status="broken")
            continue
        for folder in (output / "scores", output):
            Image.fromarray(np.zeros((2, 2), np.uint8)).save(folder / f"{path.stem}.png")
        yield ImageResult(path.name, 2, 2, 1, 0.0, 0.5, 0.25)


def stop_after(n, model, images, output, failing=()):
    results = BatchJournal(model, output, WANTED).record(
        images, {}, make(images, output, failing=failing)
    )
    for _ in range(n):
        next(results)
    results.close()


def names(known):
    return sorted(path.stem for path in known)


def test_an_interrupted_batch_resumes(model, images, output):
    stop_after(2, model, images, output)
    journal = BatchJournal(model, output, WANTED)
    known = journal.read(images)
    assert names(known) == ["a", "b"]
    seen: list[str] = []
    rest = make([p for p in images if p not in known], output, seen)
    results = list(journal.record(images, known, rest))
    assert seen == ["c", "d"]
    assert results == list(make(images, output))
    journal.remove()
    assert not (output / JOURNAL).exists()


def test_a_batch_that_is_stopped_twice_forgets_nothing(model, images, output):
    stop_after(2, model, images, output)
    journal = BatchJournal(model, output, WANTED)
    known = journal.read(images)
    results = journal.record(images, known, make(images[2:], output))
    next(results)  # from the journal
    results.close()
    assert names(BatchJournal(model, output, WANTED).read(images)) == ["a", "b"]


def test_failures_are_tried_again(model, images, output):
    stop_after(4, model, images, output, failing="bc")
    assert names(BatchJournal(model, output, WANTED).read(images)) == ["a", "d"]


def test_another_model_or_other_files_start_from_scratch(model, images, output):
    stop_after(3, model, images, output)
    assert BatchJournal(model, output, frozenset()).read(images) == {}
    (model / "model.json").write_text("another model")
    assert BatchJournal(model, output, WANTED).read(images) == {}


def change_bytes(image, output):
    image.write_text("longer than before")


def change_date(image, output):
    os.utime(image, ns=(1, 1))


def lose_image(image, output):
    image.unlink()


def lose_scores(image, output):
    (output / "scores" / "b.png").unlink()


def cut_mask(image, output):
    data = (output / "b.png").read_bytes()
    (output / "b.png").write_bytes(data[:-5])


def empty_mask(image, output):
    (output / "b.png").write_bytes(b"")


@pytest.mark.parametrize(
    "change", [change_bytes, change_date, lose_image, lose_scores, cut_mask, empty_mask]
)
def test_changed_images_are_segmented_again(change, model, images, output):
    stop_after(3, model, images, output)
    change(images[1], output)
    assert names(BatchJournal(model, output, WANTED).read(images)) == ["a", "c"]


def test_an_image_of_the_same_name_elsewhere_is_a_different_one(model, images, output, tmp_path):
    stop_after(3, model, images, output)
    other = tmp_path / "other"
    other.mkdir()
    copy = other / "a.jpg"
    copy.write_text("a")
    stat = images[0].stat()
    os.utime(copy, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert BatchJournal(model, output, WANTED).read([copy]) == {}


def test_an_incomplete_line_is_ignored(model, images, output):
    stop_after(3, model, images, output)
    text = (output / JOURNAL).read_text()
    whole = text.rstrip("\n").rindex("\n") + 1
    for length in (whole + 1, len(text) - 30, len(text) - 1):
        (output / JOURNAL).write_text(text[:length])
        assert names(BatchJournal(model, output, WANTED).read(images)) == ["a", "b"]


@pytest.mark.parametrize(
    "line", ["7", "[]", '{"image": 3}', '{"image": {"name": "c.jpg"}, "result": {"x": 1}}', "{}"]
)
def test_invalid_lines_are_ignored(line, model, images, output):
    stop_after(2, model, images, output)
    with open(output / JOURNAL, "a") as file:
        print(line, file=file)
    assert names(BatchJournal(model, output, WANTED).read(images)) == ["a", "b"]


@pytest.mark.parametrize(
    "change",
    [
        {"width": "x"}, {"seconds": None}, {"seconds": float("nan")}, {"objects": [1]},
        {"class_shares": 5}, {"class_shares": ["a"]}, {"superpixels": True}, {"pages": 10**40},
    ],
)  # fmt: skip
def test_edited_results_are_not_trusted(change, model, images, output):
    stop_after(2, model, images, output)
    first, *lines = (output / JOURNAL).read_text().splitlines()
    edited = json.loads(lines[1])
    edited["result"] |= change
    (output / JOURNAL).write_text("\n".join([first, lines[0], json.dumps(edited), ""]))
    assert names(BatchJournal(model, output, WANTED).read(images)) == ["a"]


def test_deeply_nested_lines_and_pipes_are_ignored(model, images, output):
    stop_after(2, model, images, output)
    with open(output / JOURNAL, "a") as file:
        print("[" * 100_000, file=file)
    assert names(BatchJournal(model, output, WANTED).read(images)) == ["a", "b"]
    (output / JOURNAL).unlink()
    os.mkfifo(output / JOURNAL)
    assert BatchJournal(model, output, WANTED).read(images) == {}


def test_a_missing_or_foreign_journal_is_ignored(model, images, output):
    assert BatchJournal(model, output, WANTED).read(images) == {}
    (output / JOURNAL).write_bytes(b"\xff\xfe\n")
    assert BatchJournal(model, output, WANTED).read(images) == {}
    (output / JOURNAL).write_text(json.dumps({"batch": "another"}) + "\n")
    assert BatchJournal(model, output, WANTED).read(images) == {}


OBJECTS = ScientificOptions(objects=ObjectSettings())
ZARR = ScientificOptions(zarr=True)
FOLDERS = frozenset({"scores", "overlays", "probabilities"})
LARGE = 4096


def record_scientific(model, path, output, options, side=LARGE):
    """Record one scientific image as done, with its files; return its journal."""
    overlay = {"overlays"} if side == LARGE else set()
    for name in image_file_names(path, options, FOLDERS - overlay):
        (output / name).parent.mkdir(exist_ok=True)
        Image.fromarray(np.zeros((2, 2), np.uint8)).save(output / name, format="PNG")
    journal = BatchJournal(model, output, FOLDERS, 2, options, [path])
    assert list(journal.record([path], {}, [ImageResult(path.name, side, side)]))
    return journal


@pytest.mark.parametrize("options", [OBJECTS, ZARR])
@pytest.mark.parametrize("name", ["a.png", "b.tif"])
def test_scientific_images_need_no_scores_or_skipped_overlays(name, options, model, output):
    path = output.parent / name
    tifffile.imwrite(path, np.zeros((2, 2), np.uint8)) if name == "b.tif" else path.touch()
    journal = record_scientific(model, path, output, options)
    assert names(journal.read([path])) == [path.stem]


@pytest.mark.parametrize("side", [8, LARGE])
@pytest.mark.parametrize(
    "lost", ["b.tif", "labels/b.tif", "objects/b.csv", "probabilities/b.tif", "overlays/b.png"]
)
def test_scientific_images_are_segmented_again_if_a_file_is_missing(lost, side, model, output):
    path = output.parent / "b.tif"
    tifffile.imwrite(path, np.zeros((2, 2), np.uint8))
    journal = record_scientific(model, path, output, OBJECTS, side)
    assert names(journal.read([path])) == ["b"]
    (output / lost).unlink(missing_ok=True)
    skipped = lost == "overlays/b.png" and side == LARGE
    assert names(journal.read([path])) == (["b"] if skipped else [])
