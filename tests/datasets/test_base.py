from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from segboost.datasets import ArraySource, DatasetError, LabelledImage, SegmentationDataset
from segboost.datasets.reading import image_source
from tests.datasets.files import photograph, save, square


def item(name="a", image=None, mask=None):
    image = photograph(0) if image is None else image
    mask = square(1) if mask is None else mask
    return LabelledImage(name, ArraySource(image), ArraySource(mask))


def test_arrays_come_back_and_cannot_be_changed():
    image, mask = item().load()
    np.testing.assert_array_equal(image, photograph(0))
    np.testing.assert_array_equal(mask, square(1))
    with pytest.raises(ValueError, match="read-only"):
        mask[0, 0] = 1


def test_sizes_that_differ_are_named():
    with pytest.raises(DatasetError, match="a: the image is 16×12, its mask 12×16"):
        item(mask=square(1).T).load()


def test_keys_follow_the_content_and_only_that(tmp_path):
    first = save(photograph(1), tmp_path / "a.png")
    same = save(photograph(1), tmp_path / "b.png")
    other = save(photograph(2), tmp_path / "c.png")
    keys = [image_source(path).key() for path in (first, same, other)]
    assert keys[0] == keys[1] != keys[2]
    assert len(keys[0]) == 64
    assert image_source(first).load().shape == (12, 16, 3)


def test_image_key_ignores_the_mask_and_key_does_not():
    one, two = item(), item(mask=square(0))
    assert one.image_key() == two.image_key()
    assert one.mask_key() != two.mask_key()
    assert one.key() != two.key()
    # The same bytes in another shape are another image.
    assert item(mask=square(1).reshape(16, 12)).mask_key() != one.mask_key()


def test_splits():
    data = SegmentationDataset("x", (item("c"), item("a")), (item("b"),))
    assert [i.name for i in data.split("all")] == ["a", "b", "c"]
    assert data.split("train") is data.train
    assert data.split("test") is data.test
    assert data.split("val") == ()
    held = dataclasses.replace(data, validation=(item("bb"),))
    assert [i.name for i in held.split("all")] == ["a", "b", "bb", "c"]
    with pytest.raises(ValueError, match="train, val, test, all"):
        data.split("dev")


def test_data_sets_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        item().name = "b"
