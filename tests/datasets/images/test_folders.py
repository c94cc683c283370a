from __future__ import annotations

import numpy as np
import pytest

from segboost.datasets import DatasetError, load_folders
from segboost.datasets.images.splitting import split_by_fraction
from tests.datasets.files import photograph, save, square


@pytest.fixture
def folders(tmp_path):
    for i, name in enumerate("abcdefghij"):
        save(photograph(i), tmp_path / "images" / f"{name}.png")
        save(square(255), tmp_path / "masks" / f"{name}.png")
    return tmp_path / "images", tmp_path / "masks"


def names(items):
    return [item.name for item in items]


def test_pairs_by_name_regardless_of_the_extension(folders):
    images, masks = folders
    (images / "a.png").unlink()
    save(photograph(99), images / "a.JPG")
    data = load_folders(images, masks)
    assert names(data.split("all")) == list("abcdefghij")
    first = data.split("all")[0]
    assert first.image_path == images / "a.JPG"
    np.testing.assert_array_equal(data.split("all")[1].image(), photograph(1))
    np.testing.assert_array_equal(first.mask(), square(1))
    assert (len(data.train), len(data.test)) == (6, 4)


def test_the_split_is_drawn_from_names_and_seed(folders):
    first, again, other = (load_folders(*folders, seed=s) for s in (0, 0, 1))
    assert names(first.test) == names(again.test) != names(other.test)
    assert set(names(first.test)).isdisjoint(names(first.train))
    assert split_by_fraction("jihgfedcba", 0.4, 0) == split_by_fraction("abcdefghij", 0.4, 0)


@pytest.mark.parametrize(
    ("fraction", "n_test"), [(0.0, 0), (0.001, 1), (0.5, 5), (0.999, 9), (1.0, 10)]
)
def test_parts_are_empty_only_if_requested(folders, fraction, n_test):
    assert len(load_folders(*folders, test_fraction=fraction).test) == n_test


def test_lists_define_the_split(folders, tmp_path):
    (tmp_path / "train.txt").write_text("# mine\nc\n\na.png\n")
    (tmp_path / "test.txt").write_text("b\n")
    lists = {"train_list": tmp_path / "train.txt", "test_list": tmp_path / "test.txt"}
    data = load_folders(*folders, **lists)
    assert names(data.train) == ["c", "a"]
    assert names(data.test) == ["b"]
    assert data.notes == ("in neither list: d, e, f, g, h, i, j",)
    rest = load_folders(*folders, test_list=tmp_path / "test.txt")
    assert names(rest.train) == list("acdefghij")
    rest = load_folders(*folders, train_list=tmp_path / "train.txt")
    assert names(rest.test) == list("bdefghij")


@pytest.mark.parametrize(
    ("train", "test", "text"),
    [
        ("a\nz\n", "b\n", "lists z, which have no image"),
        ("a\na\n", "b\n", "lists a more than once"),
        ("a\nb\n", "b\n", "b in both"),
        ("# nothing\n", "b\n", "lists no names"),
        (None, "b\n", "cannot be read"),
    ],
)
def test_lists_that_do_not_fit(folders, tmp_path, train, test, text):
    if train is not None:
        (tmp_path / "train.txt").write_text(train)
    (tmp_path / "test.txt").write_text(test)
    with pytest.raises(DatasetError, match=text):
        load_folders(*folders, train_list=tmp_path / "train.txt", test_list=tmp_path / "test.txt")


def test_unpaired_files_are_all_named(folders):
    images, masks = folders
    (masks / "a.png").unlink()
    (images / "b.png").unlink()
    with pytest.raises(DatasetError) as caught:
        load_folders(images, masks)
    assert f"{images / 'a.png'}: no mask (expected {masks / 'a.png'})" in str(caught.value)
    assert f"{masks / 'b.png'}: no image" in str(caught.value)


def test_two_images_with_the_same_name(folders):
    save(photograph(50), folders[0] / "a.jpg")
    with pytest.raises(DatasetError, match=r"a\.jpg: another file is also named a"):
        load_folders(*folders)


def test_other_files_are_noted(folders):
    (folders[0] / "README.txt").write_text("")
    assert "README.txt: left out" in load_folders(*folders).notes[0]


def test_masks_with_a_suffix(folders):
    images, masks = folders
    for path in list(masks.iterdir()):
        path.rename(masks / f"{path.stem}_mask.png")
    assert len(load_folders(images, masks, mask_suffix="_mask").split("all")) == 10
    with pytest.raises(DatasetError, match=r"a\.png: no mask"):
        load_folders(images, masks)


def test_paths_that_are_not_folders(folders, tmp_path):
    with pytest.raises(DatasetError, match="not a folder: name the folder of the masks"):
        load_folders(folders[0], tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match="holds no image files"):
        load_folders(tmp_path / "empty", folders[1])


def test_the_encoding_is_found_from_all_masks(folders):
    images, masks = folders
    void = square(1)
    void[0] = 255
    save(void, masks / "j.png")
    # One mask shows that 255 is void, so it is void in all masks.
    data = load_folders(images, masks)
    np.testing.assert_array_equal(data.split("all")[0].mask(), square(255))


def test_the_key_of_a_mask_changes_with_the_encoding(folders):
    binary, index = (load_folders(*folders, encoding=e).train[0] for e in ("binary", "index"))
    assert binary.mask_key() != index.mask_key()
    assert binary.image_key() == index.image_key()
