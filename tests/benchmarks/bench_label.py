"""``segboost label``: the accuracy that a simulated user reaches with a few strokes.

The user paints at most three foreground and three background strokes on each of five training
images, trains, and continues with the images that the model is least certain about, training
again whenever the number of painted images has doubled.

Features and finished rounds are cached in $SEGBOOST_BENCH_CACHE (default:
bench-results/label-cache), so an interrupted run can be resumed; a round is repeated if the code
has changed. SEGBOOST_BENCH_SMOKE replaces the photographs by tiny scenes, as a smoke test.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from segboost.label.project import label_config
from segboost.pipelines.runtime.artefact_store import Artefact, ArtefactStore, KeyParts
from segboost.progress import Report
from tests.benchmarks.figures import Figure, at_least
from tests.benchmarks.problems.scribbles import scribble

TITLE = "Label: Graz-02 bikes, learned from strokes on 10, 20 and 40 images"

COUNTS = (5, 10, 20, 40)
TARGET = {20: 68.0}
SEED = 0
SMOKE = "SEGBOOST_BENCH_SMOKE" in os.environ
ROUND = "label-round"


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


class ForgetfulStore(ArtefactStore):
    """Caches features and rounds but nothing learned, so that times cover all of the training."""

    def get(self, stage: str, parts: KeyParts) -> Artefact | None:
        learned = ("unary", "trees", "context", "crf")
        return None if stage.startswith(learned) else super().get(stage, parts)


def run() -> list[Figure]:
    if SMOKE:
        print("smoke test on tiny scenes: the figures are meaningless", file=sys.stderr)
    elif "SEGBOOST_DATA" not in os.environ:
        return []
    figures, rows = [], []
    for count, score, spent in user_rounds():
        goal = None if SMOKE else TARGET.get(count)
        name = f"mean IoU on the test images, {count} images with strokes"
        figures += [Figure(name, score, "%") if goal is None else at_least(name, score, goal, "%")]
        figures += [Figure(f"CPU time of training, {count} images", spent, "s")]
        rows += [f"| {count} | {score:.1f} % | {spent:.0f} s |"]
    head = ["| images with strokes | mean IoU on the test images | CPU time of training |"]
    table = "\n".join([*head, "|---|---|---|", *rows]) + "\n"
    (cache() / "table.md").write_text(table)
    print(table, file=sys.stderr, flush=True)
    return figures


def user_rounds() -> Iterator[tuple[int, float, float]]:
    """Yield the number of painted images, the mean IoU on the test images in % and CPU seconds."""
    from segboost.pipelines.runtime.single_thread import single_threaded
    from segboost.pipelines.segmentation.stages.features import extract_all, feature_stage

    train, test, config, counts = setting()
    store = ForgetfulStore(cache())
    with single_threaded():
        stage = feature_stage(train, config, store, tell)
        extract_all(stage, [*train, *test], 1, tell)
        code = code_key()
        rng = np.random.default_rng(SEED)
        chosen = sorted(rng.choice(len(train), counts[0], replace=False).tolist())
        for count, following in zip(counts, [*counts[1:], None], strict=True):
            items = [ScribbledImage(train[k]) for k in sorted(chosen)]
            rest = [k for k in range(len(train)) if k not in chosen]
            keys = [k for i in items for k in (i.image_key(), i.mask_key())]
            asked = [i.image_key() for i in (*test, *(train[k] for k in rest))]
            parts = KeyParts(
                {"config": config.to_dict()}, (code, stage.codebook_key, *keys, *asked)
            )
            made = store.get_or_make(
                ROUND, parts, Round(items, train, rest, test, config, store, stage).make
            )
            if count != counts[0]:
                yield count, made.document["score"], made.document["spent"]
            if following is not None:
                order = np.argsort(-made.arrays["uncertainty"], kind="stable")
                chosen += [rest[k] for k in order[: following - count]]


@dataclass(frozen=True, eq=False)
class Round:
    """Train once, score the test images, and measure the uncertainty on unpainted images."""

    items: Sequence[ScribbledImage]
    train: Sequence[object]
    rest: Sequence[int]
    test: Sequence[object]
    config: object
    store: ArtefactStore
    stage: object

    def make(self) -> Artefact:
        from segboost.label.prediction import predict_image
        from segboost.pipelines.segmentation.training import train_segmenter

        start = time.process_time()
        trained = train_segmenter(self.items, self.config, self.store, 1, vocabulary=self.train)
        spent = time.process_time() - start
        score = 100 * mean_iou(trained.model, self.stage, self.test)
        tell(Report("trained", len(self.items), None, f"{score:.1f} % after {spent:.0f} s"))
        asked = [predict_image(trained.model, self.stage, self.train[k]) for k in self.rest]
        unsure = np.array([found.uncertainty for found in asked])
        return Artefact({"uncertainty": unsure}, {"score": score, "spent": spent})


def setting() -> tuple[Sequence[object], Sequence[object], object, Sequence[int]]:
    """Return training and test images, the settings, and the numbers of images to paint."""
    from segboost.datasets import load_graz02, load_synthetic

    if SMOKE:
        from tests.pipelines.segmentation.segmentation_sets import SETTINGS

        data = load_synthetic(9, 3, height=72, width=96)
        return data.train, data.test, label_config({**SETTINGS, "longest_side": None}), (2, 4, 8)
    data = load_graz02(os.environ["SEGBOOST_DATA"], "bike")
    # Features of images that are no larger than that do not depend on it.
    return data.train, data.test, replace(label_config(), longest_side=None), COUNTS


def cache() -> Path:
    place = Path(os.environ.get("SEGBOOST_BENCH_CACHE", "bench-results/label-cache"))
    place.mkdir(parents=True, exist_ok=True)
    return place


def code_key() -> str:
    """Return a digest of the package's source."""
    import segboost

    found = hashlib.sha256()
    for top, _, names in sorted(os.walk(Path(segboost.__file__).parent, followlinks=True)):
        for name in sorted(n for n in names if n.endswith(".py")):
            found.update(Path(top, name).read_bytes())
    return found.hexdigest()


def tell(report: Report, /) -> None:
    if report.total is None or report.done % 50 == 0 or report.done == report.total:
        of = "" if report.total is None else f" of {report.total}"
        line = f"{report.stage}: {report.done}{of} {report.message}"
        print(line.rstrip(), file=sys.stderr, flush=True)


def mean_iou(model: object, stage: object, items: Sequence[object]) -> float:
    """Return the mean IoU over all pixels of images whose features are cached."""
    from segboost.pipelines.segmentation.evaluation import EvaluationCache
    from segboost.pipelines.segmentation.metrics.scores import SegmentationEvaluation

    total = SegmentationEvaluation()
    cached = EvaluationCache(stage, "")
    for item in items:
        image = cached.image(item).with_truth(item.mask())
        score = model.node_scores(image)
        total.add_regions(score > 0, *image.truth, score)
    return total.result().mean_iou
