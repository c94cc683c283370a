from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from skimage import data

from segboost import io, pipelines
from segboost.io.pixel_size import PixelSize
from segboost.pipelines.objects.table_file import PageObjects, write_object_table


@pytest.mark.parametrize("module", [io, pipelines])
def test_all_names_exist(module):
    for name in module.__all__:
        assert getattr(module, name).__module__.startswith(module.__name__)
    with pytest.raises(AttributeError, match="nothing"):
        module.nothing  # noqa: B018


def test_importing_loads_no_reader():
    code = "import sys, segboost.io, segboost.pipelines\n"
    code += "print({'tifffile', 'skimage', 'PIL'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


def test_objects_come_back_as_columns(tmp_path):
    mask = (data.coins()[:100, :150] > 120).astype(np.uint8)
    settings = pipelines.ObjectSettings(min_area=20)
    table = pipelines.measure_objects(
        pipelines.find_objects(mask, settings),
        ("background", "coin"),
        channels=mask[..., None],
        pixel_size=PixelSize(0.5, 0.5, "µm"),
    )
    write_object_table([PageObjects("coins.png", 0, table)], tmp_path / "objects.csv")
    found = io.read_objects(tmp_path / "objects.csv")
    assert set(found) == {"image", "page", *table}
    assert np.isnan(found["mean_probability"]).all()
    for name in ("object", "class", "unit", "box_width"):
        assert (found[name] == table[name]).all()
    np.testing.assert_allclose(found["area"], table["area"])


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "image,object\na\n", "image,object\na,x\n"])
def test_other_tables_are_refused_in_one_line(text, tmp_path):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(io.ImageFileError, match=r"a\.csv: not an object table"):
        io.read_objects(tmp_path / "a.csv")
    with pytest.raises(io.ImageFileError, match="no such file"):
        io.read_objects(tmp_path / "b.csv")
