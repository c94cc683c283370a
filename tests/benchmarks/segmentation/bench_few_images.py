"""Accuracy of `SegmentationPipeline` with 3, 10 and 30 training images, by preset.

SEGBOOST_FEW selects the runs, "preset:images:draws" separated by spaces; by default all, which
takes about two hours of CPU time, most of it for `classic`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.benchmarks.figures import Figure, cpu_seconds

TITLE = "Few images: Graz-02 bikes, every third test image, mean IoU"
PLAN = " ".join(f"{p}:{n}:5" for p in ("default", "fast", "classic") for n in (3, 10, 30))
EVERY = 3
"""Step between the test images that are segmented: 50 of the 150."""


def measure(data: object, preset: str, n_images: int, draw: int) -> tuple[float, float]:
    """Return the mean IoU and the CPU seconds of training, in this process."""
    from segboost.pipelines import SegmentationPipeline

    random = np.random.default_rng([n_images, draw])
    chosen = np.sort(random.permutation(len(data.train))[:n_images])
    train, test = [data.train[i] for i in chosen], data.test[::EVERY]
    pipeline = SegmentationPipeline(preset)
    seconds, _ = cpu_seconds(
        lambda: pipeline.fit([i.image() for i in train], [i.mask() for i in train])
    )
    scores = pipeline.evaluate([i.image() for i in test], [i.mask() for i in test])
    return 100 * scores.mean_iou, seconds


def summary(name: str, values: Sequence[float], seconds: Sequence[float]) -> list[Figure]:
    return [
        Figure(f"{name}: mean of {len(values)} draws", float(np.mean(values)), "%"),
        Figure(f"{name}: deviation", float(np.std(values, ddof=1)), "%"),
        Figure(f"{name}: lowest", min(values), "%"),
        Figure(f"{name}: highest", max(values), "%"),
        Figure(f"{name}: train, CPU", float(np.mean(seconds)), "s"),
    ]


def run() -> list[Figure]:
    from segboost.datasets import load_graz02

    data = load_graz02(Path(os.environ["SEGBOOST_DATA"], "graz02"), "bike")
    figures = []
    for entry in os.environ.get("SEGBOOST_FEW", PLAN).split():
        preset, n_images, n_draws = entry.split(":")
        found = [measure(data, preset, int(n_images), draw) for draw in range(int(n_draws))]
        figures += summary(f"{preset}, {n_images} images", *zip(*found, strict=True))
    return figures
