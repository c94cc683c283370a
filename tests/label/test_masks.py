"""Partial masks on disk: versions, conflicts, sizes, and their use by `train`."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from segboost.datasets import load_folders
from segboost.io.errors import ImageFileError
from segboost.io.image_files import read_image
from segboost.io.legend import read_legend
from segboost.label import images as images_module
from segboost.label.export import export_masks
from segboost.label.images import ImageFolder, read_header
from segboost.label.masks import UNPAINTED, ConflictError, MaskFolder, unpack_runs
from segboost.label.project import LabelProject
from tests.label.folders import HEIGHT, WIDTH, runs, write_images


@pytest.fixture
def folder(tmp_path):
    write_images(tmp_path / "images", 3)
    return tmp_path / "images"


@pytest.fixture
def masks(folder):
    return MaskFolder(LabelProject(folder).masks)


def void(shape=(HEIGHT, WIDTH)):
    return np.full(shape, 255, np.uint8)


def stroke(mask, value, row):
    painted = mask.copy()
    painted[row : row + 5, 10:60] = value
    return painted


def test_saved_masks_are_read_back(folder, masks):
    image, *_ = ImageFolder(folder).scan()
    assert masks.version(image) == UNPAINTED
    painted = stroke(stroke(void(), 1, 10), 0, 40)
    version = masks.save(image, painted, UNPAINTED)
    found, again = masks.shown(image)
    assert np.array_equal(found, painted)
    assert again == version == masks.version(image)
    # Another server on the same folder reads the same.
    assert np.array_equal(MaskFolder(masks.folder).read(image), painted)


def test_a_stale_version_changes_nothing(folder, masks):
    image, *_ = ImageFolder(folder).scan()
    first = masks.save(image, stroke(void(), 1, 10), UNPAINTED)
    with pytest.raises(ConflictError) as raised:
        masks.save(image, stroke(void(), 0, 40), UNPAINTED)
    assert raised.value.version == first
    assert np.array_equal(masks.read(image), stroke(void(), 1, 10))


def test_erasing_everything_leaves_no_file(folder, masks):
    image, *_ = ImageFolder(folder).scan()
    version = masks.save(image, stroke(void(), 1, 10), UNPAINTED)
    assert masks.save(image, void(), version) == UNPAINTED
    assert not masks.path(image).exists()


def test_a_failed_write_leaves_the_mask_as_it_was(folder, masks, monkeypatch):
    image, *_ = ImageFolder(folder).scan()
    masks.save(image, stroke(void(), 1, 10), UNPAINTED)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("segboost.storage.whole_file.os.replace", full)
    with pytest.raises(OSError, match="space"):
        masks.save(image, stroke(void(), 0, 40), masks.version(image))
    assert np.array_equal(masks.read(image), stroke(void(), 1, 10))
    assert [p.name for p in masks.folder.iterdir()] == ["scene_0.png"]


@pytest.mark.parametrize("bad", [void((5, 5)), np.full((HEIGHT, WIDTH), 7, np.uint8)])
def test_invalid_masks_are_refused(folder, masks, bad):
    image, *_ = ImageFolder(folder).scan()
    with pytest.raises(ValueError, match="values of classes"):
        masks.save(image, bad, UNPAINTED)


def test_a_large_mask_keeps_its_pixels_outside_the_strokes(folder, masks, monkeypatch):
    monkeypatch.setattr(images_module, "SHOWN", 24)
    image, *_ = ImageFolder(folder).scan()
    assert image.shown_shape == (18, 24)
    fine = void()
    fine[1::2, 1::2] = 1  # finer than the screen shows
    masks._write(image, fine)
    shown, version = masks.shown(image)
    shown[:4, :4] = 0
    masks.save(image, shown, version)
    found = masks.read(image)
    assert found.shape == (HEIGHT, WIDTH)
    assert (found[:16, :16] == 0).all()
    assert np.array_equal(found[16:], fine[16:])
    assert np.array_equal(found[:, 16:], fine[:, 16:])


def test_runs_are_unpacked_and_checked():
    rng = np.random.default_rng(0)
    mask = rng.choice(np.array([0, 1, 255], np.uint8), (9, 7), p=[0.1, 0.1, 0.8])
    assert np.array_equal(unpack_runs(runs(mask), mask.size).reshape(9, 7), mask)
    for data, size in ((runs(mask), 62), (runs(mask)[:-1], 63), (b"", 63)):
        with pytest.raises(ValueError, match="runs"):
            unpack_runs(data, size)


def test_train_reads_an_export(folder, masks):
    images = ImageFolder(folder).scan()
    masks.save(images[0], stroke(void(), 0, 40), UNPAINTED)  # background alone: 0 and 255
    masks.save(images[2], np.ones((HEIGHT, WIDTH), np.uint8), UNPAINTED)  # no void
    project = LabelProject(folder)
    for _ in range(2):  # the second export replaces the first
        made = export_masks(project, images, masks)
    assert made.count == 2
    data = load_folders(made.images, made.masks, test_fraction=0)
    assert [item.name for item in data.train] == ["scene_0", "scene_2"]
    assert np.array_equal(data.train[0].mask(), stroke(void(), 0, 40))
    assert (data.train[1].mask() == 1).all()
    assert read_legend(made.images.parent / "classes.json").names == ("background", "foreground")
    assert np.array_equal(data.train[0].image(), read_image(images[0].path))
    assert [p.name for p in project.work.iterdir() if p.name.startswith(".export")] == []


def test_an_export_needs_paint(folder, masks):
    with pytest.raises(ValueError, match="nothing is labelled"):
        export_masks(LabelProject(folder), ImageFolder(folder).scan(), masks)


def test_headers_give_the_upright_size_and_show_broken_files(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 20)).save(tmp_path / "turned.jpg", exif=exif)
    (tmp_path / "text.png").write_text("hello")
    (tmp_path / "empty.png").touch()
    turned = read_header(tmp_path / "turned.jpg")
    assert (turned.width, turned.height) == (20, 40)
    assert read_image(turned.path).shape == (40, 20, 3)
    problems = {i.name: i.problem for i in ImageFolder(tmp_path).scan()}
    assert "not an image" in problems["text.png"]
    assert "empty" in problems["empty.png"]
    with pytest.raises(ImageFileError, match="not an image"):
        read_header(tmp_path / "text.png")


def test_a_second_image_of_the_same_name_is_reported(tmp_path):
    for ending in ("jpg", "png"):
        Image.new("RGB", (40, 20)).save(tmp_path / f"a.{ending}")
    one, other = ImageFolder(tmp_path).scan()
    assert one.problem == ""
    assert "rename one" in other.problem


def test_new_and_vanished_files_are_seen(tmp_path):
    Image.new("RGB", (40, 20)).save(tmp_path / "a.png")
    folder = ImageFolder(tmp_path)
    assert [i.width for i in folder.scan()] == [40]
    Image.new("RGB", (50, 20)).save(tmp_path / "b.png")
    assert [i.width for i in folder.scan()] == [40, 50]
    (tmp_path / "a.png").unlink()
    assert [i.width for i in folder.scan()] == [50]


def test_an_export_replaces_only_an_export(folder, masks):
    project = LabelProject(folder)
    images = ImageFolder(folder).scan()
    version = masks.save(images[0], stroke(void(), 1, 10), UNPAINTED)
    export_masks(project, images, masks)
    masks.save(images[0], stroke(void(), 0, 20), version)
    exported = export_masks(project, images, masks)
    (mask,) = exported.masks.iterdir()
    assert mask.read_bytes() == masks.path(images[0]).read_bytes()
    corrected = stroke(void(), 1, 30)
    Image.fromarray(corrected).save(mask)
    with pytest.raises(ValueError, match="changed since: move it out of"):
        export_masks(project, images, masks)
    assert (np.asarray(Image.open(mask)) == corrected).all()
    mask.unlink()
    for name in ("notes.txt", "images/mine.png"):
        (project.export / name).write_text("mine")
        with pytest.raises(ValueError, match=f"{name} was not written by the export"):
            export_masks(project, images, masks)
        (project.export / name).unlink()
    assert export_masks(project, images, masks).count == 1
    assert sorted(p.name for p in project.work.iterdir()) == ["export", "masks"]
