"""Orientation, limits and warnings, for every reader."""

from __future__ import annotations

import functools
import io
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segboost.datasets
import segboost.features
from segboost.cli.main import run
from segboost.datasets import read_mask
from segboost.datasets.tracks.otb import read_frame
from segboost.io.errors import ImageFileError
from segboost.io.image_files import decode_image, read_image, read_unit_image
from segboost.io.opening import open_image, read_size
from segboost.label.images import read_header, thumbnail
from tests.datasets.files import photograph

ROOT = Path(__file__).parents[2]
STORED = photograph(0)
# The upright pixels by EXIF orientation of the stored ones.
UPRIGHT = {
    1: STORED,
    2: STORED[:, ::-1],
    3: STORED[::-1, ::-1],
    4: STORED[::-1],
    5: STORED.transpose(1, 0, 2),
    6: np.rot90(STORED, -1),
    7: STORED[::-1, ::-1].transpose(1, 0, 2),
    8: np.rot90(STORED),
}
every_orientation = pytest.mark.parametrize("orientation", sorted(UPRIGHT))


def turned(path: Path, orientation: int, pixels=STORED) -> Path:
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"lossless": True} if path.suffix == ".webp" else {}
    Image.fromarray(pixels).save(path, exif=exif, **options)
    return path


@every_orientation
@pytest.mark.parametrize("ending", [".png", ".tif", ".webp"])
def test_every_reader_turns_images_upright(tmp_path, ending, orientation):
    path, upright = turned(tmp_path / f"a{ending}", orientation), UPRIGHT[orientation]
    np.testing.assert_array_equal(read_image(path), upright)
    np.testing.assert_array_equal(decode_image(path.read_bytes()), upright)
    np.testing.assert_array_equal(read_frame(path), upright)
    np.testing.assert_array_equal(segboost.datasets.read_image(path), upright)
    unit = segboost.features.read_image(path)
    assert unit.dtype == np.float32
    np.testing.assert_array_equal(unit, upright.astype(np.float32) / np.float32(255))
    height, width = upright.shape[:2]
    assert read_size(path) == read_size(path.read_bytes()) == (width, height)
    header = read_header(path)
    assert (header.width, header.height) == (width, height)
    with Image.open(io.BytesIO(thumbnail(path))) as small:
        assert small.size == (width, height)


@every_orientation
@pytest.mark.parametrize("ending", [".png", ".tif"])
def test_masks_are_turned_upright(tmp_path, ending, orientation):
    stored = (STORED[..., 0] > 128).astype(np.uint8)
    path = turned(tmp_path / f"a{ending}", orientation, 255 * stored)
    expected = (UPRIGHT[orientation][..., 0] > 128).astype(np.uint8)
    np.testing.assert_array_equal(read_mask(path), expected)


@every_orientation
def test_jpeg_files_are_decoded_upright_at_reduced_size(tmp_path, orientation):
    large = np.kron(STORED, np.ones((50, 50, 1))).astype(np.uint8)
    path = turned(tmp_path / "a.jpg", orientation, large)
    with open_image(path, reduce_to=(100, 100)) as image:
        assert min(image.size) >= 100
        assert max(image.size) < 800
        small = image.resize(UPRIGHT[orientation].shape[1::-1], Image.Resampling.BOX)
    assert np.abs(np.asarray(small).astype(int) - UPRIGHT[orientation]).mean() < 10


def test_16_bit_files_keep_their_precision_in_unit_images(tmp_path):
    values = np.array([[0, 1, 65535], [257, 1000, 40000]], np.uint16)
    Image.fromarray(values).save(tmp_path / "a.png")
    unit = read_unit_image(tmp_path / "a.png")
    np.testing.assert_allclose(unit[..., 1], values / 65535, rtol=1e-6)


@functools.cache
def bomb_bytes(side):
    data = io.BytesIO()
    Image.new("1", (side, side)).save(data, "PNG")
    return data.getvalue()


@pytest.mark.parametrize("side", [9_500, 20_000])
@pytest.mark.parametrize(
    "read", [segboost.features.read_image, read_size, read_mask, read_frame, thumbnail]
)
def test_bombs_are_refused_by_every_reader(tmp_path, side, read):
    path = tmp_path / "bomb.png"
    path.write_bytes(bomb_bytes(side))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(ImageFileError, match=r"bomb\.png: .*limit"):
            read(path)
    assert caught == []


def test_threads_leave_the_warning_filters_alone(tmp_path):
    bomb, fine = tmp_path / "bomb.png", turned(tmp_path / "a.png", 1)
    bomb.write_bytes(bomb_bytes(9_500))
    before, failures = list(warnings.filters), []

    def read(number: int) -> None:
        for _ in range(20):
            try:
                read_size(bomb if number % 2 else fine)
                failures.extend(["not refused"] * (number % 2))
            except ImageFileError as error:
                failures.extend([str(error)] * (1 - number % 2))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert warnings.filters == before


def test_the_command_line_shows_no_warning_of_a_bomb(tmp_path, capsys, recwarn):
    (tmp_path / "bomb.png").write_bytes(bomb_bytes(9_500))
    warnings.simplefilter("always")
    show = ["features", "show", str(tmp_path / "bomb.png"), "--output", str(tmp_path / "out.png")]
    assert run(show) == 2
    assert "limit" in capsys.readouterr().err
    assert [str(w.message) for w in recwarn if "bomb" in str(w.message)] == []


def test_only_one_module_opens_images():
    sources = [
        path
        for folder in ("segboost", "features", "datasets", "pipelines")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(sources) > 200
    opening = {
        path.relative_to(ROOT).as_posix() for path in sources if "Image.open(" in path.read_text()
    }
    assert opening == {"segboost/io/opening.py"}
