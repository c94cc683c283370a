"""The files that are claimed for scientific images are those that segmenting writes."""

from __future__ import annotations

import numpy as np
import pytest
import tifffile
from PIL import Image

from segboost.pipelines.batch.run import batch_outputs, run_batch
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.output_names import image_file_names, scientific_outputs
from segboost.pipelines.batch.segmenting import BatchOptions
from segboost.pipelines.objects.finding import ObjectSettings
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.progress import QuietProgress
from segboost.storage.output_record import check_outputs
from segboost.storage.ownership import ForeignFileError
from tests.pipelines.segmentation.tiny_models import tiny_data, trained

PLAIN, ZARR = ScientificOptions(), ScientificOptions(zarr=True)
ALL = ScientificOptions(objects=ObjectSettings(), formats=("coco", "geojson", "labelme"))
WANTED = frozenset({"overlays", "probabilities", "scores"})


@pytest.fixture
def tiff(tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", np.zeros((8, 8), np.uint16))
    return tmp_path / "a.tif"


def test_names_of_one_image(tiff):
    assert image_file_names(tiff, PLAIN) == ["a.tif"]
    assert image_file_names(tiff, ZARR, {"probabilities"}) == ["a.ome.zarr", "probabilities/a.tif"]
    assert image_file_names(tiff.with_name("b.png"), PLAIN, {"scores"}) == ["b.png"]


def test_masks_in_zarr_are_not_claimed(tiff):
    assert scientific_outputs([tiff], PLAIN, WANTED) == [
        "a.tif", "overlays/a.png", "probabilities/a.tif",
    ]  # fmt: skip
    assert scientific_outputs([tiff], ZARR, WANTED) == ["probabilities/a.tif"]


@pytest.mark.parametrize("name", ["a.tif", "overlays/a.png"])
def test_files_that_zarr_does_not_write_do_not_block_it(name, tiff):
    output = tiff.parent / "out"
    (output / "overlays").mkdir(parents=True)
    (output / name).write_bytes(b"unrelated")
    for options, blocked in ((PLAIN, True), (ZARR, False)):
        batch = BatchOptions(output, overlay=True, scientific=options)
        outputs = batch_outputs([tiff], batch, scientific=[tiff])
        if blocked:
            with pytest.raises(ForeignFileError):
                check_outputs(output, outputs)
        else:
            check_outputs(output, outputs)


def test_the_names_are_those_of_the_files_that_a_batch_writes(tmp_path):
    save_segmenter(trained().model, tmp_path / "model")
    (tmp_path / "images").mkdir()
    image = tiny_data().test[0].image()
    Image.fromarray(image).save(tmp_path / "images" / "a.png")
    tifffile.imwrite(tmp_path / "images" / "b.tif", image, photometric="rgb")
    images = sorted((tmp_path / "images").iterdir())
    options = BatchOptions(
        tmp_path / "out", overlay=True, scores=True, probabilities=True, scientific=ALL
    )
    assert not run_batch(tmp_path / "model", images, options, 1, None, QuietProgress()).failed
    written = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.*")}
    names = scientific_outputs(images, ALL, WANTED)
    assert written - {".segboost.outputs", ".segboost.lock"} == {*names, "results.csv"}
