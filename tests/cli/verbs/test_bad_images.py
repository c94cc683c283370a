"""Bad scientific images on the command line: one clear line each; other images are processed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tifffile
from PIL import Image

from segboost.cli.main import run
from segboost.io.scientific.intensities import IntensityScale
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from tests.io.scientific.damage import COMPRESSION, HEIGHT, WIDTH, set_tags, state_pages
from tests.pipelines.segmentation.tiny_models import tiny_data, trained

WIDE = IntensityScale(3, (0, 1, 2), (0.0,) * 3, (255.0 * 16,) * 3)


def camera():
    """Return a 12-bit camera image."""
    return tiny_data().test[0].image().astype(np.uint16) * 16


def write(path, values=None, **options):
    kind = {"photometric": "rgb", "metadata": None} | options
    tifffile.imwrite(path, camera() if values is None else values, **kind)


def truncated(path):
    write(path)
    path.write_bytes(path.read_bytes()[:20_000])


def compressed(path):
    write(path)
    set_tags(path, (COMPRESSION,), 31337)


def enormous(path):
    write(path, np.zeros((8, 8), np.uint8), photometric="minisblack")
    set_tags(path, (WIDTH, HEIGHT), 320_000)


def other_channels(path):
    write(path, camera()[..., :2], photometric="minisblack", planarconfig="contig")


def changed_pages(path):
    pages = np.stack([camera()[..., 0]] * 4)
    write(path, pages, ome=True, photometric="minisblack", metadata={"axes": "ZYX"})
    state_pages(path, 4, 6)


BAD = {
    "truncated": (truncated, "the file is truncated"),
    "compressed": (compressed, "its compression 31337 is not known"),
    "enormous": (enormous, "320000×320000 pixels are declared in a file of"),
    "pages": (changed_pages, "the file declares 6 pages but holds 4"),
    "text": (lambda path: path.write_text("not an image"), "not an image that can be read"),
    "empty": (lambda path: path.write_bytes(b""), "the file is empty"),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    plain = trained().model
    wide = replace(plain, preset=plain.preset.with_intensities(WIDE))
    return str(save_segmenter(wide, tmp_path_factory.mktemp("model")))


def segment(model, folder, *options):
    output = ["--output", str(folder / "out"), "--jobs", "1"]
    return run(["segment", "--model", model, str(folder / "images"), *output, *options])


@pytest.fixture
def images(tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "masks").mkdir()
    return tmp_path / "images"


def test_segment_reports_bad_images_and_processes_the_others(model, images, tmp_path, capsys):
    expected = {name: reason for name, (_, reason) in BAD.items()}
    for name, (damage, _) in BAD.items():
        damage(images / f"{name}.tif")
    other_channels(images / "channels.tif")
    expected["channels"] = "2 channels, but the training images had 3"
    write(images / "good.tif")
    odd = camera().astype(np.float32)
    odd[3, 4, 0], odd[5, 6, 0], odd[..., 1] = np.nan, np.inf, 900
    write(images / "odd.tif", odd)
    assert segment(model, tmp_path) == 1
    printed = capsys.readouterr()
    assert f"2 of {len(expected) + 2} images segmented" in printed.out
    lines = printed.err.splitlines()
    assert lines[0] == (
        "note: odd.tif: channel 0: 2 pixels are NaN or infinite and taken as black; "
        "channel 1 is constant"
    )
    assert len(lines) == 1 + len(expected)
    for name, line in zip(sorted(expected), lines[1:], strict=True):
        assert line.startswith(f"failed: {name}.tif: {expected[name]}")
    assert sorted(p.name for p in (tmp_path / "out").glob("*.tif")) == ["good.tif", "odd.tif"]


def test_segment_with_axes_that_do_not_fit_one_image(model, images, tmp_path, capsys):
    write(images / "good.tif", camera().transpose(2, 0, 1), photometric="minisblack")
    write(images / "plane.tif", camera()[..., 0], photometric="minisblack")
    assert segment(model, tmp_path, "--axes", "CYX") == 1
    printed = capsys.readouterr()
    assert "1 of 2 images segmented" in printed.out
    [line] = printed.err.splitlines()
    assert line.startswith("failed: plane.tif: axes CYX have 3 letters, but the file has 2 axes")


def train(folder, *options):
    folders = ["--images", str(folder / "images"), "--masks", str(folder / "masks")]
    return run(["train", *folders, "--output", str(folder / "model"), "--jobs", "1", *options])


def one_line(capsys):
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    return printed


@pytest.mark.parametrize("case", [*BAD, "channels", "depth", "mask"])
def test_train_stops_at_a_bad_image(case, images, tmp_path, capsys):
    mask = tiny_data().test[0].mask() * np.uint8(255)
    for name in ("a", "b", "z"):
        write(images / f"{name}.tif")
        Image.fromarray(mask).save(tmp_path / "masks" / f"{name}.png")
    path, named = images / "z.tif", "z.tif"
    if case in BAD:
        damage, expected = BAD[case]
        damage(path)
    elif case == "channels":
        other_channels(path)
        expected = "has 2 channels, a.tif has 3: make all images alike"
    elif case == "depth":
        write(path, camera().astype(np.float32))
        expected = "has float32 values, a.tif has uint16"
    else:
        Image.fromarray(mask[:-5]).save(tmp_path / "masks" / "z.png")
        named, expected = "z.png", "1 page of 96×67 pixels, but its image z.tif has 1 page of 96×72"
    assert train(tmp_path) == 1
    printed = one_line(capsys)
    assert named in printed
    assert expected in printed


def test_train_with_axes_or_channels_that_do_not_exist(images, tmp_path, capsys):
    write(images / "a.tif")
    Image.fromarray(tiny_data().test[0].mask() * np.uint8(255)).save(tmp_path / "masks" / "a.png")
    assert train(tmp_path, "--axes", "YX") == 1
    assert "axes YX have 2 letters, but the file has 3 axes" in one_line(capsys)
    assert train(tmp_path, "--channels", "0,3") == 1
    assert "there is no channel 3, the image has 0 to 2" in one_line(capsys)
