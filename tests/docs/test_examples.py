"""Every example runs, passes its assertions, draws its picture, and is in the gallery."""

from __future__ import annotations

import re
import runpy
from typing import NamedTuple

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))


class Shown(NamedTuple):
    """What a picture has: numbers of curves and images, and patterns of its texts."""

    n_curves: int
    n_images: int
    texts: tuple[str, ...]


SHOWN = {
    "auc": Shown(
        2,
        0,
        (
            "digit to detect",
            "AUC on new images",
            r"ranker, \d+ stumps: 0\.9\d+",
            r"AdaBoost, \d+ stumps: 0\.9\d+",
        ),
    ),
    "crf": Shown(
        4,
        4,
        (
            "truth",
            "first potential alone",
            r"linear CRF: 9\d\.\d%",
            r"StructBoost: 9\d\.\d%",
            "learned: linear",
            "learned: band",
            "learned: spikes",
            "learned: shared noise",
        ),
    ),
    "hierarchy": Shown(
        0,
        2,
        (
            r"flat: tree loss 0\.\d\d",
            r"taxonomy: tree loss 0\.\d\d",
            "prediction",
            "truth",
            "Mistakes on new rows; .+ cost double",
        ),
    ),
    "multiclass": Shown(
        4,
        0,
        (
            "Error on new digits",
            r"perceptrons: \d\.\d%",
            r"stumps: \d+\.\d%",
            "Stumps: the optimum is in the band",
            "objective",
            "lower bound over all stumps",
        ),
    ),
    "segmentation": Shown(
        0,
        16,
        (
            "image",
            "truth",
            "mask",
            "probability",
            r"Segmentation: \d\d\.\d% mean IoU on new images",
        ),
    ),
    "tracking": Shown(
        2,
        4,
        (
            r"frame 0: 1\.00",
            r"frame 12: [01]\.\d\d",
            r"frame 16: [01]\.\d\d",
            r"frame 35: [01]\.\d\d",
            "hidden",
            "confidence",
            "centre error / 30 pixels",
        ),
    ),
}


def varies(values):
    return bool(np.isfinite(values).all() and np.ptp(values) > 0)


def check_figure(figure, shown):
    """Check that a figure has the texts, and curves and images that are not blank."""
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    missing = [p for p in shown.texts if not any(re.fullmatch(p, text) for text in texts)]
    assert not missing
    lines = [line for ax in figure.axes for line in ax.lines]
    curves = [line for line in lines if len(line.get_xdata()) > 2]  # the others are markings
    assert len(curves) == shown.n_curves
    assert all(varies(line.get_ydata()) for line in curves)
    images = [image for ax in figure.axes for image in ax.images]
    assert len(images) == shown.n_images
    assert all(varies(np.asarray(image.get_array(), float)) for image in images)


def share_of_other_pixels(drawn, kept):
    """Return the share of ink, in either picture, whose colour clearly differs in the other."""
    a, b = (np.asarray(picture.convert("RGB"), int) for picture in (drawn, kept))
    ink = (a.min(2) < 215) | (b.min(2) < 215)
    return np.mean(abs(a - b).max(2)[ink] > 40)


def test_there_are_at_least_six():
    assert len(SCRIPTS) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_the_script_draws_its_picture(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = runpy.run_path(str(script), run_name="__main__")
    check_figure(found["figure"], SHOWN[script.stem])
    (picture,) = tmp_path.iterdir()
    assert picture.name == f"{script.stem}.png"
    kept = Image.open(FOLDER / "pictures" / picture.name)
    drawn = Image.open(picture)
    assert drawn.size == kept.size
    # Not zero: other versions of the libraries round and draw letters differently.
    assert share_of_other_pixels(drawn, kept) < 0.2


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_the_gallery_shows_it(script):
    page = (ROOT / "docs" / "examples.md").read_text()
    assert f"(examples/{script.name})" in page
    assert f"(examples/pictures/{script.stem}.png)" in page
