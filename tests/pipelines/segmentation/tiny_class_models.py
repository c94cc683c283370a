"""Small drawn images of several classes, and settings that learn them quickly."""

from __future__ import annotations

import functools
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from segboost.datasets.base import ArraySource, LabelledImage
from segboost.io.legend import default_legend
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.training import train_segmenter

COLOURS = np.array([[60, 60, 60], [200, 60, 60], [60, 180, 70], [70, 80, 210]])
LEGEND = default_legend(4)
SETTINGS = {
    "preset": {
        "name": "colours",
        "superpixels": {"kind": "graph", "max_count": 150, "min_area": 8},
        "groups": [{"kind": "colour"}, {"kind": "position"}],
    },
    "unary": {"n_folds": 2},
    "tree_booster": {
        "n_trees": 20, "depth": 4, "n_columns": 20, "learning_rate": 0.3, "min_curvature": 2.0,
    },
    "context_booster": {
        "n_trees": 20, "depth": 4, "n_columns": 30, "learning_rate": 0.3, "min_curvature": 2.0,
    },
    "context_raw_columns": 5,
    "border_booster": {"n_trees": 15, "depth": 4, "n_columns": 30, "min_curvature": 2.0},
    "borders": {"layers": [], "pixels_per_image": 300},
    "linear_below": 0,
    "n_iterations": 10,
    "C": 10.0,
}  # fmt: skip


def draw(number: int, n_classes: int = 4, size: tuple[int, int] = (60, 80), noise: float = 25.0):
    """Return an image and its mask: background with a disc or a box of each other class."""
    rng = np.random.default_rng([7, number])
    height, width = size
    y, x = np.mgrid[:height, :width]
    mask = np.zeros(size, np.uint8)
    for k in range(1, n_classes):
        row, column = rng.integers(12, height - 12), rng.integers(12, width - 12)
        radius = rng.integers(8, 14)
        near = np.hypot(y - row, x - column) < radius
        box = (abs(y - row) < radius) & (abs(x - column) < radius / 2)
        mask[near if k % 2 else box] = k
    image = COLOURS[mask % len(COLOURS)] + rng.normal(0, noise, (*size, 3))
    return np.clip(image, 0, 255).astype(np.uint8), mask


def class_items(count: int = 6, first: int = 0, n_classes: int = 4) -> list[LabelledImage]:
    pairs = [draw(first + k, n_classes) for k in range(count)]
    return [
        LabelledImage(f"drawn_{first + k:02d}", ArraySource(image), ArraySource(mask))
        for k, (image, mask) in enumerate(pairs)
    ]


def class_config(**changes) -> SegmentationConfig:
    return replace(SegmentationConfig.from_dict(SETTINGS), **changes)


@functools.cache
def _place():
    return tempfile.TemporaryDirectory(prefix="segboost-tests-")


def class_store() -> ArtefactStore:
    return ArtefactStore(Path(_place().name) / "cache")


@functools.cache
def trained_classes(method: str = "structboost", n_classes: int = 4):
    """Return a trained model of several classes, made once per process."""
    items, legend = class_items(n_classes=n_classes), default_legend(n_classes)
    return train_segmenter(items, class_config(method=method), class_store(), legend=legend)
