from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from segboost.datasets import DatasetError, ImageFileError, load_graz02
from tests.datasets.files import GRAZ_PALETTE, graz, photograph, save, square


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A complete set of bikes, and people without six of the masks, as distributed."""
    root = tmp_path_factory.mktemp("graz")
    graz(root / "bikes")
    graz(root / "people", "person", skip_masks=(202, 214, 218, 266, 282, 298))
    return root


def numbers(items):
    return [int(item.name[-3:]) for item in items]


def test_odd_numbers_train_and_even_ones_test(root):
    data = load_graz02(root, "bike")
    assert numbers(data.train) == list(range(1, 300, 2))
    assert numbers(data.test) == list(range(2, 301, 2))
    np.testing.assert_array_equal(data.train[2].image(), photograph(5, 4, 6))
    assert any("bike_202" in note for note in data.notes)


def test_leak_free_drops_one_test_image(root):
    data = load_graz02(root, "bike", leak_free=True)
    assert numbers(data.test) == [n for n in range(2, 301, 2) if n != 202]
    assert len(data.train) == 150
    assert any("bike_202" in note and "dropped" in note for note in data.notes)


def test_leaks_are_listed_unless_they_are_dropped(root):
    kept, dropped = (load_graz02(root, "bike", leak_free=f) for f in (False, True))
    assert set(kept.leaks) == {i.name for i in kept.test} - {i.name for i in dropped.test}
    assert dropped.leaks == ()


def test_unannotated_people_are_left_out_and_noted(root):
    data = load_graz02(root, "people")
    assert (len(data.train), len(data.test)) == (150, 144)
    assert {202, 214, 218, 266, 282, 298}.isdisjoint(numbers(data.test))
    assert any("person_202, person_214" in note for note in data.notes)


@pytest.mark.parametrize("place", ["bikes", "graz02/bikes", "bike", "ig02-v1.0-bikes/bikes", "."])
def test_layouts(root, tmp_path, place):
    shutil.copytree(root / "bikes", tmp_path / place, dirs_exist_ok=True)
    assert len(load_graz02(tmp_path, "bike").train) == 150


def test_images_beyond_300_and_other_files_do_not_count(root, tmp_path):
    folder = tmp_path / "bikes"
    shutil.copytree(root / "bikes", folder)
    save(photograph(1), folder / "bike_301.image.png")
    save(square(1), folder / "bike_301.mask.0.png", GRAZ_PALETTE)
    (folder / "README").write_text("")
    assert numbers(load_graz02(tmp_path, "bike").train)[-1] == 299


def test_jpeg_is_used_if_there_is_no_png(root, tmp_path):
    folder = tmp_path / "bikes"
    shutil.copytree(root / "bikes", folder)
    (folder / "bike_001.image.png").unlink()
    for number in ("001", "003"):
        save(photograph(1, 4, 6), folder / f"bike_{number}.image.jpg")
    first, second = load_graz02(tmp_path, "bike").train[:2]
    assert first.image_path.name == "bike_001.image.jpg"
    assert second.image_path.name == "bike_003.image.png"


def partial(tmp_path, *masks):
    save(photograph(0), tmp_path / "bikes" / "bike_001.image.png")
    for k, mask in enumerate(masks):
        save(mask, tmp_path / "bikes" / f"bike_001.mask.{k}.png", GRAZ_PALETTE)
    (item,) = load_graz02(tmp_path, "bike", partial=True).train
    return item


def test_masks_are_the_union_of_visible_parts(tmp_path):
    one, two = np.zeros((12, 16)), np.zeros((12, 16))
    one[0, :3] = [1, 2, 0]
    two[0, :4] = [0, 1, 2, 1]
    mask = partial(tmp_path, one, two).mask()
    assert mask[0, :5].tolist() == [1, 1, 0, 1, 0]
    assert mask.sum() == 3
    assert mask.dtype == np.uint8


def test_occluded_parts_alone_are_background(tmp_path):
    assert not partial(tmp_path, square(2)).mask().any()


def test_masks_of_other_values_or_sizes_are_refused(tmp_path):
    with pytest.raises(ImageFileError, match=r"bike_001\.mask\.0\.png: expected the indices"):
        partial(tmp_path / "a", square(3)).mask()
    with pytest.raises(ImageFileError, match=r"mask\.1\.png: its size differs"):
        partial(tmp_path / "b", square(1), square(1).T).mask()


def test_any_instance_changes_the_key(tmp_path):
    first = partial(tmp_path / "a", square(1), square(0)).mask_key()
    assert first != partial(tmp_path / "b", square(1), square(2)).mask_key()
    assert first == partial(tmp_path / "c", square(1), square(0)).mask_key()


def test_missing_files_are_named_with_the_next_step(root, tmp_path):
    folder = tmp_path / "bikes"
    shutil.copytree(root / "bikes", folder)
    (folder / "bike_007.image.png").unlink()
    (folder / "bike_010.mask.0.png").unlink()
    with pytest.raises(DatasetError) as caught:
        load_graz02(tmp_path, "bike")
    for part in ("no image of bike_007", "no mask of bike_010", "segboost datasets verify graz02"):
        assert part in str(caught.value)
    data = load_graz02(tmp_path, "bike", partial=True)
    assert (len(data.train), len(data.test)) == (149, 149)
    assert any("bike_010" in note for note in data.notes)


def test_no_folder_and_no_such_category(root, tmp_path):
    with pytest.raises(DatasetError, match="SEGBOOST_DATA"):
        load_graz02(tmp_path, "bike")
    with pytest.raises(DatasetError, match="carsgraz_001"):
        load_graz02(root, "car")
    with pytest.raises(ValueError, match="bike, car, people"):
        load_graz02(root, "horse")


@pytest.fixture(scope="session")
def real():
    folder = os.environ.get("SEGBOOST_DATA")
    if not folder or not (Path(folder) / "graz02").is_dir():
        pytest.skip("SEGBOOST_DATA is not set or holds no graz02")
    return Path(folder)


@pytest.mark.data
@pytest.mark.parametrize(
    ("category", "n_test", "share"),
    [("bike", 150, 0.215), ("car", 150, 0.099), ("people", 144, 0.162)],
)
def test_the_real_set(real, category, n_test, share):
    data = load_graz02(real, category)
    assert (len(data.train), len(data.test)) == (150, n_test)
    foreground = pixels = 0
    for item in data.test:
        mask = item.mask()
        assert set(np.unique(mask)) <= {0, 1}
        foreground += int(mask.sum())
        pixels += mask.size
    assert foreground / pixels == pytest.approx(share, abs=0.001)
    for item in (*data.train[::25], *data.test[::25]):
        _, mask = item.load()
        assert sorted(mask.shape) == [480, 640]


@pytest.mark.data
def test_one_car_is_wholly_occluded(real):
    items = {item.name: item for item in load_graz02(real, "car").train}
    assert not items["carsgraz_073"].mask().any()
