"""Large images are split into crops for training and evaluation."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from segboost.datasets import load_folders
from segboost.datasets.base import ArraySource, LabelledImage
from segboost.pipelines.segmentation.images import crops
from segboost.pipelines.segmentation.images.crops import crop_items, describe_crops


@pytest.fixture
def small_limits(monkeypatch):
    monkeypatch.setattr(crops, "SIDE", 64)
    monkeypatch.setattr(crops, "LARGEST_PIXELS", 64 * 64)


def labelled(height, width, name="a"):
    random = np.random.default_rng(height)
    image = random.integers(0, 256, (height, width, 3)).astype(np.uint8)
    mask = random.integers(0, 2, (height, width)).astype(np.uint8)
    return LabelledImage(name, ArraySource(image), ArraySource(mask))


def test_crops_cover_a_large_image_once(small_limits):
    item = labelled(100, 150)
    found = crop_items([item], None)
    assert len(found) == 2 * 3
    assert len({part.name for part in found}) == 6
    assert len({part.image_key() for part in found}) == 6
    count = np.zeros((100, 150), int)
    for part in found:
        place = part.crop.rows, part.crop.columns
        count[place] += 1
        assert np.array_equal(part.image(), item.image()[place])
        assert np.array_equal(part.mask(), item.mask()[place])
        assert min(part.mask().shape) >= 50  # no slivers at the border
    assert (count == 1).all()


def test_small_images_and_crops_are_not_divided(small_limits):
    small = labelled(64, 64)
    parts = crop_items([labelled(100, 100, "b")], None)
    assert crop_items([small, *parts], None) == [small, *parts]


def test_images_that_are_scaled_down_stay_whole(small_limits):
    item = labelled(100, 150)
    assert crop_items([item], 64) == [item]


def test_crops_without_labels_are_left_out(small_limits):
    image = np.zeros((128, 128, 3), np.uint8)
    mask = np.full((128, 128), 255, np.uint8)
    mask[:10, 70:80] = 1
    (only,) = crop_items([LabelledImage("a", ArraySource(image), ArraySource(mask))], None)
    assert (only.crop.top, only.crop.left, only.name) == (0, 64, "a_0_64")


def test_a_line_describes_the_crops(small_limits):
    items = [labelled(64, 64), labelled(100, 150, "b"), labelled(128, 128, "c")]
    (line,) = describe_crops(items, crop_items(items, None))
    assert line.startswith("2 of 3 training images")
    assert "10 crops" in line
    assert describe_crops(items[:1], crop_items(items[:1], None)) == []


def test_sizes_come_from_headers(small_limits, tmp_path, monkeypatch):
    for name in ("images", "masks"):
        (tmp_path / name).mkdir()
    for name, side in (("a", 64), ("b", 100)):
        item = labelled(side, side)
        Image.fromarray(item.image()).save(tmp_path / "images" / f"{name}.png")
        Image.fromarray(item.mask()).save(tmp_path / "masks" / f"{name}.png")
    items = load_folders(tmp_path / "images", tmp_path / "masks", test_fraction=0).train
    read = []
    load = LabelledImage.mask
    monkeypatch.setattr(LabelledImage, "mask", lambda self: read.append(self.name) or load(self))
    names = [part.name for part in crop_items(items, None)]
    assert names == ["a", "b_0_0", "b_0_50", "b_50_0", "b_50_50"]
    assert read == ["b"]
