"""Pages that are larger than training images, and models that segment them by tiles."""

from __future__ import annotations

import functools

import numpy as np

from segboost.datasets import load_synthetic
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.checked_training import StageReporter, check_and_train
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_class_models import draw
from tests.pipelines.segmentation.tiny_models import shared_cache


@functools.cache
def fast_model(linear_below):
    """Return a model of the preset fast, trained on tiny images: linear, or trees and context."""
    small = {"n_trees": 20, "depth": 4, "n_columns": 100, "learning_rate": 0.3}
    config = SegmentationConfig.from_dict(
        {
            "preset": "fast",
            "linear_below": linear_below,
            "unary": {"n_folds": 2},
            "tree_booster": {**small, "min_curvature": 2.0},
            "context_booster": {**small, "min_curvature": 2.0},
            "C": 10.0,
            "n_iterations": 20,
        }
    )
    items = load_synthetic(6, 1, height=120, width=160).train
    with StageReporter(QuietProgress()) as report:
        return check_and_train(items, config, ArtefactStore(shared_cache()), 1, report).model


@functools.cache
def page_pixels():
    items = load_synthetic(1, 8, height=150, width=275).test
    rows = [np.concatenate([item.image() for item in items[n : n + 4]], axis=1) for n in (0, 4)]
    return np.concatenate(rows)


@functools.cache
def drawn_page():
    rows = [np.concatenate([draw(14 * n + k)[0] for k in range(14)], axis=1) for n in range(5)]
    return np.concatenate(rows)
