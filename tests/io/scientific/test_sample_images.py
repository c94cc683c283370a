"""scikit-image's sample pictures as a scientific camera would have stored them."""

from __future__ import annotations

import numpy as np
import pytest
import tifffile
from skimage import data
from skimage.filters import gaussian, threshold_otsu

from segboost.io import (
    annotate_labels,
    learn_scale,
    read_coco,
    read_geojson,
    read_labelme,
    read_scientific,
    sample_pixels,
    write_coco,
    write_geojson,
    write_labelme,
)
from segboost.pipelines import ObjectSettings, find_objects

PLACE = np.s_[100:230, 60:240]
SAMPLES = {
    "cell": lambda: data.cell()[PLACE],
    "coins": lambda: data.coins()[PLACE],
    "retina": lambda: data.retina()[500:630, 300:480],
    "microaneurysms": lambda: data.microaneurysms()[:100, :100],
    "brick": lambda: data.brick()[PLACE],
}
NAMES = ("background", "object")


def planes(name):
    """Return the picture as (H, W, channels)."""
    picture = SAMPLES[name]()
    return picture if picture.ndim == 3 else picture[..., None]


def five_channels(name):
    first = planes(name)[..., :1]
    return np.concatenate([first, 255 - first, first // 2, first // 3, first // 5], axis=2)


VARIANTS = {
    "12 bits": lambda v: v.astype(np.uint16) * 16 + 90,
    "32 bits": lambda v: v.astype(np.uint32) * 70_000,
    "signed": lambda v: v.astype(np.int16) * 8 - 900,
    "float": lambda v: (v / 255 * 3 - 1).astype(np.float32),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_depth_is_scaled_like_eight_bits(name, variant, tmp_path):
    for values in (planes(name), five_channels(name)):
        stored = np.moveaxis(VARIANTS[variant](values), 2, 0)
        tifffile.imwrite(tmp_path / "a.ome.tif", stored, metadata={"axes": "CYX"})
        found = read_scientific(tmp_path / "a.ome.tif").array[0]
        assert (found == np.moveaxis(stored, 0, 2)).all()
        deep = learn_scale([sample_pixels(found)], found.dtype)(found)
        plain = learn_scale([sample_pixels(values)], np.dtype(np.int64))(values)
        assert np.abs(deep.astype(int) - plain).max() <= 1


@pytest.mark.parametrize("name", SAMPLES)
def test_objects_survive_the_file_formats_of_other_tools(name, tmp_path):
    grey = gaussian(planes(name)[..., min(1, planes(name).shape[2] - 1)], 1)
    mask = (grey > threshold_otsu(grey)).astype(np.uint8)
    objects = find_objects(mask, ObjectSettings(touching="split"))
    assert ((objects.labels > 0) == (mask > 0)).all()
    image = annotate_labels("a.png", objects.labels, objects.classes, tolerance=0.5)
    coco = write_coco(tmp_path / "coco.json", [image], NAMES)
    labelme = write_labelme(tmp_path / "a.json", image, NAMES)
    geojson = write_geojson(tmp_path / "a.geojson", image, NAMES)
    for again in (
        read_coco(coco, NAMES).images["a.png"],
        read_labelme(labelme, NAMES),
        read_geojson(geojson, "a.png", image.width, image.height, NAMES),
    ):
        assert (again.mask() == mask).mean() >= 0.99
