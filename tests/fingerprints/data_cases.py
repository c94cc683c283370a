"""Segmenters and trackers on real images."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from segboost.datasets import load_graz02, read_image
from segboost.pipelines import SegmentationPipeline
from tests.fingerprints.fingerprint import case
from tests.fingerprints.image_cases import image_predictions, track
from tests.pipelines.segmentation.tiny_models import SETTINGS


def data_folder(name):
    """Return a folder below SEGBOOST_DATA; skip the test if it is missing."""
    folder = Path(os.environ.get("SEGBOOST_DATA", ""), name)
    if "SEGBOOST_DATA" not in os.environ or not folder.is_dir():
        pytest.skip(f"SEGBOOST_DATA is not set or holds no {name}")
    return folder


@case("data: Graz-02 bike")
def graz02():
    data = load_graz02(data_folder("graz02"), "bike")
    settings = {**SETTINGS, "longest_side": 128}
    model = SegmentationPipeline(C=10.0, settings=settings)
    model.fit([i.image() for i in data.train[:6]], [i.mask() for i in data.train[:6]])
    return image_predictions(model, [i.image() for i in data.test[:2]])


@case("data: David")
def david():
    folder = data_folder("tracking/David/img")
    frames = [read_image(path) for path in sorted(folder.iterdir())[:8]]
    return track(frames, (128.0, 79.0, 64.0, 78.0))
