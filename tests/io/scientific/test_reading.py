from __future__ import annotations

import numpy as np
import pytest
import tifffile
from PIL import Image
from skimage import data

from segboost.io.errors import ImageFileError
from segboost.io.image_files import read_image
from segboost.io.pixel_size import PixelSize
from segboost.io.scientific.image_info import AxisOrder
from segboost.io.scientific.sources import (
    is_photograph,
    open_source,
    read_info,
    read_scientific,
)
from segboost.io.scientific.tiff_source import TiffSource

RNG = np.random.default_rng(0)


def noise(*shape, dtype=np.uint16):
    if np.dtype(dtype).kind == "f":
        return RNG.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max, shape, dtype)


@pytest.mark.parametrize("dtype", ["u1", "u2", "i2", "u4", "i4", "f4", "f8"])
def test_every_depth_keeps_its_values(dtype, tmp_path):
    values = noise(20, 30, dtype=dtype)
    tifffile.imwrite(tmp_path / "a.tif", values)
    found = read_scientific(tmp_path / "a.tif")
    assert found.array.dtype == values.dtype
    assert (found.array == values[None, ..., None]).all()
    assert found.info.photograph == (dtype == "u1")


LAYOUTS = {
    "strips": {"rowsperstrip": 7},
    "tiles": {"tile": (16, 32)},
    "deflated tiles": {"tile": (16, 16), "compression": "zlib"},
    "predictor": {"tile": (16, 16), "compression": "zlib", "predictor": True},
    "big": {"bigtiff": True},
    "big-endian": {"byteorder": ">"},
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("planar", ["contig", "separate"])
def test_regions_of_every_layout(layout, planar, tmp_path):
    values = noise(50, 70, 5)
    stored = values if planar == "contig" else values.transpose(2, 0, 1)
    options = {"photometric": "minisblack", "planarconfig": planar, "metadata": None}
    tifffile.imwrite(tmp_path / "a.tif", stored, **options, **LAYOUTS[layout])
    with open_source(tmp_path / "a.tif") as source:
        assert (source.info.pages, source.info.shape, source.info.channels) == (1, (50, 70), 5)
        for rows, columns in ((slice(0, 50), slice(0, 70)), (slice(13, 37), slice(30, 69))):
            assert (source.read(0, rows, columns) == values[rows, columns]).all()


@pytest.mark.parametrize("axes", ["ZCYX", "CZYX", "TCYX", "TZCYX", "ZYX", "CYX", "TCZYX"])
def test_ome_axes(axes, tmp_path):
    sizes = {"T": 2, "Z": 3, "C": 4, "Y": 20, "X": 24}
    values = noise(*(sizes[letter] for letter in axes))
    path = tmp_path / "a.ome.tif"
    physical = {"PhysicalSizeX": 0.25, "PhysicalSizeY": 0.5, "PhysicalSizeXUnit": "µm"}
    tifffile.imwrite(path, values, metadata={"axes": axes, **physical})
    found = read_scientific(path)
    order = [axes.index(letter) for letter in "TZYXC" if letter in axes]
    expected = values.transpose(order).reshape(-1, 20, 24, 4 if "C" in axes else 1)
    assert (found.array == expected).all()
    assert found.info.pixel_size == PixelSize(0.25, 0.5, "µm")
    assert found.info.notes == ()
    with open_source(path) as source:
        last = found.info.pages - 1
        region = source.read(last, slice(3, 9), slice(5, 20))
        assert (region == expected[last, 3:9, 5:20]).all()


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        ({}, PixelSize(0.5, 2.0, "µm")),
        ({"X": "mm"}, PixelSize(0.5, 2.0, "mm")),
        ({"X": "µm", "Y": "mm"}, PixelSize(0.5, 2000.0, "µm")),
        ({"X": "mm", "Y": "pixel"}, None),
    ],
    ids=str,
)
def test_ome_units_of_width_and_height(units, expected, tmp_path):
    physical = {"PhysicalSizeX": 0.5, "PhysicalSizeY": 2.0}
    physical |= {f"PhysicalSize{axis}Unit": unit for axis, unit in units.items()}
    path = tmp_path / "a.ome.tif"
    tifffile.imwrite(path, noise(20, 24), metadata={"axes": "YX", **physical})
    assert read_scientific(path).info.pixel_size == expected


def test_imagej_stacks_and_units(tmp_path):
    values = noise(3, 2, 16, 18)
    metadata = {"axes": "ZCYX", "unit": "um"}
    tifffile.imwrite(tmp_path / "a.tif", values, imagej=True, resolution=(4, 4), metadata=metadata)
    found = read_scientific(tmp_path / "a.tif")
    assert found.array.shape == (3, 16, 18, 2)
    assert (found.array == values.transpose(0, 2, 3, 1)).all()
    assert found.info.pixel_size == PixelSize(0.25, 0.25, "µm")
    assert [tag[3] for tag in found.info.tags] == [(40000, 1), (40000, 1), 3]  # per centimetre


def test_pixel_size_comes_from_centimetres_but_not_inches(tmp_path):
    for unit, expected in (("CENTIMETER", PixelSize(2.0, 1.0, "µm")), ("INCH", None)):
        path = tmp_path / f"{unit}.tif"
        tifffile.imwrite(path, noise(8, 8), resolution=(5000, 10000), resolutionunit=unit)
        assert read_info(path).pixel_size == expected
        assert {tag[0] for tag in read_info(path).tags} == {282, 283, 296}


def test_geographic_files_keep_their_tags(tmp_path):
    keys = (1, 1, 0, 2, 1024, 0, 1, 1, 3076, 0, 1, 9001)
    tags = [
        (33550, "d", 3, (0.5, 0.5, 0.0), True),
        (33922, "d", 6, (0.0, 0.0, 0.0, 100.0, 200.0, 0.0), True),
        (34735, "H", len(keys), keys, True),
    ]
    tifffile.imwrite(tmp_path / "a.tif", noise(8, 8), extratags=tags)
    info = read_info(tmp_path / "a.tif")
    assert info.pixel_size == PixelSize(0.5, 0.5, "m")
    assert {33550, 33922, 34735} <= {tag[0] for tag in info.tags}


def test_a_pyramid_is_read_at_full_resolution(tmp_path):
    values = noise(64, 64)
    with tifffile.TiffWriter(tmp_path / "a.tif") as writer:
        writer.write(values, subifds=1, tile=(16, 16))
        writer.write(values[::2, ::2], subfiletype=1, tile=(16, 16))
    found = read_scientific(tmp_path / "a.tif")
    assert (found.array[0, ..., 0] == values).all()
    assert found.info.pages == 1


def test_pages_of_unknown_meaning_are_noted(tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", noise(4, 12, 12), photometric="minisblack")
    found = read_scientific(tmp_path / "a.tif")
    assert found.info.pages == 4
    assert "4 pages of unknown meaning" in found.info.notes[0]
    channels = read_scientific(tmp_path / "a.tif", axes="CYX")
    assert channels.array.shape == (1, 12, 12, 4)
    assert channels.info.notes == ()
    assert (channels.array[0] == found.array[..., 0].transpose(1, 2, 0)).all()
    turned = read_scientific(tmp_path / "a.tif", axes="YXC")
    assert turned.array.shape == (1, 4, 12, 12)


def test_alpha_and_further_images_are_left_out_and_noted(tmp_path):
    with tifffile.TiffWriter(tmp_path / "a.tif") as writer:
        options = {"photometric": "rgb", "metadata": None}
        writer.write(noise(8, 8, 4), extrasamples=["unassalpha"], **options)
        writer.write(noise(5, 6, 3), **options)
    info = read_info(tmp_path / "a.tif")
    assert info.channels == 3
    assert info.notes == (
        "the first of 2 images in the file is used: the others differ from it",
        "the alpha channel is left out",
    )


def test_other_files_are_read_by_pillow(tmp_path):
    values = noise(10, 12)
    Image.fromarray(values).save(tmp_path / "wide.png")
    found = read_scientific(tmp_path / "wide.png")
    assert (found.array[0, ..., 0] == values).all()
    assert not found.info.photograph
    Image.fromarray(data.astronaut()[:40, :50]).save(tmp_path / "rgb.png")
    info = read_info((tmp_path / "rgb.png").read_bytes())
    assert info.photograph
    assert info.channels == 3


@pytest.mark.parametrize("channels", [3, 4])
def test_colours_of_16_bits_in_png(channels, tmp_path):
    imagecodecs = pytest.importorskip("imagecodecs")
    values = noise(21, 33, channels)
    path = tmp_path / "a.png"
    path.write_bytes(imagecodecs.png_encode(values))
    found = read_scientific(path)
    assert (found.array[0] == values[..., :3]).all()
    assert found.info.notes == (("the alpha channel is left out",) if channels == 4 else ())
    assert not is_photograph(path, 10**6)
    path.write_bytes(imagecodecs.png_encode(values[..., :2].copy()))
    with pytest.raises(ImageFileError, match="grey with transparency"):
        read_scientific(path)


def test_further_frames_and_transparency_are_noted(tmp_path):
    frames = [Image.fromarray(noise(9, 8, dtype="u1")) for _ in range(3)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    assert read_info(tmp_path / "a.gif").notes == ("the first of 3 frames is used",)
    assert not is_photograph(tmp_path / "a.gif", 10**6)
    Image.fromarray(noise(9, 8, 4, dtype="u1")).save(tmp_path / "a.png")
    assert read_info(tmp_path / "a.png").notes == ("the alpha channel is left out",)
    assert is_photograph(tmp_path / "a.png", 10**6)


@pytest.mark.parametrize("name", ["a.png", "a.tif"])
def test_photographs_have_at_most_max_pixels(name, tmp_path):
    Image.fromarray(noise(9, 8, 3, dtype="u1")).save(tmp_path / name)
    assert is_photograph(tmp_path / name, 72)
    assert not is_photograph(tmp_path / name, 71)


@pytest.mark.parametrize("kind", ["palette", "turned", "CMYK", "lzw", "bits"])
def test_photographs_in_tiff_files_equal_those_of_read_image(kind, tmp_path, monkeypatch):
    picture, path = Image.fromarray(data.astronaut()[:40, :50]), tmp_path / "a.tif"
    if kind == "lzw":
        known = "segboost.io.scientific.tiff_source.TiffSource.is_decodable"
        monkeypatch.setattr(known, property(lambda self: False))
    saved = {"palette": picture.quantize(8), "CMYK": picture.convert("CMYK"),
             "bits": picture.convert("1")}.get(kind, picture)  # fmt: skip
    more = {"turned": {"tiffinfo": {274: 6}}, "lzw": {"compression": "tiff_lzw"}}.get(kind, {})
    saved.save(path, resolution_unit=3, x_resolution=100, y_resolution=100, **more)
    found = read_scientific(path)
    assert (np.broadcast_to(found.array[0], (*found.info.shape, 3)) == read_image(path)).all()
    assert found.info.notes == ()
    assert (found.info.pixel_size is None) == (kind == "turned")
    if kind == "palette":
        with open_source(path, indices=True) as source:
            assert source.read(0, slice(0, 40), slice(0, 50)).shape == (40, 50, 1)


def test_tiles_of_jpeg_are_decoded_one_by_one(tmp_path):
    pytest.importorskip("imagecodecs")
    picture, path = data.astronaut()[:100, :120], tmp_path / "a.tif"
    options = {"compression": "jpeg", "compressionargs": {"level": 95}, "tile": (32, 32)}
    tifffile.imwrite(path, picture, photometric="rgb", **options)
    with open_source(path) as source:
        assert isinstance(source, TiffSource)
        part = source.read(0, slice(10, 70), slice(40, 110))
    assert np.abs(part.astype(int) - picture[10:70, 40:110]).mean() < 4
    assert np.abs(part.astype(int) - read_image(path)[10:70, 40:110]).mean() < 2


def test_stacks_with_one_directory_for_all_pages(tmp_path):
    values, path = noise(6, 20, 30), tmp_path / "a.tif"
    tifffile.imwrite(path, values, truncate=True, photometric="minisblack")
    assert (read_scientific(path).array[..., 0] == values).all()
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ImageFileError, match="truncated"):
        read_scientific(path)


def test_lzw_without_its_package(tmp_path, monkeypatch):
    values = noise(30, 40)
    Image.fromarray(values).save(tmp_path / "a.tif", compression="tiff_lzw")
    kind = "segboost.io.scientific.tiff_source.TiffSource.is_decodable"
    monkeypatch.setattr(kind, property(lambda self: False))
    assert (read_scientific(tmp_path / "a.tif").array[0, ..., 0] == values).all()


@pytest.mark.parametrize(
    ("axes", "message"),
    [("YX", "3 axes of sizes 4×12×13"), ("CYQ", "expected X and Y"), ("YYX", "only once")],
)
def test_wrong_axes(axes, message, tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", noise(4, 12, 13), photometric="minisblack")
    with pytest.raises(ImageFileError, match=message) as error:
        read_scientific(tmp_path / "a.tif", axes=axes)
    assert str(error.value).startswith(f"{tmp_path / 'a.tif'}: ")
    Image.new("L", (4, 4)).save(tmp_path / "a.png")
    with pytest.raises(ImageFileError, match="TIFF files only"):
        read_scientific(tmp_path / "a.png", axes="YX")


def test_axes_to_pages_and_channels():
    order = AxisOrder("CTYX", (2, 3, 4, 5))
    assert order.sizes == (3, 4, 5, 2)
    assert order.planes == ((0, 0), (0, 1), (0, 2))
    assert AxisOrder("TZYX", (2, 2, 4, 5)).planes == ((0, 0), (1, 0), (0, 1), (1, 1))
    assert AxisOrder("YXS", (4, 5, 3)).planes == ()
    values = np.arange(120).reshape(2, 3, 4, 5)
    assert (order.arrange(values) == values.transpose(1, 2, 3, 0)).all()
