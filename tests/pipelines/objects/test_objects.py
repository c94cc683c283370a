from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from skimage import data
from skimage.filters import threshold_otsu

from segboost.io.pixel_size import PixelSize
from segboost.pipelines.objects.finding import ObjectSettings, find_objects
from segboost.pipelines.objects.measuring import COLUMNS, measure_objects
from segboost.pipelines.objects.table_file import PageObjects, write_object_table

NAMES = ("background", "cell", "debris")


def disc(shape, centre, radius):
    rows, columns = np.indices(shape)
    return (rows - centre[0]) ** 2 + (columns - centre[1]) ** 2 <= radius**2


def two_touching(radius=12, gap=20):
    shape = (50, 80)
    both = disc(shape, (25, 25), radius) | disc(shape, (25, 25 + gap), radius)
    return both.astype(np.uint8)


def test_objects_are_numbered_by_class_and_position():
    mask = np.zeros((6, 8), np.uint8)
    mask[0, 0], mask[1, 1] = 2, 2  # diagonal neighbours are one object
    mask[4, 1], mask[4, 6] = 1, 1
    mask[5, 7] = 255
    found = find_objects(mask)
    assert found.classes.tolist() == [1, 1, 2]
    assert found.labels[4, 1] == 1
    assert found.labels[4, 6] == 0 + 2
    assert found.labels[0, 0] == found.labels[1, 1] == 3
    assert found.labels[5, 7] == 0


def test_small_objects_are_dropped_and_the_rest_renumbered():
    mask = np.zeros((10, 10), np.uint8)
    mask[0, 0] = 1
    mask[3:6, 3:6] = 1
    found = find_objects(mask, ObjectSettings(min_area=2))
    assert found.count == 1
    assert found.labels.max() == 1
    assert (found.labels == 1).sum() == 9


def test_holes_of_background_are_filled():
    mask = np.zeros((12, 12), np.uint8)
    mask[2:10, 2:10] = 1
    mask[4:6, 4:6] = 0
    mask[7, 7] = 2
    before = mask.copy()
    found = find_objects(mask, ObjectSettings(fill_holes=True))
    assert (found.labels == 1).sum() == 63
    assert found.labels[7, 7] == 2
    assert (mask == before).all()


def test_a_hole_in_rings_of_two_classes_is_one_object():
    mask = np.zeros((13, 13), np.uint8)
    mask[1:12, 1:12] = 1
    mask[3:10, 3:10] = 2
    mask[5:8, 5:8] = 0
    found = find_objects(mask, ObjectSettings(fill_holes=True))
    assert found.classes.tolist() == [1, 2]
    assert (found.labels[5:8, 5:8] == 2).all()
    assert len(measure_objects(found, NAMES)["area"]) == 2


def test_touching_discs_are_split_and_a_single_one_is_not():
    mask = two_touching()
    assert find_objects(mask).count == 1
    found = find_objects(mask, ObjectSettings(touching="split"))
    assert found.count == 2
    assert ((found.labels > 0) == (mask > 0)).all()
    left = disc(mask.shape, (25, 25), 12)[:, :35]
    assert (found.labels[:, :35][left] == found.labels[25, 20]).all()
    ellipse = np.repeat(disc((50, 50), (25, 25), 12), 2, axis=1).astype(np.uint8)
    assert find_objects(ellipse, ObjectSettings(touching="split")).count == 1


def test_sample_coins_are_counted():
    image = data.coins()[:300]
    mask = (image > threshold_otsu(image)).astype(np.uint8)
    settings = ObjectSettings(min_area=200, fill_holes=True, touching="split")
    assert find_objects(mask, settings).count == pytest.approx(24, abs=4)


def test_measurements_of_a_rectangle_and_a_disc():
    mask = np.zeros((60, 80), np.uint8)
    mask[10:20, 30:60] = 1
    mask[disc(mask.shape, (45, 20), 10)] = 2
    image = np.zeros((60, 80, 2))
    image[10:20, 30:60, 0] = 7
    image[..., 1] = np.arange(80)
    probability = np.zeros((60, 80, 3))
    probability[..., 1], probability[..., 2] = 0.25, 0.75
    table = measure_objects(find_objects(mask), NAMES, probability, image)
    assert tuple(table)[: len(COLUMNS)] == COLUMNS
    row = {name: values[0] for name, values in table.items()}
    assert (row["object"], row["class"], row["unit"], row["area"]) == (1, "cell", "pixel", 300)
    assert (row["centroid_x"], row["centroid_y"]) == (44.5, 14.5)
    box = [row[f"box_{name}"] for name in ("x", "y", "width", "height")]
    assert box == [30, 10, 30, 10]
    assert abs(row["orientation"]) == pytest.approx(np.pi / 2)
    assert row["solidity"] == 1
    assert row["perimeter"] == pytest.approx(76)
    assert (row["mean_0"], row["deviation_0"], row["mean_1"]) == (7, 0, 44.5)
    assert row["deviation_1"] == pytest.approx(np.arange(30).std())
    assert table["mean_probability"].tolist() == [0.25, 0.75]
    assert table["eccentricity"][1] == pytest.approx(0, abs=0.05)
    assert table["axis_major"][1] == pytest.approx(20, rel=0.05)


def test_physical_units_scale_lengths_and_areas():
    found = find_objects(two_touching())
    plain = measure_objects(found, NAMES)
    scaled = measure_objects(found, NAMES, pixel_size=PixelSize(0.5, 0.5, "µm"))
    assert scaled["unit"].tolist() == ["µm"]
    assert scaled["area"] == pytest.approx(plain["area"] / 4)
    for name in ("centroid_x", "axis_major", "axis_minor", "perimeter"):
        assert scaled[name] == pytest.approx(plain[name] / 2)
    for name in ("box_x", "box_width", "eccentricity", "orientation", "solidity"):
        assert scaled[name] == pytest.approx(plain[name])


def test_pixels_that_are_not_square():
    mask = np.zeros((40, 40), np.uint8)
    mask[10:20, 10:30] = 1
    size = PixelSize(1.0, 2.0, "nm")
    table = measure_objects(find_objects(mask), NAMES, pixel_size=size)
    assert table["area"] == pytest.approx([400])
    assert table["perimeter"] == pytest.approx([80], rel=0.05)
    assert table["axis_major"] == pytest.approx(table["axis_minor"], rel=0.01)


def test_an_empty_mask_has_an_empty_table():
    table = measure_objects(find_objects(np.zeros((4, 4), np.uint8)), NAMES)
    assert {len(values) for values in table.values()} == {0}


def test_the_table_of_images_with_different_channels(tmp_path):
    found = find_objects(two_touching())
    one = measure_objects(found, NAMES, channels=np.ones((50, 80, 1)))
    two = measure_objects(found, NAMES, channels=np.ones((50, 80, 2)))
    path = tmp_path / "objects.csv"
    write_object_table([PageObjects("a.tif", 0, one), PageObjects("b.tif", 1, two)], path)
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    assert [(r["image"], r["page"], r["class"]) for r in rows] == [
        ("a.tif", "0", "cell"),
        ("b.tif", "1", "cell"),
    ]
    assert [r["mean_1"] for r in rows] == ["", "1"]
    assert rows[0]["mean_probability"] == ""
    assert float(rows[0]["area"]) == found.labels.astype(bool).sum()


def test_the_table_is_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(measure_objects(find_objects(two_touching()), NAMES))
    assert len(frame) == 1
    assert frame["class"].iloc[0] == "cell"


@pytest.mark.parametrize(
    "change", [{"min_area": -1}, {"touching": "cut"}, {"split_depth": 1.5}, {"min_area": np.nan}]
)
def test_bad_settings_are_named(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        ObjectSettings(**change)
    with pytest.raises(ValueError, match="mask"):
        find_objects(np.zeros((2, 2)))
