"""Masks of several classes: indices, palettes, colours of a legend, and errors in them."""

import numpy as np
import pytest
from PIL import Image

from segboost.datasets import (
    ArraySource,
    DatasetError,
    ImageFileError,
    LabelledImage,
    SegmentationDataset,
    load_camvid,
    load_folders,
)
from segboost.datasets.images.class_masks import count_classes, read_class_mask
from segboost.datasets.images.verify import verify_dataset, verify_folders
from segboost.io.legend import ClassLegend, default_legend
from tests.datasets.files import photograph, save, square

LEGEND = ClassLegend(("sky", "road", "car"), ((10, 20, 30), (40, 50, 60), (70, 80, 90)))


def three(void=True):
    mask = square(2)
    mask[8:10] = 1
    if void:
        mask[11] = 255
    return mask


def coloured(mask, void=(0, 0, 0)):
    picture = np.array([*LEGEND.colours, void], np.uint8)[np.where(mask == 255, 3, mask)]
    return Image.fromarray(picture)


def folders(tmp_path, masks):
    for n, mask in enumerate(masks):
        save(photograph(n), tmp_path / "images" / f"{n}.png")
        save(mask, tmp_path / "masks" / f"{n}.png")
    return tmp_path / "images", tmp_path / "masks"


def test_grey_and_palette_masks_hold_indices(tmp_path):
    grey = save(three(), tmp_path / "grey.png")
    palette = save(three(), tmp_path / "palette.png", [9, 9, 9, 200, 0, 0, 0, 200, 0, *[1] * 759])
    for path in (grey, palette):
        found = read_class_mask(path, LEGEND)
        assert found.dtype == np.uint8
        np.testing.assert_array_equal(found, three())


def test_colours_are_those_of_the_legend(tmp_path):
    coloured(three(void=False)).save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_class_mask(tmp_path / "a.png", LEGEND), three(void=False))
    coloured(three()).convert("RGBA").save(tmp_path / "b.png")
    with_void = ClassLegend(LEGEND.names, LEGEND.colours, (0, 0, 0))
    np.testing.assert_array_equal(read_class_mask(tmp_path / "b.png", with_void), three())


def test_grey_indices_in_three_channels(tmp_path):
    Image.fromarray(np.repeat(three()[..., None], 3, axis=2)).save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_class_mask(tmp_path / "a.png", LEGEND), three())


def test_an_index_outside_the_legend(tmp_path):
    path = save(square(7), tmp_path / "a.png")
    with pytest.raises(ImageFileError, match=r"a.png: mask values 7 .* 0 … 2: add them"):
        read_class_mask(path, LEGEND)
    path = save(np.arange(192).reshape(12, 16), tmp_path / "b.png")
    with pytest.raises(ImageFileError, match=r"3, 4, 5, 6, 7, … are not .* PNG without smoothing"):
        read_class_mask(path, LEGEND)


def test_a_colour_outside_the_legend(tmp_path):
    coloured(three(), void=(1, 2, 3)).save(tmp_path / "a.png")
    with pytest.raises(ImageFileError, match=r"a.png: the colours #010203 \(16 pixels\) are not"):
        read_class_mask(tmp_path / "a.png", LEGEND)


def test_folders_count_their_classes(tmp_path):
    data = load_folders(*folders(tmp_path, [square(1), three(), square(255)]))
    assert data.legend == default_legend(3)
    by_name = {item.name: item.mask() for item in data.split("all")}
    np.testing.assert_array_equal(by_name["1"], three())
    np.testing.assert_array_equal(by_name["2"], square(255))  # void, as masks hold indices


def test_two_classes_stay_two(tmp_path):
    data = load_folders(*folders(tmp_path, [square(1), square(1)]))
    assert data.legend.names == ("background", "foreground")
    chosen = load_folders(*folders(tmp_path, [three(), three()]), foreground=2)
    assert chosen.legend.n_classes == 2
    assert set(np.unique(chosen.train[0].mask())) == {0, 1, 255}


def test_a_legend_names_the_classes(tmp_path):
    pair = folders(tmp_path, [three(), three()])
    file = tmp_path / "legend.csv"
    file.write_text("name,index,colour\nsky,0,#0a141e\nroad,1,#28323c\ncar,2,#46505a\n")
    data = load_folders(*pair, classes=file)
    assert data.legend == LEGEND
    assert load_folders(*pair, classes=LEGEND).train[0].key() == data.train[0].key()
    assert load_folders(*pair).train[0].mask_key() != data.train[0].mask_key()
    with pytest.raises(ValueError, match="foreground makes two classes"):
        load_folders(*pair, classes=LEGEND, foreground=1)
    with pytest.raises(ValueError, match='cannot be "binary"'):
        load_folders(*pair, classes=LEGEND, encoding="binary")
    with pytest.raises(ValueError, match="no such file"):
        load_folders(*pair, classes=tmp_path / "none.csv")


def test_two_named_classes_may_be_binary_masks(tmp_path):
    named = ClassLegend(("rest", "leaf"), ((0, 0, 0), (1, 1, 1)))
    data = load_folders(*folders(tmp_path, [square(255), square(255)]), classes=named)
    assert data.legend == named
    assert set(np.unique(data.train[0].mask())) == {0, 1}


def test_sixty_classes_and_more(tmp_path):
    mask = np.arange(192).reshape(12, 16) % 60
    assert load_folders(*folders(tmp_path, [mask, mask])).legend.n_classes == 60
    assert count_classes([save(square(59), tmp_path / "a.png")]) == 60
    with pytest.raises(ImageFileError, match=r"61 classes: list the classes .*--classes"):
        count_classes([save(square(60), tmp_path / "b.png")])


def test_a_stray_value_does_not_make_binary_masks_classes(tmp_path):
    binary, stray = (save(square(v), tmp_path / f"{v}.png") for v in (255, 7))
    assert count_classes([binary, stray]) == 2
    assert count_classes([binary, stray, save(three(), tmp_path / "both.png")]) == 8


def test_lossy_masks_are_not_classes(tmp_path):
    path = save(np.linspace(0, 255, 192).reshape(12, 16), tmp_path / "a.png")
    with pytest.raises(ImageFileError, match="mask values from 0 to 253: if a lossy"):
        count_classes([path])


def test_verification_names_missing_classes(tmp_path):
    pair = folders(tmp_path, [square(3), square(3), square(3), square(1), square(0)])
    found = verify_folders(*pair)
    texts = {f.name: f.text for f in found.findings}
    assert found.usable
    assert texts["class 2"] == "no training image has this class"
    assert "class 0" not in texts
    file = tmp_path / "legend.csv"
    file.write_text("name\na\nb\nc\n")
    assert not verify_folders(*pair, classes=file).usable


def labelled(name, seed, mask):
    return LabelledImage(name, ArraySource(photograph(seed)), ArraySource(mask))


def test_verification_names_classes_of_a_single_training_image():
    """Test images, and several areas in one image, do not make a class less rare."""
    cars = three(void=False)
    cars[0, 0] = 1
    train = labelled("a", 0, cars), labelled("b", 1, square(2)), labelled("c", 2, square(0))
    data = SegmentationDataset("x", train, (labelled("d", 3, cars),), legend=LEGEND)
    found = verify_dataset(data)
    assert found.usable
    assert [(f.name, f.level, f.text) for f in found.findings] == [
        ("road", "odd", "only one training image has this class")
    ]


def camvid(root, parts=("train", "val", "test")):
    for n, part in enumerate(parts):
        mask = three(void=False)
        mask[0] = 11
        save(photograph(n), root / part / "images" / f"0001_{n}.jpg")
        save(mask, root / part / "masks" / f"0001_{n}.png")


def test_camvid_has_three_splits_and_void(tmp_path):
    camvid(tmp_path / "camvid")
    data = load_camvid(tmp_path)
    assert [len(data.split(s)) for s in ("train", "val", "test", "all")] == [1, 1, 1, 3]
    assert data.legend.n_classes == 11
    mask = data.train[0].mask()
    assert (mask[0] == 255).all()
    assert (mask[8] == 1).all()
    assert "incomplete: 1 of 367 train images" in data.notes[1]
    assert load_camvid(tmp_path / "camvid").test[0].key() == data.test[0].key()
    found = verify_dataset(data)
    assert found.usable
    assert found.size == "1 training, 1 validation and 1 test images"


def test_frames_of_one_part_may_look_alike(tmp_path):
    camvid(tmp_path)
    for part, names in {"train": ("a", "b"), "test": ("c",)}.items():
        for name in names:
            picture = photograph(9) // 2 + (20 if name == "b" else 0)
            save(picture, tmp_path / part / "images" / f"{name}.png")
            save(three(void=False), tmp_path / part / "masks" / f"{name}.png")
    data = load_camvid(tmp_path)
    odd = [f.text for f in verify_dataset(data, frames=True).findings if "a, " in f.text]
    assert odd == ["the same file as a, across the split (data leak)"]


def test_missing_or_incomplete_camvid(tmp_path):
    with pytest.raises(DatasetError, match="has no train/images: put CamVid there"):
        load_camvid(tmp_path)
    camvid(tmp_path)
    (tmp_path / "val" / "masks" / "0001_1.png").unlink()
    save(photograph(0), tmp_path / "val" / "masks" / "0001_2.png")
    with pytest.raises(DatasetError, match="complete the folder"):
        load_camvid(tmp_path)
