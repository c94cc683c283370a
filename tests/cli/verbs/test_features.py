"""segboost features show: the picture, and errors in its paths."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from skimage.data import astronaut

from segboost.cli.main import run


@pytest.fixture
def photo(tmp_path):
    Image.fromarray(astronaut()[::4, ::4][:72, :96]).save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


def test_show_writes_a_picture(photo, capsys):
    target = photo.parent / "out.png"
    assert run(["features", "show", str(photo), "--output", str(target)]) == 0
    assert "superpixels" in capsys.readouterr().out
    with Image.open(target) as picture:
        assert picture.width > 1000
        # Maps of many colours, not one even area.
        assert len(np.unique(np.asarray(picture.convert("L")))) > 100
    assert sorted(p.name for p in photo.parent.iterdir()) == ["out.png", "photo.png"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone.png"], "image file gone.png does not exist"),
        (["text.png", "--output", "x.png"], "not an image that can be read"),
        (["photo.png", "--output", "x.jpg"], "--output must end in .png"),
        (["photo.png", "--output", "no/x.png"], "does not exist: create it first"),
        (["photo.png", "--output", "photo.png"], "is the image itself"),
        (["photo.png", "--preset", "none"], "preset must be"),
    ],
)
def test_misuse_is_one_line_and_status_2(arguments, message, photo, monkeypatch, capsys):
    monkeypatch.chdir(photo.parent)
    (photo.parent / "text.png").write_text("no image")
    assert run(["features", "show", *arguments]) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.startswith("segboost: Invalid value")
    assert printed.count("\n") == 1
    assert {p.name for p in photo.parent.iterdir()} == {"photo.png", "text.png"}


def test_a_picture_that_cannot_be_written_is_a_failure_not_misuse(photo, monkeypatch, capsys):
    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("segboost.features.feature_picture.save_picture", full)
    assert run(["features", "show", str(photo), "-o", str(photo.parent / "out.png")]) == 1
    assert capsys.readouterr().err == "segboost: No space left on device\n"
