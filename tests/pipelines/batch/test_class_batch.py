"""Masks, overlays, maps and tables of several classes."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from PIL import Image

from segboost.io.legend import ClassLegend
from segboost.pipelines.batch.image_result import encode_mask, segment_image
from segboost.pipelines.batch.overlay import RIM, TINT, draw_overlay
from segboost.pipelines.batch.run import run_batch
from segboost.pipelines.batch.segmenting import BatchOptions, foreground_threshold
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_class_models import LEGEND, draw, trained_classes

ALL = frozenset({"overlays", "scores", "probabilities"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_segmenter(trained_classes().model, tmp_path_factory.mktemp("m") / "model")


def decoded(data):
    return np.array(Image.open(io.BytesIO(data)))


def test_files_of_one_image():
    model, (image, _) = trained_classes().model, draw(50)
    made = segment_image(model, "a.png", lambda: image, ALL)
    found = model.predict(image, "a")
    mask = Image.open(io.BytesIO(made.files["a.png"]))
    assert mask.mode == "P"
    np.testing.assert_array_equal(np.array(mask), found.mask)
    np.testing.assert_array_equal(np.array(mask.convert("RGB")), LEGEND.palette[found.mask])
    overlay = decoded(made.files["overlays/a.png"])
    np.testing.assert_array_equal(overlay, draw_overlay(image, found.mask, LEGEND))
    maps = np.stack([decoded(made.files[f"probabilities/a.{k}.png"]) for k in range(4)], axis=2)
    assert maps.dtype == np.uint16
    np.testing.assert_allclose(maps.sum(axis=2), 65535, atol=2)
    expected = np.rint(65535 * model.probabilities(found.scores))
    np.testing.assert_array_equal(maps, expected)
    scores = np.stack([decoded(made.files[f"scores/a.{k}.png"]) for k in range(4)], axis=2)
    best = np.take_along_axis(scores, found.mask[..., None].astype(int), axis=2)[..., 0]
    assert (best == scores.max(axis=2)).all()
    assert len(made.files) == 10
    shares = [(found.mask == k).mean() for k in range(4)]
    np.testing.assert_allclose(made.result.class_shares, shares)


def test_a_batch_is_written_and_refuses_foreign_files(folder, tmp_path):
    inputs = []
    for n in range(3):
        Image.fromarray(draw(50 + n)[0]).save(tmp_path / f"i{n}.png")
        inputs.append(tmp_path / f"i{n}.png")
    options = BatchOptions(tmp_path / "out", overlay=True, probabilities=True)
    run = run_batch(folder, inputs, options, 1, None, QuietProgress())
    assert run.failed == []
    with open(tmp_path / "out" / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [f"share_class {k}" for k in range(4)]
    assert "foreground_share" not in rows[0]
    for row in rows:
        assert sum(float(row[name]) for name in names) == pytest.approx(1, abs=1e-4)
        assert row["status"] == "done"
    files = {p.name for p in (tmp_path / "out" / "probabilities").iterdir()}
    assert files == {f"i{n}.{k}.png" for n in range(3) for k in range(4)}
    # A later run may replace only files that were written by an earlier one.
    (tmp_path / "out" / "probabilities" / "i0.2.png").write_bytes(b"mine")
    with pytest.raises(ValueError, match=r"i0\.2\.png"):
        run_batch(folder, inputs, options, 1, None, QuietProgress())


def test_masks_have_no_single_threshold(folder):
    assert foreground_threshold(folder) is None


def test_overlay_tints_each_class_and_draws_lines_between():
    legend = ClassLegend(("a", "b", "c"), ((255, 0, 0), (0, 255, 0), (0, 0, 255)))
    mask = np.repeat(np.arange(3), 10)[None].repeat(20, axis=0)
    grey = np.full((20, 30, 3), 100, np.uint8)
    overlay = draw_overlay(grey, mask, legend)
    for k in range(3):
        expected = np.rint((1 - TINT) * 100 + TINT * legend.palette[k])
        np.testing.assert_array_equal(overlay[5, 10 * k + 4], expected)
    assert (overlay[:, [9, 19]] == RIM).all()
    assert (grey == 100).all()


def test_two_classes_tint_the_foreground_only():
    mask = np.zeros((30, 30), np.uint8)
    mask[5:25, 5:25] = 1
    grey = np.full((30, 30, 3), 100, np.uint8)
    overlay = draw_overlay(grey, mask)
    assert (overlay[0, 0] == 100).all()
    assert overlay[15, 15, 2] > 140
    named = ClassLegend(("x", "y"), ((0, 0, 0), (1, 1, 1)))
    np.testing.assert_array_equal(decoded(encode_mask(mask, named)), 255 * mask)
