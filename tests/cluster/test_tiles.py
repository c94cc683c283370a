"""Tiles of a large image on a cluster give the same bytes as a local run."""

from __future__ import annotations

import numpy as np
import tifffile

from segboost.cli.main import run
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from tests.cluster.test_commands import files
from tests.pipelines.segmentation.tiny_models import tiny_data, trained


def test_a_cluster_segments_the_tiles_of_an_image(cluster, tmp_path):
    model = save_segmenter(trained().model, tmp_path / "model")
    image = np.tile(tiny_data().test[0].image(), (4, 6, 1)).astype(np.uint16) * 16
    tifffile.imwrite(tmp_path / "large.tif", image, photometric="rgb", tile=(64, 64))
    segment = ["segment", str(tmp_path / "large.tif"), "--model", str(model), "--tile", "256"]
    for name, where in (("local", ["--jobs", "1"]), ("remote", ["--scheduler", cluster.address])):
        assert run([*segment, *where, "-o", str(tmp_path / name)]) == 0
    assert files(tmp_path / "local") == files(tmp_path / "remote")
    mask = tifffile.imread(tmp_path / "remote" / "large.tif")
    assert mask.shape == image.shape[:2]
    assert len(np.unique(mask)) == 2
