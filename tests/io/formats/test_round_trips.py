from __future__ import annotations

import json

import numpy as np
import pytest

from segboost.io.errors import ImageFileError
from segboost.io.formats.annotations import (
    AnnotatedImage,
    Annotation,
    annotate_labels,
    annotate_mask,
)
from segboost.io.formats.coco import coco_document, read_coco, write_coco
from segboost.io.formats.geojson import geojson_document, read_geojson, write_geojson
from segboost.io.formats.labelme import labelme_labels, read_labelme, write_labelme
from segboost.io.formats.run_lengths import decode_runs, encode_runs, expand_counts
from tests.io.formats.masks_of_samples import blocks, coins_mask, page_classes

NAMES = ("background", "one", "two")
MASKS = {"blocks": blocks, "coins": coins_mask, "classes": page_classes}


def through_coco(image, folder):
    path = write_coco(folder / "coco.json", [image], NAMES)
    return read_coco(path, NAMES).images[image.name]


def through_geojson(image, folder):
    path = write_geojson(folder / "a.geojson", image, NAMES)
    return read_geojson(path, image.name, image.width, image.height, NAMES)


def through_labelme(image, folder):
    return read_labelme(write_labelme(folder / "a.json", image, NAMES), NAMES)


WAYS = {"coco": through_coco, "geojson": through_geojson, "labelme": through_labelme}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MASKS)
def test_a_mask_survives_the_round_trip(way, kind, tmp_path):
    mask = MASKS[kind]()
    exact = WAYS[way](annotate_mask("a.png", mask, 0), tmp_path)
    assert (exact.mask() == mask).all()
    near = WAYS[way](annotate_mask("a.png", mask, 0.5), tmp_path)
    assert (near.mask() == mask).mean() >= 0.99


def test_all_classes_can_be_outlined(tmp_path):
    mask = page_classes()
    image = annotate_mask("a.png", mask, 0, background=None)
    assert {a.class_index for a in image.annotations} == {0, 1, 2}
    assert (through_coco(image, tmp_path).mask() == mask).all()


def test_void_is_left_out():
    mask = np.array([[1, 255], [0, 255]], np.uint8)
    [only] = annotate_mask("a.png", mask).annotations
    assert only.class_index == 1


def test_objects_keep_scores_and_pages():
    labels = np.zeros((12, 12), np.int32)
    labels[1:4, 1:4], labels[6:10, 5:9] = 1, 2
    image = annotate_labels("a.png", labels, [1, 2], 0, [0.5, 0.75], page=2)
    assert (image.labels() == labels).all()
    entries = coco_document([image], NAMES)["annotations"]
    assert [e["score"] for e in entries] == [0.5, 0.75]
    assert entries[1]["bbox"] == [5.0, 6.0, 4.0, 4.0]
    feature = geojson_document(image, NAMES, [(0, 0, 0), (1, 2, 3), (4, 5, 6)])["features"][1]
    assert feature["geometry"]["plane"] == {"c": -1, "z": 2, "t": 0}
    assert feature["properties"]["classification"] == {"name": "two", "color": [4, 5, 6]}
    assert feature["properties"]["measurements"] == {"probability": 0.75}
    ring = feature["geometry"]["coordinates"][0]
    assert ring[0] == ring[-1]


@pytest.mark.parametrize("way", WAYS)
def test_pages_of_a_stack_stay_apart(way, tmp_path):
    first, second = blocks(), np.rot90(blocks(), 2)
    parts = [annotate_labels("a.tif", m, [1, 2], 0, page=n) for n, m in enumerate((first, second))]
    both = parts[0].annotations + parts[1].annotations
    image = AnnotatedImage("a.tif", *first.shape[::-1], both, planes=((0, 0), (0, 1)))
    found = WAYS[way](image, tmp_path)
    assert (found.mask(0) == first).all()
    assert (found.mask(1) == second).all()
    if way != "geojson":  # GeoJSON does not store the number of pages
        assert found.planes == image.planes


def test_geojson_distinguishes_z_and_t(tmp_path):
    planes = ((0, 0), (1, 0), (0, 1), (1, 1))
    parts = [annotate_labels("a.tif", blocks(), [1, 2], 0, page=page) for page in range(4)]
    every = tuple(a for part in parts for a in part.annotations)
    image = AnnotatedImage("a.tif", *blocks().shape[::-1], every, planes=planes)
    path, size = write_geojson(tmp_path / "a.geojson", image, NAMES), blocks().shape[::-1]
    found = read_geojson(path, "a.tif", *size, NAMES, planes)
    assert [a.page for a in found.annotations] == [a.page for a in every]
    assert found.planes == planes
    with pytest.raises(ImageFileError, match="lie along z and t: give the planes"):
        read_geojson(path, "a.tif", *size, NAMES)
    with pytest.raises(ImageFileError, match="no page at z = 1, t = 1"):
        read_geojson(path, "a.tif", *size, NAMES, planes[:3])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"planes": 3}, "planes must be a list of z and t"),
        ({"planes": [[0]]}, "planes must be a list of z and t"),
        ({"page": 5}, "annotation 1: there is no page 5: the image has 1"),
        ({"page": "1"}, "annotation 1: there is no page '1': the image has 1"),
    ],
    ids=str,
)
def test_bad_pages_are_refused(change, message, tmp_path):
    document = coco_document([annotate_mask("a.png", blocks())], NAMES)
    document["images" if "planes" in change else "annotations"][0].update(change)
    (tmp_path / "a.json").write_text(json.dumps(document))
    with pytest.raises(ImageFileError, match=message):
        read_coco(tmp_path / "a.json")


def test_too_few_classes_are_refused():
    with pytest.raises(ValueError, match="classes"):
        annotate_labels("a.png", np.array([[1, 2]]), [1])
    with pytest.raises(ValueError, match="class 2 has no name"):
        coco_document([annotate_mask("a.png", blocks())], NAMES[:2])


def test_run_lengths_plain_and_compressed():
    mask = np.ones((4, 3), bool)
    mask[:, 1] = False
    assert encode_runs(mask) == [0, 4, 4, 4]
    assert expand_counts("0440") == [0, 4, 4, 4]
    assert (decode_runs([0, 4, 4, 4], (4, 3)) == mask).all()
    assert expand_counts("o2") == [95]
    with pytest.raises(ValueError, match="add up"):
        decode_runs([1, 2], (4, 3))
    with pytest.raises(ValueError, match="end within"):
        expand_counts("o")


def test_coco_categories_become_classes_in_the_order_of_their_numbers(tmp_path):
    square = [0, 0, 3, 0, 3, 3, 0, 3]
    document = {
        "images": [{"id": 5, "file_name": "deep/a.png", "width": 6, "height": 4}],
        "categories": [{"id": 9, "name": "late"}, {"id": 2, "name": "early"}],
        "annotations": [
            {"id": 1, "image_id": 5, "category_id": 9, "segmentation": [square]},
            {"id": 2, "image_id": 5, "category_id": 2,
             "segmentation": {"size": [4, 6], "counts": [20, 4]}},
        ],
    }  # fmt: skip
    path = tmp_path / "c.json"
    path.write_text(json.dumps(document))
    found = read_coco(path)
    assert found.class_names == ("background", "early", "late")
    mask = found.images["a.png"].mask()
    assert (mask[:3, :3] == 2).all()
    assert (mask[:, 5] == 1).all()
    assert mask.sum() == 9 * 2 + 4


def labelme(tmp_path, *shapes, **changes):
    document = {"shapes": list(shapes), "imagePath": "..\\a.png", "imageHeight": 20,
                "imageWidth": 30} | changes  # fmt: skip
    path = tmp_path / "l.json"
    path.write_text(json.dumps(document))
    return path


def test_labelme_shapes(tmp_path):
    path = labelme(
        tmp_path,
        {"label": "one", "points": [[2, 3], [8, 9]], "shape_type": "rectangle"},
        {"label": "two", "points": [[20, 10], [20, 15]], "shape_type": "circle"},
        {"label": "one", "points": [[1, 1]], "shape_type": "point"},
    )
    image = read_labelme(path, NAMES)
    assert image.name == "a.png"
    assert (image.mask() == 1).sum() == 36
    assert (image.mask() == 2).sum() == pytest.approx(np.pi * 25, rel=0.1)
    assert image.notes == (f"{path}: shape 2: left out, a point has no area",)
    assert labelme_labels(path) == {"one", "two"}


BAD_LABELME = {
    "unknown label": ({"label": "x", "points": [[1, 1], [2, 2], [3, 1]]}, "label 'x' is not one"),
    "two points": ({"label": "one", "points": [[1, 1], [2, 2]]}, "three or more"),
    "text": ({"label": "one", "points": "no"}, "list of points"),
    "nan": ({"label": "one", "points": [[1, 1], [2, float("nan")], [3, 1]]}, "three or more"),
    "odd kind": ({"label": "one", "points": [], "shape_type": "star"}, "'star' is not known"),
    "broken mask": (
        {"label": "one", "points": [[1, 1], [2, 2]], "shape_type": "mask", "mask": "!"},
        "cannot be read",
    ),
}


@pytest.mark.parametrize("case", BAD_LABELME)
def test_bad_labelme_shapes_give_a_one_line_error(case, tmp_path):
    shape, message = BAD_LABELME[case]
    with pytest.raises(ImageFileError, match=message) as error:
        read_labelme(labelme(tmp_path, shape), NAMES)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", '{"images": 1}', "[" * 5000])
def test_other_files_are_refused(text, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(text)
    for read in (read_coco, labelme_labels, lambda p: read_geojson(p, "a", 3, 3, NAMES)):
        with pytest.raises(ImageFileError, match="not a"):
            read(path)
    with pytest.raises(ImageFileError, match="no such file"):
        read_coco(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"image_id": 7}, "its image 7 is not listed"),
        ({"image_id": [1]}, "whole number as its id"),
        ({"category_id": 7}, "its category 7 is not listed"),
        ({"segmentation": []}, "no outline"),
        ({"segmentation": [[1, 2, 3]]}, "alternating x and y"),
        ({"segmentation": {"size": [9, 9], "counts": []}}, "run lengths of size"),
        ({"segmentation": {"size": [12, 12], "counts": "~"}}, "compressed run lengths"),
        ({"segmentation": {"size": [12, 12], "counts": None}}, "annotation 1"),
    ],
)
def test_bad_coco_annotations_give_a_one_line_error(change, message, tmp_path):
    labels = np.zeros((12, 12), np.uint8)
    labels[3:7, 3:7] = 1
    document = coco_document([annotate_mask("a.png", labels)], NAMES)
    document["annotations"][0] |= change
    path = tmp_path / "c.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ImageFileError, match=message) as error:
        read_coco(path)
    assert "\n" not in str(error.value)


def test_the_box_of_pixels_encloses_them():
    pixels = np.zeros((10, 12), bool)
    assert Annotation(1, pixels=pixels).box == (0, 0, 0, 0)
    pixels[2:5, 3:9] = True
    image = AnnotatedImage("a.png", 12, 10, (Annotation(1, pixels=pixels),))
    entry = coco_document([image], ["background", "cell"])["annotations"][0]
    assert entry["bbox"] == [3, 2, 6, 3]
