from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import tifffile

from segboost.io.errors import ImageFileError
from segboost.io.scientific.sources import read_info, read_scientific
from tests.io.scientific.damage import COMPRESSION, HEIGHT, WIDTH, set_tags, state_pages
from tests.io.scientific.test_reading import noise


def test_truncated_files(tmp_path):
    path = tmp_path / "a.tif"
    for options in ({}, {"tile": (16, 16), "compression": "zlib"}):
        # The directory comes first, so the end of the file is pixels.
        tifffile.imwrite(path, noise(64, 64), **options)
        whole = path.read_bytes()
        for share in (0.9, 0.5, 0.1):
            path.write_bytes(whole[: int(len(whole) * share)])
            with pytest.raises(ImageFileError) as error:
                read_scientific(path)
            assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["plain", "shaped", "imagej", "ome"])
@pytest.mark.parametrize("share", [0.95, 0.6, 0.3])
def test_stacks_that_end_early_are_refused(kind, share, tmp_path):
    path, values = tmp_path / "a.tif", noise(6, 40, 50)
    options = {"imagej": {"imagej": True}, "ome": {"ome": True}}.get(kind, {})
    with tifffile.TiffWriter(path, **options) as writer:
        if kind == "plain":
            for page in values:
                writer.write(page, metadata=None, contiguous=False)
        else:
            axes = {} if kind == "shaped" else {"metadata": {"axes": "ZYX"}}
            writer.write(values, photometric="minisblack", **axes)
    whole = path.read_bytes()
    assert read_info(path).pages == 6
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(ImageFileError, match=r"truncated|corrupted"):
        read_scientific(path)


@pytest.mark.parametrize(("stated", "message"), [(9, "declares 9 pages"), (4, "2 pages are left")])
def test_page_counts_that_differ_from_the_file(stated, message, tmp_path):
    path = tmp_path / "a.ome.tif"
    tifffile.imwrite(path, noise(6, 9, 8), metadata={"axes": "ZYX"}, photometric="minisblack")
    state_pages(path, 6, stated)
    if stated > 6:
        with pytest.raises(ImageFileError, match=message):
            read_info(path)
    else:
        assert read_info(path).notes[0].startswith(message)


def test_a_hundred_gigapixels_in_a_kilobyte(tmp_path):
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, noise(8, 8, dtype="u1"), metadata=None)

    set_tags(path, (WIDTH, HEIGHT), 320_000)
    with pytest.raises(ImageFileError, match="320000×320000 pixels are declared"):
        read_scientific(path)


@pytest.mark.parametrize("pages", [1, 3])
def test_unknown_compression(pages, tmp_path):
    path = tmp_path / "a.tif"
    kind = {"photometric": "minisblack", "metadata": None}
    tifffile.imwrite(path, noise(pages, 8, 8), truncate=True, **kind)

    set_tags(path, (COMPRESSION,), 31337)
    with pytest.raises(ImageFileError, match=r"a\.tif: its compression 31337 is not known"):
        read_scientific(path)


def test_a_compression_whose_package_is_missing(tmp_path, monkeypatch):
    class Codecs(dict):
        def __missing__(self, key):
            raise KeyError(f"{key!r} requires the 'imagecodecs' package")

    path = tmp_path / "a.tif"
    tifffile.imwrite(path, noise(2, 8, 8), compression="zlib", photometric="minisblack")
    without = SimpleNamespace(DECOMPRESSORS=Codecs())
    monkeypatch.setattr("segboost.io.scientific.tiff_source.TIFF", without)
    with pytest.raises(ImageFileError, match=r"DEFLATE needs a package: pip install .*images"):
        read_scientific(path)


def test_random_damage_raises_only_image_file_errors(tmp_path, capfd):
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, noise(24, 24), tile=(16, 16), compression="zlib", metadata=None)
    whole = path.read_bytes()
    rng = np.random.default_rng(5)
    messages = []
    for _ in range(60):
        content = bytearray(whole)
        for at in rng.integers(0, len(content), 4):
            content[at] = rng.integers(256)
        path.write_bytes(content)
        try:
            read_scientific(path)
        except ImageFileError as error:
            messages.append(str(error))
    assert 20 < len(messages) < 60
    for message in messages:
        assert message.startswith(f"{path}: ")
        assert "\n" not in message
    assert capfd.readouterr().err == ""


def test_large_pages_are_refused(tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", noise(30, 30))
    with pytest.raises(ImageFileError, match="limit"):
        read_scientific(tmp_path / "a.tif", max_pixels=800)
