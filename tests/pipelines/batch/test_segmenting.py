from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from segboost.pipelines.batch.image_result import encode_probabilities, encode_scores
from segboost.pipelines.batch.inputs import find_images
from segboost.pipelines.batch.overlay import draw_overlay
from segboost.pipelines.batch.segmenting import BatchOptions, segment_files
from segboost.pipelines.batch.table import COLUMNS, write_results
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.storage.folder import ModelFileError
from tests.pipelines.segmentation.tiny_models import tiny_data, trained


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_segmenter(trained().model, tmp_path_factory.mktemp("model"))


@pytest.fixture
def images(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for item in tiny_data().test:
        Image.fromarray(item.image()).save(folder / f"{item.name}.png")
    return folder


def segment(model, sources, output, n_jobs=1, **options):
    paths = find_images([str(s) for s in sources])
    return list(segment_files(model, paths, BatchOptions(output, **options), n_jobs))


def test_masks_overlays_and_scores(model, images, tmp_path):
    output = tmp_path / "out"
    wanted = {"overlay": True, "scores": True, "probabilities": True}
    results = segment(model, [images], output, **wanted)
    assert [r.name for r in results] == sorted(p.name for p in images.iterdir())
    for result, item in zip(results, tiny_data().test, strict=True):
        found = trained().model.predict(item.image())
        mask = np.asarray(Image.open(output / result.name))
        assert mask.dtype == np.uint8
        assert (mask == found.mask * 255).all()
        wide = Image.open(output / "scores" / result.name)
        assert (np.asarray(wide) == encode_scores(found.scores)).all()
        wide = Image.open(output / "probabilities" / result.name)
        expected = trained().model.probabilities(found.scores)
        np.testing.assert_allclose(np.asarray(wide) / 65535, expected, atol=1 / 65535)
        overlay = np.asarray(Image.open(output / "overlays" / result.name))
        assert (overlay == draw_overlay(item.image(), found.mask)).all()
        assert (result.width, result.height) == (96, 72)
        assert result.superpixels == found.superpixels.max() + 1
        assert result.foreground_share == pytest.approx(found.mask.mean())
        assert result.seconds > 0
        assert result.cpu_seconds > 0
    assert not [p for p in output.rglob("*") if p.name.endswith(".tmp")]


def test_two_jobs_write_the_same_files(model, images, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    for output, n_jobs in ((one, 1), (two, 2)):
        assert not any(r.failed for r in segment(model, [images], output, n_jobs, scores=True))
    for path in one.rglob("*.png"):
        assert path.read_bytes() == (two / path.relative_to(one)).read_bytes()


def test_a_broken_image_is_reported_and_the_rest_are_processed(model, images, tmp_path):
    (images / "broken.jpg").write_bytes(b"no image")
    (images / "empty.png").write_bytes(b"")
    results = segment(model, [images], tmp_path / "out")
    failed = {r.name: r.status for r in results if r.failed}
    assert set(failed) == {"broken.jpg", "empty.png"}
    assert failed["empty.png"] == "the file is empty"
    assert len(list((tmp_path / "out").glob("*.png"))) == 3


def test_the_table_is_complete_and_has_one_line_per_image(model, images, tmp_path):
    (images / "broken.jpg").write_bytes(b"no image")
    paths = find_images([str(images)])
    output = tmp_path / "out"
    for _ in write_results(segment_files(model, paths, BatchOptions(output)), output / "r.csv"):
        assert not (output / "r.csv").exists()
    with open(output / "r.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert [row["name"] for row in rows] == [p.name for p in paths]
    assert {row["status"] for row in rows[1:]} == {"done"}
    assert "image" in rows[0]["status"]


def test_files_folders_and_patterns_each_once(images):
    (images / "notes.txt").write_text("")
    one = images / "test_000.png"
    found = find_images([str(one), str(images), str(images / "test_*.png")])
    assert found == sorted(images.glob("*.png"))
    assert find_images([str(images / "*")]) == sorted(images.glob("*.png"))
    with pytest.raises(ValueError, match="no such image"):
        find_images([str(images / "none*.png")])


def test_names_that_collide_are_refused_before_any_work(model, images, tmp_path):
    Image.open(images / "test_000.png").save(images / "test_000.jpg")
    with pytest.raises(ValueError, match=r"test_000\.jpg and .*test_000\.png would both"):
        segment(model, [images], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_masks_never_overwrite_images(model, images):
    before = {p: p.read_bytes() for p in images.iterdir()}
    with pytest.raises(ValueError, match="would overwrite"):
        segment(model, [images], images)
    assert before == {p: p.read_bytes() for p in images.iterdir()}


def test_a_missing_model_is_an_error_before_any_work(images, tmp_path):
    with pytest.raises(ModelFileError):
        segment(tmp_path / "none", [images], tmp_path / "out")


def test_memory_holds_few_results(model, images, tmp_path):
    """Results are yielded as they are made: the first mask exists before the last is requested."""
    paths = find_images([str(images)])
    results = segment_files(Path(model), paths, BatchOptions(tmp_path / "out"))
    assert not list((tmp_path / "out").glob("*.png"))
    next(results)
    assert len(list((tmp_path / "out").glob("*.png"))) == 1


def test_missing_probabilities_are_an_error_before_any_work(images, tmp_path):
    older = save_segmenter(replace(trained().model, calibration=None), tmp_path / "model")
    with pytest.raises(ValueError, match="train it again"):
        segment(older, [images], tmp_path / "out", probabilities=True)
    assert not (tmp_path / "out").exists()
    assert len(segment(older, [images], tmp_path / "out")) == 3


def test_probabilities_keep_their_order_in_16_bits():
    values = np.linspace(0, 1, 1001)
    coded = encode_probabilities(values)
    assert coded.dtype == np.uint16
    assert (coded[0], coded[-1]) == (0, 65535)
    assert (np.diff(coded.astype(int)) > 0).all()


def test_scores_can_be_read_back():
    scores = np.linspace(-30, 30, 1001)
    coded = encode_scores(scores)
    assert ((coded >= 32768) == (scores > 0)).all()
    assert (np.diff(coded.astype(int)) >= 0).all()
    unit = coded / 32767.5 - 1
    back = unit / (1 - np.abs(unit))
    np.testing.assert_allclose(back, scores, rtol=2e-3, atol=1e-4)


def test_overlay_leaves_the_image_alone_and_marks_the_border():
    image = np.full((60, 80, 3), 100, np.uint8)
    mask = np.zeros((60, 80), np.uint8)
    mask[:30, 20:50] = 1
    overlay = draw_overlay(image, mask)
    assert (image == 100).all()
    assert (overlay[0, 30] == overlay[10, 30]).all()  # the edge of the image is not a border
    assert overlay[10, 30, 2] > 140  # tinted
    assert (overlay[50, 70] == 100).all()
    assert (overlay[10, 20] == (255, 230, 0)).all()
    assert (overlay[10, 19] == (20, 20, 20)).all()
    assert (draw_overlay(image, mask * 0) == image).all()
    with pytest.raises(ValueError, match="shape"):
        draw_overlay(image[:-1], mask)
