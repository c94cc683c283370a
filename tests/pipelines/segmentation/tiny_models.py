"""Tiny images and settings, with one cache for all tests of a process."""

from __future__ import annotations

import functools
import json
import tempfile
from dataclasses import replace
from pathlib import Path

from PIL import Image

from segboost.datasets import load_synthetic
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.checked_training import StageReporter, check_and_train
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.array_images import label_arrays
from segboost.progress import QuietProgress

SETTINGS = {
    "preset": "classic",
    "unary": {"n_stumps": 12, "n_folds": 2},
    "tree_booster": {"n_trees": 15, "n_columns": 100, "learning_rate": 0.3, "min_curvature": 2.0},
    "context_booster": {"n_trees": 15, "learning_rate": 0.3, "min_curvature": 2.0},
    "losses": ["superpixels"],
    "n_iterations": 20,
    "ramp_width": 1.0,
}


def tiny_data():
    """Return 6 training and 3 test images of 96×72."""
    return load_synthetic(6, 3, height=72, width=96)


def array_items():
    """Return the training images as `SegmentationPipeline` takes them, from memory."""
    pairs = [item.load() for item in tiny_data().train]
    return label_arrays([image for image, _ in pairs], [mask for _, mask in pairs])


def tiny_config(**changes):
    return replace(SegmentationConfig.from_dict({**SETTINGS, "C": 10.0}), **changes)


@functools.cache
def _place():
    return tempfile.TemporaryDirectory(prefix="segboost-tests-")


def shared_cache():
    return Path(_place().name) / "cache"


@functools.cache
def trained(method="structboost"):
    """Return a trained model and the other results of training, made once per process."""
    store = ArtefactStore(shared_cache())
    with StageReporter(QuietProgress()) as report:
        return check_and_train(array_items(), tiny_config(method=method), store, 1, report)


def write_folders(folder, items):
    """Write images and masks as files; return the options of the command line."""
    images, masks = folder / "images", folder / "masks"
    for place in (images, masks):
        place.mkdir(parents=True)
    for item in items:
        Image.fromarray(item.image()).save(images / f"{item.name}.png")
        Image.fromarray(item.mask() * 255).save(masks / f"{item.name}.png")
    return ["--images", str(images), "--masks", str(masks)]


def write_settings(path, **changes):
    path.write_text(json.dumps({**SETTINGS, "C": 10.0, **changes}))
    return ["--config", str(path)]


def train_command(folder, data=None, **changes):
    """Write a data set, by default the tiny one; return the arguments of ``segboost train``.

    They lack ``--output``. `changes` override settings.
    """
    data = data or tiny_data()
    options = write_folders(folder, data.train + data.test)
    names = folder / "train.txt"
    names.write_text("\n".join(item.name for item in data.train))
    options += ["--train-list", str(names), "--jobs", "1"]
    return ["train", *options, *write_settings(folder / "settings.json", **changes)]
