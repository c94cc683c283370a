"""Objects found band by band equal those found in memory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from segboost.pipelines.objects.finding import ObjectSettings, find_objects
from segboost.pipelines.objects.large.page_file import LargeLimits
from segboost.pipelines.objects.large.part_joiner import PartJoiner
from tests.pipelines.objects.large.large_pages import (
    SMALL,
    SPLITTING,
    comb,
    large_objects,
    random_mask,
    rings,
)

SHAPES = {
    "empty": np.zeros((17, 9), np.uint8),
    "full": np.ones((17, 9), np.uint8),
    "comb": comb(),
    "comb upside down": comb()[::-1],
    "comb on its side": comb().T,
    "rings": rings(1, 2, 1),
    "rings with background": rings(1, 0, 2, 0, 1),
    "rings of a later class": rings(2, 1, 0),
    "rings of an earlier class": rings(1, 2, 0),
    "three rings": rings(1, 0, 2, 0, 3),
    "other background": rings(2, 1, 2),
    "one row": np.array([[1, 0, 1, 1, 2]], np.uint8),
    "one column": np.array([[1], [0], [1], [1], [2], [2], [2]], np.uint8),
}


def assert_same_objects(mask, settings, folder, limits=SMALL):
    expected = find_objects(mask, settings)
    with large_objects(mask, settings, folder, limits) as (found, _):
        labels = found.labels.read(found.labels.whole)
        assert np.array_equal(labels, expected.labels), mask.tolist()
        assert np.array_equal(found.classes, expected.classes)
        assert found.classes.dtype == expected.classes.dtype
        boxes = ndimage.find_objects(expected.labels)
        assert found.boxes.tolist() == [
            [rows.start, rows.stop, columns.start, columns.stop] for rows, columns in boxes
        ]
    assert list(folder.iterdir()) == []
    return found


@pytest.mark.parametrize("diagonal", [False, True])
def test_parts_are_numbered_as_on_whole_pages(diagonal):
    rng = np.random.default_rng(0)
    structure = ndimage.generate_binary_structure(2, 2 if diagonal else 1)
    for _ in range(300):
        inside = rng.random(rng.integers(1, 30, 2)) < rng.uniform(0.2, 0.8)
        height = int(rng.integers(1, 8))
        joiner = PartJoiner(diagonal)
        tops = range(0, len(inside), height)
        bands = np.concatenate([joiner.add(inside[top : top + height]) for top in tops])
        assert np.array_equal(joiner.numbers()[bands], ndimage.label(inside, structure)[0])


@pytest.mark.parametrize("fill_holes", [False, True])
def test_random_masks(fill_holes, tmp_path):
    rng = np.random.default_rng(1)
    for _ in range(200):
        mask = random_mask(rng, classes=int(rng.integers(1, 5)))
        area = float(rng.choice([0, 1, 1.5, 4, 20]))
        settings = ObjectSettings(area, fill_holes, background=int(rng.choice([0, 0, 1])))
        limits = LargeLimits(band=int(rng.integers(1, 9)))
        assert_same_objects(mask, settings, tmp_path, limits)


@pytest.mark.parametrize("fill_holes", [False, True])
def test_random_masks_are_split(fill_holes, tmp_path):
    rng = np.random.default_rng(2)
    split = 0
    for _ in range(60):
        mask = random_mask(rng, classes=int(rng.integers(1, 4)))
        area = float(rng.choice([0, 3]))
        settings = ObjectSettings(area, fill_holes, touching="split")
        found = assert_same_objects(mask, settings, tmp_path, SPLITTING)
        assert found.not_split == 0
        split += found.count > find_objects(mask, ObjectSettings(area, fill_holes)).count
    assert split > 10


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("touching", ["keep", "split"])
def test_shapes(name, touching, tmp_path):
    for fill_holes in (False, True):
        for background in (0, 1):
            settings = ObjectSettings(2, fill_holes, touching, background=background)
            assert_same_objects(SHAPES[name], settings, tmp_path, SPLITTING)


def test_parts_that_are_too_large_to_split_are_counted(tmp_path):
    mask = np.zeros((40, 60), np.uint8)
    rows, columns = np.indices(mask.shape)
    for row, column, radius in ((10, 10, 8), (10, 23, 8), (30, 10, 4), (30, 16, 4)):
        mask[(rows - row) ** 2 + (columns - column) ** 2 <= radius**2] = 1
    settings = ObjectSettings(touching="split")
    assert find_objects(mask, settings).count == 4
    with large_objects(mask, settings, tmp_path, LargeLimits(5, 9, 300)) as (found, _):
        labels = found.labels.read(found.labels.whole)
    assert found.not_split == 1
    assert found.count == 3
    assert len({labels[10, 10], labels[10, 23]}) == 1
    assert len({labels[30, 10], labels[30, 16]}) == 2


def test_files_are_removed_after_errors(tmp_path):
    def interrupted():
        with large_objects(comb(), ObjectSettings(), tmp_path):
            assert len(list(tmp_path.iterdir())) == 3
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []
