from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import tifffile
from PIL import Image
from skimage import data

from segboost.datasets.base import DatasetError
from segboost.datasets.images import scientific
from segboost.datasets.images.scientific import (
    ScientificReading,
    is_scientific_folder,
    load_scientific,
)
from segboost.io.errors import ImageFileError
from segboost.io.formats.annotations import annotate_labels, annotate_mask
from segboost.io.formats.coco import write_coco
from segboost.io.formats.labelme import write_labelme
from segboost.io.scientific.intensities import IntensityScale


@pytest.fixture
def folders(tmp_path):
    images, masks = tmp_path / "images", tmp_path / "masks"
    images.mkdir()
    masks.mkdir()
    return images, masks


def coins(channels=1, pages=1):
    """Return parts of a sample picture as a 12-bit stack, and masks of their bright pixels."""
    picture = data.coins()[: 60 * pages, :80].reshape(pages, 60, 80)
    values = picture.astype(np.uint16)[:, None] * 16 + np.arange(channels)[:, None, None]
    return values.astype(np.uint16), (picture > 120).astype(np.uint8)


def write(folders, name="a", channels=1, pages=1, mask=None):
    values, truth = coins(channels, pages)
    metadata = {"axes": "ZCYX"}
    tifffile.imwrite(folders[0] / f"{name}.ome.tif", values, metadata=metadata)
    mask = truth if mask is None else mask
    tifffile.imwrite(folders[1] / f"{name}.ome.tif", mask, metadata={"axes": "ZYX"})
    return values, truth


def test_pages_are_images_under_one_scale(folders):
    values, truth = write(folders, "a", channels=5, pages=3)
    write(folders, "b", channels=5, pages=3)
    assert is_scientific_folder(*folders)
    found = load_scientific(*folders, test_fraction=0.5)
    assert (len(found.train), len(found.test)) == (3, 3)
    assert found.intensities.n_further == 2
    low = np.percentile(values[:, 0], 0.2)
    assert found.intensities.low[0] == pytest.approx(low, abs=32)
    image, mask = found.train[1].load()
    assert image.shape == (60, 80, 5)
    assert (mask == truth[1]).all()
    assert found.train[0].key() != found.train[1].key()


def test_channels_are_chosen(folders):
    write(folders, channels=4)
    found = load_scientific(*folders, ScientificReading(channels=(3, 0)))
    assert found.intensities.channels == (3, 0)
    with pytest.raises(ImageFileError, match="no channel 4"):
        load_scientific(*folders, ScientificReading(channels=(4,)))


@pytest.mark.parametrize("text", ["1", "1,2,3", "1,", "a,b", ""])
def test_intensities_are_exactly_two_numbers(text):
    assert scientific.parse_reading({"intensities": "1,2.5"}).intensities == (1.0, 2.5)
    with pytest.raises(ValueError, match=f"--intensities: .* LOW,HIGH, got {text!r}$"):
        scientific.parse_reading({"intensities": text})


def test_a_message_names_the_wrong_option_only():
    with pytest.raises(ValueError, match=r"^--channels: .* got '0,x'$"):
        scientific.parse_reading({"channels": "0,x", "intensities": "1,2"})


def test_images_must_be_alike(folders):
    write(folders, "a", channels=2)
    write(folders, "b", channels=3)
    with pytest.raises(DatasetError, match=r"b\.ome\.tif has 3 channels, a\.ome\.tif has 2"):
        load_scientific(*folders)


def test_a_mask_with_fewer_pages(folders):
    _, truth = coins(pages=3)
    write(folders, "a", pages=3, mask=truth[:2])
    with pytest.raises(DatasetError, match=r"a\.ome\.tif: 2 pages of 80×60 pixels, but its image"):
        load_scientific(*folders)
    write(folders, "a", pages=2, mask=truth)
    with pytest.raises(DatasetError, match="3 pages of 80×60"):
        load_scientific(*folders)


@pytest.mark.parametrize("axis", [0, 2])
def test_pages_of_masks_that_were_written_as_samples(axis, folders):
    values, truth = coins(pages=3)
    tifffile.imwrite(folders[0] / "a.ome.tif", values[:, 0], metadata={"axes": "ZYX"})
    planar = {0: "separate", 2: "contig"}[axis]
    stored = np.moveaxis(truth * np.uint8(255), 0, axis)
    tifffile.imwrite(folders[1] / "a.ome.tif", stored, photometric="rgb", planarconfig=planar)
    found = load_scientific(*folders, test_fraction=0)
    assert all((i.mask() == t).all() for i, t in zip(found.train, truth, strict=True))


def test_masks_with_a_palette_hold_indices(folders):
    values, _ = coins()
    classes = np.repeat(np.arange(3, dtype=np.uint8), 20)[:, None].repeat(80, axis=1)
    tifffile.imwrite(folders[0] / "a.tif", values[0, 0])
    mask = Image.fromarray(classes)
    mask.putpalette([0, 0, 0, 200, 10, 10, 10, 200, 10])
    mask.save(folders[1] / "a.png")
    found = load_scientific(*folders, test_fraction=0)
    assert found.legend.n_classes == 3
    assert (found.train[0].mask() == classes).all()


def test_odd_values_of_training_images_are_noted(folders):
    values, truth = coins(channels=3)
    values = values[0].astype(np.float32)
    values[0, 3, 4], values[1] = np.nan, 7
    tifffile.imwrite(folders[0] / "a.ome.tif", values, metadata={"axes": "CYX"})
    tifffile.imwrite(folders[1] / "a.ome.tif", truth[0])
    assert load_scientific(*folders, test_fraction=0).notes == (
        "a.ome.tif: channel 0: 1 pixels are NaN or infinite and taken as black",
        "a.ome.tif: channel 1 is constant",
    )
    unused = load_scientific(*folders, ScientificReading(channels=(2,)), test_fraction=0)
    assert unused.notes == ()


@pytest.mark.parametrize("kind", ["coco", "labelme"])
def test_annotations_of_stacks(kind, folders, tmp_path):
    values, truth = coins(pages=2)
    tifffile.imwrite(folders[0] / "a.ome.tif", values, metadata={"axes": "ZCYX"})
    parts = [annotate_labels("a.ome.tif", m, [1], 0, page=n) for n, m in enumerate(truth)]
    both = parts[0].annotations + parts[1].annotations
    names = ("background", "coin")
    for planes in (((0, 0), (1, 0)), ()):
        image = replace(parts[0], annotations=both if planes else both[:1], planes=planes)
        if kind == "coco":
            masks = write_coco(tmp_path / "coco.json", [image], names)
        else:
            write_labelme(folders[1] / "a.ome.json", image, names)
            masks = folders[1]
        if planes:
            found = load_scientific(folders[0], masks, test_fraction=0)
            assert all((i.mask() == t).all() for i, t in zip(found.train, truth, strict=True))
        else:
            with pytest.raises(DatasetError, match="1 page of 80×60 pixels"):
                load_scientific(folders[0], masks)


def test_shapes_without_an_area_are_noted(folders):
    _, mask = photographs(folders[0])
    path = write_labelme(folders[1] / "a.json", annotate_mask("a.png", mask), ("background", "x"))
    document = json.loads(path.read_text())
    document["shapes"].append({"label": "x", "points": [[1, 1]], "shape_type": "point"})
    path.write_text(json.dumps(document))
    [note] = load_scientific(*folders, test_fraction=0).notes
    assert note.endswith("left out, a point has no area")


def test_images_must_fit_the_scale_of_a_model(folders):
    write(folders, channels=2)
    scale = load_scientific(*folders).intensities
    again = load_scientific(*folders, ScientificReading(intensities=scale))
    assert again.intensities == scale
    write(folders, channels=3)
    with pytest.raises(DatasetError, match=r"3 channels, but the training images .* had 2"):
        load_scientific(*folders, ScientificReading(intensities=scale))
    values, truth = coins()
    tifffile.imwrite(folders[0] / "a.ome.tif", (values[0, 0] // 16).astype(np.uint8))
    tifffile.imwrite(folders[1] / "a.ome.tif", truth[0])
    wide = IntensityScale(1, (0,), (0.0,), (4000.0,))
    with pytest.raises(DatasetError, match="8 bits, but the training images"):
        load_scientific(*folders, ScientificReading(intensities=wide))


def test_label_images_are_foreground(folders):
    _, truth = coins()
    labels = (truth[0].astype(np.int32) * 7000)[None]
    labels[0, :10] = np.where(labels[0, :10] > 0, 3, 0)
    write(folders, mask=labels)
    found = load_scientific(*folders, test_fraction=0)
    assert (found.train[0].mask() == truth[0]).all()
    assert "label images" in found.notes[-1]
    same = load_scientific(*folders, ScientificReading(mask_kind="labels"), test_fraction=0)
    assert (same.train[0].mask() == truth[0]).all()


def test_several_classes_and_their_limits(folders):
    classes = np.zeros((1, 60, 80), np.uint8)
    classes[0, :20], classes[0, 20:30], classes[0, 50:] = 1, 2, 255
    write(folders, mask=classes)
    found = load_scientific(*folders, test_fraction=0)
    assert found.legend.n_classes == 3
    assert (found.train[0].mask() == classes[0]).all()
    one = load_scientific(*folders, test_fraction=0, foreground=2)
    assert one.legend.n_classes == 2
    assert set(np.unique(one.train[0].mask())) == {0, 1, 255}


def photographs(folder):
    picture = data.astronaut()[:60, :80]
    Image.fromarray(picture).save(folder / "a.png")
    mask = np.zeros((60, 80), np.uint8)
    mask[10:40, 20:50] = 1
    mask[20:25, 30:35] = 0
    return picture, mask


def test_coco_and_labelme_as_masks_of_photographs(folders, tmp_path):
    picture, mask = photographs(folders[0])
    image = annotate_mask("a.png", mask, 0)
    coco = write_coco(tmp_path / "coco.json", [image], ("background", "face"))
    write_labelme(folders[1] / "a.json", image, ("background", "face"))
    for masks in (coco, folders[1]):
        assert is_scientific_folder(folders[0], masks)
        found = load_scientific(folders[0], masks, test_fraction=0)
        assert found.intensities is None
        assert found.legend.names == ("background", "face")
        [item] = found.train
        assert (item.image() == picture).all()
        assert (item.mask() == mask).all()


def test_images_without_annotations_are_noted(folders, tmp_path):
    _, mask = photographs(folders[0])
    Image.new("RGB", (20, 20)).save(folders[0] / "b.png")
    coco = tmp_path / "coco.json"
    write_coco(coco, [annotate_mask("a.png", mask)], ("background", "face"))
    found = load_scientific(folders[0], coco, test_fraction=0)
    assert len(found.train) == 1
    assert found.notes == ("not in coco.json and left out: b.png",)
    coco.write_text(json.dumps({"images": [], "categories": [], "annotations": []}))
    with pytest.raises(DatasetError, match="lists no image"):
        load_scientific(folders[0], coco)


def test_crops_of_large_images(folders, monkeypatch):
    monkeypatch.setattr(scientific, "SIDE", 32)
    monkeypatch.setattr(scientific, "LARGEST_PIXELS", 1000)
    _, truth = coins()
    mask = truth.copy()
    mask[0, 30:] = 255
    write(folders, mask=mask)
    found = load_scientific(*folders, test_fraction=0)
    # 60×80 pixels are cut evenly, so no crop is a narrow strip.
    assert [item.name for item in found.train] == [f"a.ome_0_0_{left}" for left in (0, 26, 53)]
    assert "3 of 6 crops are used" in found.notes[-1]
    image, part = found.train[2].load()
    assert image.shape == (30, 27, 3)
    assert (part == mask[0, :30, 53:]).all()


def test_ordinary_folders_are_not_scientific(folders):
    photographs(folders[0])
    Image.new("L", (80, 60)).save(folders[1] / "a.png")
    assert not is_scientific_folder(*folders)
    with pytest.raises(ValueError, match="mask_kind"):
        ScientificReading(mask_kind="x")
