"""Every example runs, passes its assertions, draws its picture, and is in the gallery."""

from __future__ import annotations

import runpy

import numpy as np
import pytest
from PIL import Image

from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def test_there_are_at_least_six():
    assert len(SCRIPTS) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_the_script_draws_its_picture(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    (picture,) = tmp_path.iterdir()
    assert picture.name == f"{script.stem}.png"
    kept = Image.open(FOLDER / "pictures" / picture.name)
    drawn = Image.open(picture)
    assert drawn.size == kept.size
    assert np.asarray(drawn.convert("L")).std() > 10


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_the_gallery_shows_it(script):
    page = (ROOT / "docs" / "examples.md").read_text()
    assert f"(examples/{script.name})" in page
    assert f"(examples/pictures/{script.stem}.png)" in page
