"""An interrupted batch of scientific images, resumed with the same or with other options."""

from __future__ import annotations

import numpy as np
import pytest
import tifffile

from segboost.pipelines.batch.run import run_batch
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.segmenting import BatchOptions
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_models import tiny_data, trained


class Interrupted(QuietProgress):
    """Raises KeyboardInterrupt as soon as the first image is done."""

    def __call__(self, report):
        if report.done:
            raise KeyboardInterrupt


def run(folder, overlap, progress):
    options = BatchOptions(folder / "out", scientific=ScientificOptions(overlap=overlap))
    images = sorted((folder / "images").iterdir())
    return run_batch(folder / "model", images, options, 1, None, progress)


@pytest.mark.parametrize(("overlap", "n_known"), [(64, 1), (128, 0)])
def test_images_of_other_options_are_segmented_again(overlap, n_known, tmp_path):
    save_segmenter(trained().model, tmp_path / "model")
    (tmp_path / "images").mkdir()
    pixels = tiny_data().test[0].image().astype(np.uint16) * 16
    for name in ("a", "b"):
        tifffile.imwrite(tmp_path / "images" / f"{name}.tif", pixels, photometric="rgb")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, 64, Interrupted())
    result = run(tmp_path, overlap, QuietProgress())
    assert result.n_known == n_known
    assert not result.failed
