"""train and segment with several classes give the same bytes on a cluster and locally."""

from __future__ import annotations

import json

import numpy as np
from PIL import Image

from segboost.cli.main import run
from tests.cluster.test_commands import files
from tests.pipelines.segmentation.tiny_class_models import SETTINGS, draw


def test_a_cluster_writes_the_same_bytes_as_a_local_run(cluster, tmp_path):
    for name in ("images", "masks", "new"):
        (tmp_path / name).mkdir()
    for number in range(6):
        image, mask = draw(number)
        Image.fromarray(image).save(tmp_path / "images" / f"{number}.png")
        Image.fromarray(mask).save(tmp_path / "masks" / f"{number}.png")
        Image.fromarray(draw(100 + number)[0]).save(tmp_path / "new" / f"{number}.png")
    changes = {"C": None, "C_choices": [1.0, 10.0], "validation_blocks": 2}
    (tmp_path / "settings.json").write_text(json.dumps({**SETTINGS, **changes}))
    train = ["train", "--images", str(tmp_path / "images"), "--masks", str(tmp_path / "masks")]
    train += ["--config", str(tmp_path / "settings.json"), "--test-fraction", "0.34"]
    for name, where in (("local", ["--jobs", "1"]), ("remote", ["--scheduler", cluster.address])):
        assert run([*train, *where, "-o", str(tmp_path / name)]) == 0
        segment = ["segment", str(tmp_path / "new"), "--model", str(tmp_path / name), "--scores"]
        assert run([*segment, *where, "-o", str(tmp_path / f"{name}-masks")]) == 0
    assert files(tmp_path / "local") == files(tmp_path / "remote")
    assert files(tmp_path / "local-masks") == files(tmp_path / "remote-masks")
    seen = np.unique(np.asarray(Image.open(tmp_path / "remote-masks" / "0.png")))
    assert len(seen) > 2
