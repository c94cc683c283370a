"""Growth of the cost of training and of segmenting with the number of classes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from tests.benchmarks.figures import Figure, at_most, cpu_seconds

TITLE = "Classes: 24 CamVid images with their 11 classes merged into fewer, preset default"
MERGED = {
    2: [0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0],
    5: [0, 1, 1, 2, 2, 3, 1, 1, 4, 4, 4],
    11: list(range(11)),
}
"""The class that each of the 11 classes becomes, by number of classes."""
N_SEGMENTED = 8


def run() -> list[Figure]:
    from segboost.datasets import load_camvid
    from segboost.pipelines import SegmentationPipeline

    data = load_camvid(Path(os.environ["SEGBOOST_DATA"], "camvid"))
    train, test = data.train[::15][:24], data.validation[::12][:N_SEGMENTED]
    images = [item.image() for item in train]
    photographs = [item.image() for item in test]
    figures, training, segmenting = [], {}, {}
    for k, classes in MERGED.items():
        table = np.full(256, 255, np.uint8)
        table[:11] = classes
        pipeline = SegmentationPipeline("default")
        masks = [table[item.mask()] for item in train]
        training[k], _ = cpu_seconds(lambda p=pipeline, m=masks: p.fit(images, m))
        pipeline.predict(photographs[0])
        total, _ = cpu_seconds(lambda p=pipeline: [p.predict(i) for i in photographs])
        segmenting[k] = total / len(photographs)
        figures += [
            Figure(f"{k} classes: train, CPU", training[k], "s"),
            Figure(f"{k} classes: segment, CPU per image", segmenting[k], "s"),
        ]
    for name, seconds in (("train", training), ("segment", segmenting)):
        figures.append(at_most(f"{name}: 11 classes to 2", seconds[11] / seconds[2], 5.5, "times"))
    return figures
