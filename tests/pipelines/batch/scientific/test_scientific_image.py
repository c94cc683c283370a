from __future__ import annotations

import functools
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tifffile

from segboost.io.formats.coco import read_coco
from segboost.io.pixel_size import PixelSize
from segboost.io.scientific.intensities import IntensityScale
from segboost.io.scientific.sources import read_info
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.scientific_image import is_scientific, segment_scientific
from segboost.pipelines.batch.scientific.tile import segment_tile
from segboost.pipelines.objects.finding import ObjectSettings
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from tests.pipelines.segmentation.tiny_models import tiny_data, trained

WIDE = IntensityScale(3, (0, 1, 2), (100.0,) * 3, (100.0 + 255 * 16,) * 3)


def model(scale=WIDE):
    found = trained().model
    return replace(found, preset=found.preset.with_intensities(scale)) if scale else found


@functools.cache
def folder():
    return save_segmenter(trained().model, Path(tempfile.mkdtemp(prefix="segboost-model-")))


def wide(image):
    """Return a photograph as a 12-bit camera would have stored it."""
    return image.astype(np.uint16) * 16 + 100


def segment(path, output, using=None, options=None, probabilities=False, count=None):
    """Segment in this process; stop after `count` tiles as if interrupted."""
    using, options = using or model(), options or ScientificOptions()
    output.mkdir(exist_ok=True)

    def map_tiles(reader, tiles, with_probability):
        for number, tile in enumerate(tiles):
            if number == count:
                raise KeyboardInterrupt
            yield segment_tile(using, tile, reader(tile), with_probability)

    return segment_scientific(using, folder(), path, output, options, probabilities, map_tiles)


@pytest.fixture
def stack(tmp_path):
    images = [item.image() for item in tiny_data().test[:2]]
    values = np.stack([wide(image) for image in images])
    path = tmp_path / "stack.ome.tif"
    physical = {"PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5}
    tifffile.imwrite(path, values.transpose(0, 3, 1, 2), metadata={"axes": "ZCYX", **physical})
    return path, images


def test_pages_are_segmented_like_eight_bit_images(stack, tmp_path):
    path, images = stack
    result = segment(path, tmp_path / "out", probabilities=True)
    assert not result.failed, result.status
    masks = tifffile.imread(tmp_path / "out" / "stack.ome.tif")
    for mask, image in zip(masks, images, strict=True):
        found = trained().model.predict(image)
        assert (mask == found.mask * 255).all()
    shares = [trained().model.predict(image).mask.mean() for image in images]
    assert result.foreground_share == pytest.approx(np.mean(shares))
    assert (result.pages, result.width, result.height) == (2, 96, 72)
    assert read_info(tmp_path / "out" / "stack.ome.tif").pixel_size == PixelSize(0.5, 0.5, "µm")
    unit = tifffile.imread(tmp_path / "out" / "probabilities" / "stack.ome.tif")
    expected = trained().model.probabilities(trained().model.predict(images[1]).scores)
    np.testing.assert_allclose(unit[1] / 65535, expected, atol=1 / 255)
    assert [p.name for p in (tmp_path / "out").iterdir() if p.name.startswith(".")] == []


def test_objects_labels_and_annotations(stack, tmp_path):
    path, _ = stack
    options = ScientificOptions(
        objects=ObjectSettings(min_area=30, fill_holes=True),
        formats=("coco", "geojson", "labelme"),
        tolerance=0,
    )
    output = tmp_path / "out"
    result = segment(path, output, options=options)
    assert not result.failed, result.status
    labels = tifffile.imread(output / "labels" / "stack.ome.tif")
    rows = (output / "objects" / "stack.ome.csv").read_text().splitlines()
    assert result.objects == len(rows) - 1 == sum(page.max() for page in labels) > 0
    header = rows[0].split(",")
    first = dict(zip(header, rows[1].split(","), strict=True))
    assert first["unit"] == "µm"
    assert first["image"] == "stack.ome.tif"
    assert float(first["area"]) == (labels[0] == 1).sum() / 4
    assert 0 < float(first["mean_probability"]) <= 1
    assert float(first["mean_2"]) > 100  # the original values
    assert result.object_area == pytest.approx((labels > 0).sum() / 4)
    geo = json.loads((output / "stack.ome.geojson").read_text())
    assert len(geo["features"]) == result.objects
    assert len(json.loads((output / "stack.ome.json").read_text())["shapes"]) >= result.objects
    coco = read_coco(output / "coco" / "stack.ome.json")
    assert len(coco.images["stack.ome.tif"].annotations) == result.objects


def test_an_interrupted_image_resumes_by_tile(tmp_path):
    image = wide(np.tile(tiny_data().test[0].image(), (4, 6, 1)))
    path = tmp_path / "large.tif"
    tifffile.imwrite(path, image, photometric="rgb", tile=(64, 64))
    options = ScientificOptions(tile=256, overlap=64)
    with pytest.raises(KeyboardInterrupt):
        segment(path, tmp_path / "out", options=options, count=3)
    done = []

    def rest(reader, tiles, with_probability):
        done.extend(tiles)
        for tile in tiles:
            yield segment_tile(model(), tile, reader(tile), with_probability)

    result = segment_scientific(model(), folder(), path, tmp_path / "out", options, False, rest)
    assert len(done) == 6 - 3
    whole = segment(path, tmp_path / "again", options=options)
    assert result.foreground_share == whole.foreground_share
    first, second = (tifffile.imread(tmp_path / name / "large.tif") for name in ("out", "again"))
    assert (first == second).all()
    assert first.shape == image.shape[:2]


def test_a_foreign_file_among_the_tiles_is_kept_and_reported(tmp_path):
    image = wide(np.tile(tiny_data().test[0].image(), (4, 6, 1)))
    path, output = tmp_path / "large.tif", tmp_path / "out"
    tifffile.imwrite(path, image, photometric="rgb", tile=(64, 64))
    options = ScientificOptions(tile=256, overlap=64)
    with pytest.raises(KeyboardInterrupt):
        segment(path, output, options=options, count=2)
    [tiles] = output.iterdir()
    mine = tiles / "0-0-512.npz"
    mine.write_text("mine")
    result = segment(path, output, options=options)
    assert "0-0-512.npz is where finished tiles are kept" in result.status
    assert mine.read_text() == "mine"
    mine.rename(tiles / "mine.npz")
    result = segment(path, output, options=options)
    assert not result.failed, result.status
    assert result.notes == f"{tiles.name} is kept: mine.npz in it was not written by segboost"
    assert [p.name for p in tiles.iterdir()] == ["mine.npz"]


BAD = {
    "channels": (np.zeros((20, 20, 5), np.uint16), {}, "5 channels, but the training images had 3"),
    "eight bits": (np.zeros((20, 20, 3), np.uint8), {}, "it has 8 bits"),
    "axes": (np.zeros((20, 20, 3), np.uint16), {"axes": "CY"}, "axes CY have 2 letters"),
    "few channels": (np.zeros((20, 20, 3), np.uint16), {"channels": (0,)}, "trained with 3"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_images_give_a_one_line_status(case, tmp_path):
    values, options, message = BAD[case]
    kind = {"photometric": "minisblack", "planarconfig": "contig", "metadata": None}
    tifffile.imwrite(tmp_path / "a.tif", values, **kind)
    result = segment(tmp_path / "a.tif", tmp_path / "out", options=ScientificOptions(**options))
    assert message in result.status
    assert "\n" not in result.status
    assert str(tmp_path) not in result.status
    assert list((tmp_path / "out").iterdir()) == []


def test_notes_on_values(tmp_path):
    values = wide(tiny_data().test[0].image()).astype(np.float32)
    values[3, 4, 0], values[..., 1] = np.nan, 500
    tifffile.imwrite(tmp_path / "a.tif", values, photometric="rgb")
    result = segment(tmp_path / "a.tif", tmp_path / "out")
    assert result.notes == (
        "channel 0: 1 pixels are NaN or infinite and taken as black; channel 1 is constant"
    )


def test_a_model_of_photographs_uses_percentiles_of_the_image(tmp_path):
    values = wide(tiny_data().test[0].image())
    tifffile.imwrite(tmp_path / "a.tif", values, photometric="rgb")
    plain = model(None)
    result = segment(tmp_path / "a.tif", tmp_path / "out", plain)
    assert "percentiles of the image itself" in result.notes
    fixed = ScientificOptions(intensities=(100.0, 100.0 + 255 * 16))
    segment(tmp_path / "a.tif", tmp_path / "fixed", plain, fixed)
    expected = plain.predict(tiny_data().test[0].image()).mask * 255
    assert (tifffile.imread(tmp_path / "fixed" / "a.tif") == expected).all()
    agreement = (tifffile.imread(tmp_path / "out" / "a.tif") == expected).mean()
    assert agreement > 0.9


def test_twelve_bits_score_like_eight(tmp_path):
    plain, scores = model(None), []
    for item in tiny_data().test:
        image, truth = item.load()
        tifffile.imwrite(tmp_path / "a.tif", wide(image), photometric="rgb")
        assert not segment(tmp_path / "a.tif", tmp_path / "out", plain).failed
        twelve = tifffile.imread(tmp_path / "out" / "a.tif") > 0
        for mask in (plain.predict(image).mask > 0, twelve):
            scores.append((mask & (truth == 1)).sum() / (mask | (truth == 1)).sum())
    eight, twelve = np.mean(scores[::2]), np.mean(scores[1::2])
    assert abs(eight - twelve) < 0.05, (eight, twelve)


def test_which_images_are_scientific(tmp_path):
    photo = tiny_data().test[0].image()
    tifffile.imwrite(tmp_path / "photo.tif", photo, photometric="rgb")
    tifffile.imwrite(tmp_path / "wide.tif", wide(photo), photometric="rgb")
    (tmp_path / "broken.tif").write_bytes(b"II*\0broken")
    plain, options = model(None), ScientificOptions()
    found = {
        name: is_scientific(tmp_path / f"{name}.tif", plain, options)
        for name in ("photo", "wide", "broken")
    }
    assert found == {"photo": False, "wide": True, "broken": False}
    assert is_scientific(tmp_path / "photo.tif", model(), options)
    assert is_scientific(tmp_path / "photo.tif", plain, replace(options, tile=256))


def test_ome_zarr(stack, tmp_path):
    zarr = pytest.importorskip("zarr")
    path, _ = stack
    segment(path, tmp_path / "tiff")
    for _ in range(2):  # the second run replaces the folder of the first
        result = segment(path, tmp_path / "out", options=ScientificOptions(zarr=True))
        assert not result.failed, result.status
    group = zarr.open_group(str(tmp_path / "out" / "stack.ome.ome.zarr"), mode="r")
    masks = tifffile.imread(tmp_path / "tiff" / "stack.ome.tif")
    assert (group["0"][:] == masks).all()
    [scale] = group.attrs["multiscales"]
    assert scale["axes"][1]["unit"] == "micrometer"
    for place in ("notes.txt", "0/notes.txt"):
        notes = tmp_path / "out" / "stack.ome.ome.zarr" / place
        notes.write_text("by hand")
        refused = segment(path, tmp_path / "out", options=ScientificOptions(zarr=True))
        assert "notes.txt was not written by segboost" in refused.status
        assert notes.read_text() == "by hand"
        notes.unlink()
    (tmp_path / "out" / "stack.ome.ome.zarr" / ".segboost").unlink()
    again = segment(path, tmp_path / "out", options=ScientificOptions(zarr=True))
    assert "not written by segboost" in again.status


@pytest.mark.parametrize(
    "change",
    [{"tile": 100}, {"formats": ("svg",)}, {"tolerance": -1}, {"intensities": (5.0, 1.0)},
     {"axes": "C-Y"}],
)  # fmt: skip
def test_bad_options_are_named(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        ScientificOptions(**change)
