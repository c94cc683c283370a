"""`train` refuses unusable masks, pairs and settings with one line, before any work."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from segboost.cli.main import run
from tests.contracts.limits import time_limit
from tests.hostile import corpus

SHAPE = (corpus.HEIGHT, corpus.WIDTH)


def square(value=255, dtype=np.uint8, shape=SHAPE):
    mask = np.zeros(shape, dtype)
    mask[10:30, 10:40] = value
    return mask


def png(array, **options):
    return corpus.encoded(Image.fromarray(array), format="PNG", **options)


GOOD = png(square())
COLOURS = np.dstack([square(255), square(0), square(10)])
CASES = {
    "another size": (png(square(shape=(60, 64))), "make them equal"),
    "cut short": (GOOD[:-30], "broken image"),
    "empty": (b"", "the file is empty"),
    "no image": (b"text" * 50, "not an image"),
    "CMYK": (corpus.encoded(Image.fromarray(COLOURS).convert("CMYK"), format="TIFF"), "grey"),
    "colours": (png(COLOURS), "colours"),
    "16 bits": (png(square(40_000, np.uint16)), "unclear mask values"),
    "lossy": (
        png((np.random.default_rng(0).random(SHAPE) * 255).astype(np.uint8)),
        "may be foreground",
    ),
    "bomb": (corpus.bomb(60_000, 60_000), "limit"),
}


@pytest.fixture
def data(tmp_path):
    for name in ("images", "masks"):
        (tmp_path / name).mkdir()
    for number in range(4):
        (tmp_path / "images" / f"{number}.png").write_bytes(corpus.PNG)
        (tmp_path / "masks" / f"{number}.png").write_bytes(GOOD)
    return tmp_path


def train(data, *more):
    folders = ["--images", str(data / "images"), "--masks", str(data / "masks")]
    options = ["--test-fraction", "0", "--jobs", "1", "--output", str(data / "model")]
    with time_limit(600):
        return run(["train", *folders, *options, *more])


def assert_refused(data, capsys, text, status=1):
    assert train(data) == status
    printed = capsys.readouterr()
    assert text in printed.err
    assert printed.err.count("\n") == 1
    assert not (data / "model" / "model.json").exists()


@pytest.mark.parametrize("case", CASES)
def test_masks_that_cannot_be_used(case, data, capsys):
    content, text = CASES[case]
    (data / "masks" / "1.png").write_bytes(content)
    assert_refused(data, capsys, text)


@pytest.mark.parametrize("value", [0, 1])
def test_masks_of_one_class_only(value, data, capsys):
    for path in (data / "masks").iterdir():
        path.write_bytes(png(np.full(SHAPE, value, np.uint8)))
    assert_refused(data, capsys, f"has a {'background' if value else 'foreground'} pixel")


def test_an_empty_mask_among_others_is_not_an_error(data):
    from segboost.datasets import load_folders

    (data / "masks" / "0.png").write_bytes(png(np.zeros(SHAPE, np.uint8)))
    found = load_folders(data / "images", data / "masks", test_fraction=0.0)
    assert [bool(item.mask().any()) for item in found.train] == [False, True, True, True]


@pytest.mark.parametrize("side", ["images", "masks"])
def test_a_file_without_a_partner(side, data, capsys):
    (data / side / "0.png").unlink()
    assert_refused(data, capsys, "0.png")


def test_an_image_that_is_broken(data, capsys):
    (data / "images" / "2.png").write_bytes(corpus.BAD["cut.png"][0])
    assert_refused(data, capsys, "2.png: broken image")


def test_a_cyclic_link(data, capsys):
    (data / "images" / "2.png").unlink()
    (data / "images" / "2.png").symlink_to("2.png")
    assert_refused(data, capsys, "symbolic links")


def test_cyclic_folders(tmp_path, capsys):
    (tmp_path / "images").symlink_to("images")
    (tmp_path / "masks").mkdir()
    assert_refused(tmp_path, capsys, "is not a folder")


def test_the_first_frame_of_an_animated_mask_is_used(data):
    from segboost.datasets import read_mask

    frames = [Image.fromarray(square()), Image.fromarray(square(0))]
    path = data / "m.gif"
    frames[0].save(path, save_all=True, append_images=frames[1:])
    np.testing.assert_array_equal(read_mask(path, "index"), square(1))


def test_a_mask_fits_the_image_turned_upright(data):
    """The EXIF tag turns the image; its mask is stored upright."""
    from segboost.datasets import load_folders

    exif = Image.Exif()
    exif[0x0112] = 6
    upright = np.ascontiguousarray(np.rot90(square(), -1))
    (data / "images" / "0.png").write_bytes(
        corpus.encoded(corpus.picture(), format="PNG", exif=exif)
    )
    (data / "masks" / "0.png").write_bytes(png(upright))
    found = load_folders(data / "images", data / "masks", test_fraction=0.0)
    image, mask = found.train[0].load()
    assert image.shape[:2] == mask.shape == (corpus.WIDTH, corpus.HEIGHT)


SETTINGS = [
    ('{"C": "much"}', "C must be"),
    ('{"C": NaN}', "C must be"),
    ('{"C": Infinity}', "C must be"),
    ('{"C": -1}', "C must be"),
    ('{"C_choices": []}', "C_choices"),
    ('{"C_choices": [1, "two"]}', "C_choices"),
    ('{"n_iterations": 0}', "n_iterations"),
    ('{"n_iterations": true}', "n_iterations"),
    ('{"n_iterations": null}', "n_iterations"),
    ('{"n_iterations": 1.5}', "n_iterations"),
    ('{"unary": {"n_stumps": -3}}', "unary.n_stumps"),
    ('{"unary": {"stumps": 3}}', "stumps"),
    ('{"context_booster": {"learning_rate": "fast"}}', "context_booster.learning_rate"),
    ('{"context_booster": {"depth": 1000}}', "context_booster.depth"),
    ('{"tree_booster": {"row_share": 0}}', "tree_booster.row_share"),
    ('{"potentials": {"contrasts": [NaN]}}', "potentials.contrasts"),
    ('{"losses": []}', "losses"),
    ('{"losses": "pixels"}', "losses"),
    ('{"context": "yes"}', "context"),
    ('{"method": 5}', "method"),
    ('{"seed": -1}', "seed"),
    ('{"typo": 1}', "typo"),
    ('{"": 1}', "no key"),
]


@pytest.mark.parametrize(("text", "message"), SETTINGS)
def test_settings_with_wrong_keys_types_or_ranges(text, message, data, capsys):
    (data / "settings.json").write_text(text)
    assert train(data, "--config", str(data / "settings.json")) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1
    assert not (data / "model").exists()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[" * 50_000, b"3", b"null", b'"x"'])
def test_settings_that_are_not_an_object(content, data, capsys):
    (data / "settings.json").write_bytes(content)
    assert train(data, "--config", str(data / "settings.json")) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("option", [["--C", "nan"], ["--C", "-1"], ["--C", "inf"]])
def test_bad_loss_weights(option, data, capsys):
    assert train(data, *option) == 2
    assert "C must be" in capsys.readouterr().err
