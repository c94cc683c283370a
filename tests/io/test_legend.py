"""Names and colours of classes, and the files that list them."""

import json

import numpy as np
import pytest
from skimage.color import rgb2lab

from segboost.io.legend import (
    DEFAULT_COLOURS,
    MOST_CLASSES,
    TWO_CLASSES,
    ClassLegend,
    default_legend,
    read_legend,
)

# Machado, Oliveira and Fernandes 2009: linear RGB as protanopes and deuteranopes see it.
PROTAN = np.array(
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]
)
DEUTAN = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)


def closest(colours, vision):
    """Return the smallest distance of two colours in CIELAB, in which 2.3 is just visible."""
    unit = np.array(colours) / 255.0
    linear = np.where(unit <= 0.04045, unit / 12.92, ((unit + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ vision.T, 0, 1)
    unit = np.where(seen <= 0.0031308, seen * 12.92, 1.055 * seen ** (1 / 2.4) - 0.055)
    lab = rgb2lab(unit[None])[0]
    gaps = np.linalg.norm(lab[:, None] - lab[None], axis=-1)
    return gaps[np.triu_indices(len(lab), 1)].min()


@pytest.mark.parametrize("vision", [np.eye(3), PROTAN, DEUTAN], ids=["normal", "protan", "deutan"])
@pytest.mark.parametrize(("n", "least"), [(12, 15.0), (60, 7.0)])
def test_default_colours_can_be_told_apart(vision, n, least):
    assert closest(DEFAULT_COLOURS[:n], vision) > least


def test_default_legend_counts_from_zero():
    legend = default_legend(60)
    assert legend.n_classes == 60
    assert legend.names[:2] == ("class 0", "class 1")
    assert legend.palette.shape == (60, 3)
    assert legend.palette.dtype == np.uint8
    with pytest.raises(ValueError, match="61 classes are more than 60"):
        default_legend(61)
    with pytest.raises(ValueError, match="at least two, got 1"):
        default_legend(1)


def test_dict_round_trip():
    for legend in (TWO_CLASSES, default_legend(5), ClassLegend(("a", "b"), ((0,) * 3, (1,) * 3))):
        assert ClassLegend.from_dict(json.loads(json.dumps(legend.to_dict()))) == legend
    void = ClassLegend(("a", "b"), ((0, 0, 0), (1, 1, 1)), (2, 2, 2))
    assert ClassLegend.from_dict(void.to_dict()).void == (2, 2, 2)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (None, "expected an object"),
        ({"names": ["a", "b"]}, "expected an object"),
        ({"names": 3, "colours": []}, "expected lists"),
        ({"names": ["a"], "colours": [[0, 0, 0]]}, "at least two, got 1"),
        ({"names": ["a", "b"], "colours": [[0, 0, 0]]}, "2 names, 1 colours"),
        ({"names": ["a", "a"], "colours": [[0, 0, 0], [1, 0, 0]]}, "the name 'a'"),
        ({"names": ["a", "b"], "colours": [[0, 0, 0], [0, 0, 0]]}, "the colour #000000"),
        ({"names": ["a", 7], "colours": [[0, 0, 0], [1, 0, 0]]}, "printable text, got 7"),
        ({"names": ["a", " "], "colours": [[0, 0, 0], [1, 0, 0]]}, "printable text"),
        ({"names": ["a", "b" * 81], "colours": [[0, 0, 0], [1, 0, 0]]}, "at most 80"),
        ({"names": ["a", "b"], "colours": [[0, 0, 0], [256, 0, 0]]}, "from 0 to 255"),
        ({"names": ["a", "b"], "colours": [[0, 0, 0], "red"]}, "#rrggbb or three numbers"),
        ({"names": ["a", "b"], "colours": [[0, 0, 0], None]}, "#rrggbb or three numbers"),
        (
            {"names": [str(n) for n in range(256)], "colours": [[0, 0, n] for n in range(256)]},
            f"more than the {MOST_CLASSES}",
        ),
    ],
)
def test_dict_of_bad_values(values, message):
    with pytest.raises(ValueError, match=message):
        ClassLegend.from_dict(values)


EXPECTED = ClassLegend(("sky", "road", "car"), ((128, 128, 128), (128, 64, 128), (64, 0, 128)))


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "legend.json",
            '[{"name": "road", "index": 1, "colour": "#804080"},'
            ' {"name": "sky", "index": 0, "colour": [128, 128, 128]},'
            ' {"name": "car", "index": 2, "color": "64, 0, 128"}]',
        ),
        (
            "legend.json",
            '{"classes": [{"name": "sky", "colour": "#808080"},'
            '{"name": "road", "colour": "#804080"}, {"name": "car", "colour": "#400080"}]}',
        ),
        ("legend.csv", "name,index,colour\nsky,0,#808080\nroad,1,#804080\ncar,2,#400080\n"),
        (
            "legend.CSV",
            "\ufeffIndex, Name, Colour\n1, road,128 64 128\n0,sky,#808080\n2,car,64 0 128",
        ),
        ("legend.csv", "name,r,g,b\nsky,128,128,128\nroad,128,64,128\ncar,64,0,128\n"),
    ],
)
def test_files_of_all_kinds(tmp_path, file, text):
    path = tmp_path / file
    path.write_text(text, encoding="utf-8")
    assert read_legend(path) == EXPECTED


def test_missing_colours_and_the_colour_of_void(tmp_path):
    path = tmp_path / "legend.csv"
    path.write_text("name,index,colour\na,0,\nb,1,#5a5a5a\nunknown,255,#000000\n")
    legend = read_legend(path)
    assert legend.names == ("a", "b")
    assert legend.colours == (DEFAULT_COLOURS[1], DEFAULT_COLOURS[0])
    assert legend.void == (0, 0, 0)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("a.json", "{", "not JSON"),
        ("a.json", "3", "a list of objects"),
        ("a.json", "[1, 2]", "a list of objects"),
        ("a.json", '[{"name": "a"}]', "at least two, got 1"),
        ("a.json", '[{"index": 0}, {"name": "b"}]', "index 0 has no name"),
        ("a.json", '[{"name": "a", "index": 0}, {"name": "b", "index": 0}]', "the index 0"),
        ("a.json", '[{"name": "a", "index": 1}, {"name": "b", "index": 2}]', "0 is missing"),
        ("a.json", '[{"name": "a", "index": 1.5}, {"name": "b"}]', "whole number, got 1.5"),
        ("a.json", '[{"name": "a", "index": true}, {"name": "b"}]', "whole number, got True"),
        ("a.json", '[{"name": "a", "index": 300}, {"name": "b"}]', "255 for void, got 300"),
        ("a.json", '[{"name": "a", "colour": "#12"}, {"name": "b"}]', "#rrggbb"),
        ("a.csv", "a;b\n1;2\n", "no column name"),
        ("a.csv", "", "no column name"),
        ("a.csv", "name\na\n", "at least two, got 1"),
    ],
)
def test_bad_files_name_the_file(tmp_path, file, text, message):
    path = tmp_path / file
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        read_legend(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_unreadable_files(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        read_legend(tmp_path / "none.json")
    with pytest.raises(ValueError, match="is a directory"):
        read_legend(tmp_path)
    binary = tmp_path / "a.json"
    binary.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ValueError, match="UTF-8"):
        read_legend(binary)
