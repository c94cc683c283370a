"""Object files of large pages equal those made in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
import tifffile

from segboost.io.legend import ClassLegend
from segboost.io.pixel_size import PixelSize
from segboost.io.scientific.sources import read_info
from segboost.pipelines.batch.scientific import image_objects
from segboost.pipelines.batch.scientific.image_outputs import ImageJob, write_outputs
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.summaries import OBJECT_TABLE, write_summaries
from segboost.pipelines.batch.scientific.tile import TileResult
from segboost.pipelines.batch.scientific.tile_store import TileStore
from segboost.pipelines.objects.finding import ObjectSettings
from segboost.pipelines.objects.large.page_file import LargeLimits
from segboost.pipelines.segmentation.images.tiling import plan_tiles
from segboost.storage.leftovers import remove_leftovers
from segboost.storage.output_record import Outputs, recorded_outputs
from segboost.storage.whole_file import temporary_name
from tests.pipelines.objects.large.large_pages import random_mask

LEGEND = ClassLegend(("sky", "cell", "dust"), ((0, 0, 0), (9, 0, 0), (0, 9, 0)))
FORMATS = ("coco", "geojson", "labelme")
SHAPE = (300, 290)
SETTINGS = [ObjectSettings(), ObjectSettings(min_area=9, fill_holes=True)]


@dataclass(frozen=True)
class Model:
    """The attributes of a model that are used when results are written."""

    legend: ClassLegend = LEGEND
    n_classes: int = 3


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(image_objects, "IN_MEMORY", 0)
    monkeypatch.setattr(image_objects, "LIMITS", LargeLimits(band=37, side=40, largest=3000))


def prepare(folder, settings, pages=2, calibrated=True):
    """Write an image of two channels and the tiles of random masks; return the job."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(pages)
    values = rng.integers(0, 60000, (pages, 2, *SHAPE)).astype(np.uint16)
    path = folder / "a.tif"
    physical = {"PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5}
    tifffile.imwrite(path, values, ome=True, metadata={"axes": "ZCYX", **physical}, tile=(64, 64))
    tiles = plan_tiles(pages, *SHAPE, 256, 64)
    store = TileStore(folder, "a", {})
    masks = [random_mask(rng, 2, SHAPE, smoothing=(4.0,)) for _ in range(pages)]
    for mask in masks:  # so that there are objects of all sizes
        mask[20:180, 30:200] = np.kron(mask[20:40, 30:64], np.ones((8, 5), np.uint8))
        mask[mask > 2] = 0
    for tile in tiles:
        part = masks[tile.page][tile.core.rows, tile.core.columns]
        unit = rng.integers(0, 256, part.shape).astype(np.uint8) if calibrated else None
        store.put(tile, TileResult(part, unit, 1, 0.0))
    options = ScientificOptions(objects=settings, formats=FORMATS, tile=256, overlap=64)
    info = read_info(path)
    assert info.pixel_size == PixelSize(0.5, 0.5, "µm")
    return ImageJob(Model(), path, folder, options, info, tiles, store, calibrated)


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("settings", SETTINGS, ids=["all", "filled"])
@pytest.mark.parametrize("calibrated", [True, False], ids=["probability", "none"])
def test_all_files_equal_those_made_in_memory(settings, calibrated, tmp_path, request):
    results, made = [], []
    for name in ("memory", "large"):
        job = prepare(tmp_path / name, settings, calibrated=calibrated)
        results.append(write_outputs(job, False))
        write_summaries([job.path], job.output, job.options)
        job.store.remove(job.tiles)
        job.path.unlink()
        made.append(files(tmp_path / name))
        if name == "memory":
            request.getfixturevalue("large")
    assert list(made[0]) == list(made[1])
    assert {"labels/a.tif", "objects/a.csv", "objects.csv", "coco/a.json"} <= made[0].keys()
    assert [name for name in made[0] if made[0][name] != made[1][name]] == []
    assert results[0]["objects"] == results[1]["objects"] > 100
    assert results[0]["object_area"] == pytest.approx(results[1]["object_area"], rel=1e-12)


def test_parts_that_are_not_split_are_noted(large, tmp_path):
    job = prepare(tmp_path, ObjectSettings(touching="split"), pages=1)
    notes = write_outputs(job, False)["notes"]
    assert "not split: the box around a part must have at most 3000 pixels" in notes


def test_errors_leave_no_temporary_files(large, tmp_path, monkeypatch):
    job = prepare(tmp_path, ObjectSettings(), pages=1)

    def interrupt(*_):
        assert [path for path in tmp_path.iterdir() if path.suffix == ".tmp"]
        raise KeyboardInterrupt

    monkeypatch.setattr(image_objects, "measure_large_objects", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_outputs(job, False)
    assert list(tmp_path.rglob("*.tmp")) == []
    assert not (tmp_path / "labels" / "a.tif").exists()


def test_only_temporary_files_of_killed_runs_are_removed(large, tmp_path, monkeypatch):
    dead, mine = tmp_path / temporary_name(), tmp_path / "mine.tmp"
    dead.write_bytes(b"labels")
    mine.write_text("mine")
    with recorded_outputs(tmp_path, Outputs()):
        assert not dead.exists()
    job = prepare(tmp_path, ObjectSettings(), pages=1)

    def look(*_):
        names = {path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"}
        assert len(names) == 5  # four of the page, and the user's
        assert remove_leftovers(tmp_path) == 0  # those in use are not leftovers
        raise KeyboardInterrupt

    monkeypatch.setattr(image_objects, "measure_large_objects", look)
    with pytest.raises(KeyboardInterrupt):
        write_outputs(job, False)
    assert mine.read_text() == "mine"


def test_tables_of_several_images_are_joined(tmp_path):
    (tmp_path / "objects").mkdir()
    for name, text in {"a": "image,page,object\n", "b": "image,object,mean_0\nb,1,5\n"}.items():
        (tmp_path / "objects" / f"{name}.csv").write_text(text)
    options = ScientificOptions(objects=ObjectSettings())
    write_summaries([tmp_path / f"{n}.tif" for n in "abc"], tmp_path, options)
    header, row = (tmp_path / OBJECT_TABLE).read_text().splitlines()
    assert header.endswith("mean_probability,mean_0,deviation_0")
    assert dict(zip(header.split(","), row.split(","), strict=True))["mean_0"] == "5"


def test_annotations_of_large_pages_name_all_objects(large, tmp_path):
    job = prepare(tmp_path, ObjectSettings(min_area=50), pages=1)
    found = write_outputs(job, False)
    document = json.loads((tmp_path / "coco" / "a.json").read_text())
    assert len(document["annotations"]) == found["objects"] > 0
