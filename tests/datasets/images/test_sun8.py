"""The SUN scenes: files by class, missing classes, and the real folder."""

import os

import pytest

from segboost.datasets import DatasetError
from segboost.datasets.images.sun8 import load_sun8
from tests.datasets.files import photograph, save

CLASSES = [
    "aquarium",
    "desert",
    "highway",
    "kitchen",
    "laundromat",
    "park",
    "waterfall",
    "windmill",
]


@pytest.fixture
def root(tmp_path):
    for i, name in enumerate(CLASSES):
        for j in range(2):
            save(photograph(i), tmp_path / "sun8" / name / f"sun_{j}.png")
        (tmp_path / "sun8" / name / "notes.txt").write_text("no photograph")
    return tmp_path


def test_photographs_by_class_and_the_tree(root):
    found = load_sun8(root)
    assert found.classes.tolist() == [name for name in CLASSES for _ in range(2)]
    assert [path.parent.name for path in found.paths] == found.classes.tolist()
    loss = found.taxonomy.loss(["aquarium", "kitchen", "park", "desert"])
    assert loss[0].tolist() == [0, 1, 2, 2]
    assert loss[2].tolist() == [2, 2, 0, 2]


def test_a_missing_class_is_named(root):
    for path in (root / "sun8" / "park").iterdir():
        path.unlink()
    with pytest.raises(DatasetError, match=r"no photographs in .*park"):
        load_sun8(root)
    (root / "sun8" / "park").rmdir()
    with pytest.raises(DatasetError, match=r"there is no .*park"):
        load_sun8(root)


@pytest.mark.data
@pytest.mark.skipif("SEGBOOST_DATA" not in os.environ, reason="needs sun8: set SEGBOOST_DATA")
def test_the_real_set():
    found = load_sun8(os.environ["SEGBOOST_DATA"])
    counts = {name: int((found.classes == name).sum()) for name in CLASSES}
    assert counts == {**dict.fromkeys(CLASSES, 200), "aquarium": 177}
