from __future__ import annotations

import base64
import io

import numpy as np
import pytest
import tifffile
from PIL import Image

from segboost.cli.main import run
from segboost.io.scientific.sources import open_source
from segboost.report.objects_page import EMPTY, _thinned, draw_labels, write_objects_report

HEADER = "image,page,object,class,unit,area\n"


def folder(tmp_path, lines):
    (tmp_path / "objects.csv").write_text(HEADER + lines)
    (tmp_path / "results.csv").write_text("name,objects\na.tif,2\n<b>.tif,0\n")
    return tmp_path


def test_counts_and_sizes(tmp_path, capsys):
    path = folder(tmp_path, "a.tif,0,1,a & b,µm,5.5\na.tif,0,2,a & b,µm,7.5\n")
    assert run(["report", str(path)]) == 0
    page = (path / "report.html").read_text()
    assert "area in µm²" in page
    assert "<h3>a &amp; b</h3>" in page
    assert "2 objects, median area 6.5, mean 6.5" in page
    assert "&lt;b&gt;.tif" in page
    assert "<b>.tif" not in page
    assert "report.html" in capsys.readouterr().out
    write_objects_report(path)  # its own page is replaced


def test_objects_are_shown(tmp_path):
    path = folder(tmp_path, "a.tif,0,1,cell,pixel,4\na.tif,0,2,cell,pixel,4\n")
    (path / "labels").mkdir()
    labels = np.zeros((3, 4, 6), np.int32)
    labels[1, 1:3, 1:3], labels[1, 1:3, 3:5] = 1, 70
    tifffile.imwrite(path / "labels" / "a.tif", labels, photometric="minisblack")
    (path / "labels" / "<b>.tif").write_bytes(b"damaged")
    [(name, address)] = draw_labels(path, ["a.tif", "<b>.tif", "missing.tif"]).items()
    assert name == "a.tif"
    drawn = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).convert("RGBA")
    pixels = np.array(drawn)[..., :3]
    assert (pixels[0, 0] == EMPTY[:3]).all()
    assert (pixels[1, 1] != pixels[1, 4]).any()
    assert (pixels[1, 3] == EMPTY[:3]).all()  # where the two touch
    page = write_objects_report(path).read_text()
    assert address in page
    assert "8 pixels" in page


def test_a_folder_without_objects_and_a_damaged_table(tmp_path):
    assert "No objects." in write_objects_report(folder(tmp_path, "")).read_text()
    with pytest.raises(ValueError, match="run segboost segment again"):
        write_objects_report(folder(tmp_path, "a.tif,0,1,cell,µm,x\n"))


@pytest.mark.parametrize("step", [1, 3, 300])
def test_label_images_are_thinned_band_by_band(step, tmp_path):
    labels = np.arange(700 * 40, dtype=np.int32).reshape(700, 40)
    tifffile.imwrite(tmp_path / "a.tif", labels)
    with open_source(tmp_path / "a.tif") as source:
        assert np.array_equal(_thinned(source, 0, step), labels[::step, ::step])
