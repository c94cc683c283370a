"""``segboost label``: what a simulated user gets for some strokes, and how long he waits.

He paints at most three strokes of foreground and three of background on each of five images of the
training part, trains, and goes on with those images that the model is least certain of. He trains
again whenever the number of painted images has doubled.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

from tests.benchmarks.figures import Figure, at_least, at_most
from tests.benchmarks.scribbles import scribble

TITLE = "label: Graz-02 bikes from strokes on 10, 20 and 40 images; the time of training and list"

COUNTS = (5, 10, 20, 40)
TARGET = {20: 68.0}
SEED = 0


@dataclass(frozen=True, eq=False)
class ScribbledImage:
    """A training image with strokes instead of its mask."""

    item: object

    @property
    def name(self) -> str:
        return self.item.name

    def image(self) -> np.ndarray:
        return self.item.image()

    def mask(self) -> np.ndarray:
        return scribble(self.item.mask())

    def image_key(self) -> str:
        return self.item.image_key()

    def mask_key(self) -> str:
        return hashlib.sha256(self.mask().tobytes()).hexdigest()


def run() -> list[Figure]:
    return [*user_figures(), *list_figures()]


def user_figures() -> Iterator[Figure]:
    """The scores on the test images after some strokes, and the CPU time of each training."""
    if "SEGBOOST_DATA" not in os.environ:
        return
    from segboost.datasets import load_graz02
    from segboost.label.prediction import predict_image
    from segboost.label.project import label_config
    from segboost.pipelines.artefacts import ArtefactStore
    from segboost.pipelines.feature_stage import extract_all, feature_stage
    from segboost.pipelines.segmentation_training import train_segmenter
    from segboost.pipelines.single_thread import single_threaded

    data = load_graz02(os.environ["SEGBOOST_DATA"], "bike")
    # Features of images that are no larger than that do not depend on it.
    config = replace(label_config(), longest_side=None)
    with tempfile.TemporaryDirectory() as place, single_threaded():
        store = ArtefactStore(Path(os.environ.get("SEGBOOST_BENCH_CACHE", place)))
        stage = feature_stage(data.train, config, store, lambda *_: None)
        extract_all(stage, [*data.train, *data.test], 1, lambda *_: None)
        rng = np.random.default_rng(SEED)
        chosen = sorted(rng.choice(len(data.train), COUNTS[0], replace=False).tolist())
        for count, following in zip(COUNTS, [*COUNTS[1:], None], strict=True):
            items = [ScribbledImage(data.train[k]) for k in sorted(chosen)]
            start = time.process_time()
            model = train_segmenter(items, config, store, 1, vocabulary=data.train).model
            spent = time.process_time() - start
            if count in TARGET or count != COUNTS[0]:
                score = 100 * mean_iou(model, stage, data.test)
                name = f"mean IoU on the test images, {count} images with strokes"
                goal = TARGET.get(count)
                yield Figure(name, score, "%") if goal is None else at_least(name, score, goal, "%")
                yield Figure(f"CPU time of training, {count} images", spent, "s")
            if following is not None:
                rest = [k for k in range(len(data.train)) if k not in chosen]
                unsure = {k: predict_image(model, stage, data.train[k]).uncertainty for k in rest}
                chosen += sorted(rest, key=unsure.__getitem__)[::-1][: following - count]


def mean_iou(model: object, stage: object, items: Sequence[object]) -> float:
    """The mean IoU over all pixels of images whose features are in the store."""
    from segboost.pipelines.evaluation import EvaluationCache
    from segboost.pipelines.metrics import SegmentationEvaluation

    total = SegmentationEvaluation()
    cache = EvaluationCache(stage, "")
    for item in items:
        image = cache.image(item).with_truth(item.mask())
        score = model.node_scores(image)
        total.add_regions(score > 0, *image.truth, score)
    return total.result().mean_iou


def list_figures() -> Iterator[Figure]:
    """The list of a hundred photographs of 12 megapixels, with the thumbnails that are in view."""
    from segboost.label.session import LabelSession

    rng = np.random.default_rng(SEED)
    small = Image.fromarray(rng.integers(0, 256, (300, 400, 3), dtype=np.uint8))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        small.resize((4000, 3000)).save(folder / "photo_000.jpg", quality=90)
        for k in range(1, 100):
            os.link(folder / "photo_000.jpg", folder / f"photo_{k:03d}.jpg")
        start = time.process_time()
        session = LabelSession(folder, 0)
        state = session.state()
        listed = time.process_time() - start
        for entry in state["images"][:12]:
            session.thumbnail(session.images.get(entry["key"]))
        shown = time.process_time() - start
    yield at_most("CPU time, 100 images of 12 megapixels in the list", listed, 3.0, "s")
    yield at_most("CPU time, with the 12 thumbnails in view", shown, 3.0, "s")
