from __future__ import annotations

import csv

import numpy as np
import tifffile

from segboost.pipelines.batch.run import run_batch
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.segmenting import BatchOptions
from segboost.pipelines.objects.finding import ObjectSettings
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_class_models import class_items, trained_classes


def test_masks_shares_probabilities_and_objects_of_several_classes(tmp_path):
    model = trained_classes().model
    [item] = class_items(1, first=20)
    image = item.image()
    tifffile.imwrite(tmp_path / "a.tif", image.astype(np.uint16) * 16, photometric="rgb")
    folder = save_segmenter(model, tmp_path / "model")
    special = ScientificOptions(
        intensities=(0.0, 255.0 * 16), objects=ObjectSettings(min_area=5), formats=("coco",)
    )
    options = BatchOptions(tmp_path / "out", probabilities=True, scientific=special)
    run = run_batch(folder, [tmp_path / "a.tif"], options, 1, None, QuietProgress())
    assert run.failed == []
    found = model.predict(image)
    mask = tifffile.imread(tmp_path / "out" / "a.tif")
    assert (mask == found.mask).all()
    unit = model.probabilities(found.scores)
    own = np.take_along_axis(unit, mask[..., None].astype(int), axis=2)[..., 0]
    stored = tifffile.imread(tmp_path / "out" / "probabilities" / "a.tif")
    np.testing.assert_allclose(stored / 65535, own, atol=1 / 255)
    with open(tmp_path / "out" / "results.csv") as file:
        [row] = csv.DictReader(file)
    shares = [float(value) for name, value in row.items() if name.startswith("share")]
    np.testing.assert_allclose(
        shares, np.bincount(mask.ravel(), minlength=4) / mask.size, atol=1e-4
    )
    with open(tmp_path / "out" / "objects.csv") as file:
        objects = list(csv.DictReader(file))
    assert {o["class"] for o in objects} <= set(model.legend.names[1:])
    assert int(row["objects"]) == len(objects) > 0
