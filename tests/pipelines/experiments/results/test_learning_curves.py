import numpy as np
from PIL import Image

from segboost.pipelines.experiments.results.learning_curves import Panel, draw_panels


def panels(shift=0.0):
    falling = 10.0 / np.arange(1, 30) + shift
    return [
        Panel("glass", "test error (%)", {"boost": falling}, {"SSVM (3.0)": 3.0}),
        Panel("vowel", "objective", {"boost": falling, "other": falling[:5]}, logarithmic=True),
    ]


def test_png_and_svg(tmp_path):
    png, svg = draw_panels(panels(), tmp_path / "curves")
    assert (png.name, svg.name) == ("curves.png", "curves.svg")
    image = np.asarray(Image.open(png).convert("L"))
    assert image.std() > 0
    text = svg.read_text()
    for word in ("glass", "vowel", "test error (%)", "SSVM (3.0)", "other"):
        assert word in text
    assert sorted(p.name for p in tmp_path.iterdir()) == ["curves.png", "curves.svg"]


def test_the_same_numbers_make_the_same_bytes(tmp_path):
    one, two = (draw_panels(panels(), tmp_path / name) for name in ("one", "two"))
    other = draw_panels(panels(shift=1.0), tmp_path / "other")
    for a, b, c in zip(one, two, other, strict=True):
        assert a.read_bytes() == b.read_bytes()
        assert a.read_bytes() != c.read_bytes()
