"""``segboost label``: the accuracy that a simulated user reaches with a few strokes.

The user paints at most three foreground and three background strokes on one training image, drawn
at random, and continues with the image that the page offers next, or, for comparison, with a
random one. The live model is refitted after every image; the full model is trained on the images
that were offered, at each of the numbers in `COUNTS`. Figures are means over three first images.

Features and trained rounds are cached in $SEGBOOST_BENCH_CACHE (default:
bench-results/label-cache), so an interrupted run can be resumed; a round is repeated if the code
has changed. SEGBOOST_BENCH_LIVE leaves out the full model; SEGBOOST_BENCH_SMOKE replaces the
photographs by tiny scenes, as a smoke test.
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

TITLE = "Label: Graz-02 bikes, learned from strokes on 1 to 40 images"

COUNTS = (1, 3, 5, 10, 20, 40)
TARGET = {10: 84.0, 20: 86.0, 40: 87.5}
LIVE_TARGET = {10: 82.0, 20: 84.0, 40: 85.5}
SEEDS = (0, 1, 2)
LIVE_ALONE = "SEGBOOST_BENCH_LIVE" in os.environ
SMOKE = "SEGBOOST_BENCH_SMOKE" in os.environ
ROUND = "label-round"

Rounds = dict[int, list[tuple[float, float]]]
"""Mean IoU in % and CPU seconds of the full model, for every first image, by number of images."""


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
    from segboost.pipelines.runtime.single_thread import single_threaded
    from segboost.pipelines.segmentation.stages.features import extract_all, feature_stage

    train, test, config, counts = setting()
    store = ForgetfulStore(cache())
    with single_threaded():
        stage = feature_stage(train, config, store, tell)
        extract_all(stage, [*train, *test], 1, tell)
        painter = LivePainter(train, test, stage)
        offered = [painter.paint(counts, seed, offered=True) for seed in SEEDS]
        drawn = [painter.paint(counts, seed, offered=False) for seed in SEEDS]
        figures = [*live_figures(counts, offered, drawn)]
        rounds: Rounds = {}
        for count in () if LIVE_ALONE else counts:
            rounds[count] = []
            for curve in offered:
                items = [ScribbledImage(train[k]) for k in sorted(curve.chosen[:count])]
                rounds[count].append(Round(items, train, test, config, store, stage).cached())
        figures += full_figures(rounds)
    write_table(counts, offered, drawn, rounds)
    return figures


@dataclass(frozen=True, eq=False)
class Curve:
    """The painted images in order; mean IoU in % and CPU seconds of the fit by their number."""

    chosen: Sequence[int]
    score: dict[int, float]
    spent: dict[int, float]


class LivePainter:
    """Paints one image after the other and refits the live model, as the page does."""

    def __init__(self, train: Sequence[object], test: Sequence[object], stage: object) -> None:
        self.train = [described(stage, item) for item in train]
        self.test = [(described(stage, item), item) for item in test]
        self.items = train
        self.means = np.stack([d.table.mean(axis=0) for d in self.train]).astype(np.float32)

    def paint(self, counts: Sequence[int], seed: int, offered: bool) -> Curve:
        """Return the curve of a user who takes the image that is offered, or a random one."""
        from segboost.label.live.fitting import fit_painted, probabilities
        from segboost.label.live.offering import offer_gain
        from segboost.label.live.painted import painted_rows
        from segboost.label.prediction import mean_entropy

        rng = np.random.default_rng(seed)
        order = rng.permutation(len(self.train)).tolist()
        chosen, rows, model, score, spent = order[:1], {}, None, {}, {}
        for count in range(1, max(counts) + 1):
            k = chosen[-1]
            rows[k] = painted_rows(self.train[k], scribble(self.items[k].mask()), 2)
            start = time.process_time()
            model = fit_painted([rows[k] for k in sorted(rows)], 2, model)
            spent[count] = time.process_time() - start
            if count in counts:
                score[count] = self.measure(model)
                tell(Report("live", count, None, f"{score[count]:.1f} %"))
            rest = [k for k in order if k not in rows]
            if offered and rest:
                unsure = np.array(
                    [
                        mean_entropy(probabilities(model.logits(d.table)), d.image.area)
                        for d in self.train
                    ]
                )
                known = np.isin(np.arange(len(order)), list(rows))
                chosen.append(int(np.argmax(offer_gain(self.means, unsure, known))))
            elif rest:
                chosen.append(rest[0])
        return Curve(chosen, score, spent)

    def measure(self, model: object) -> float:
        """Return the mean IoU in % on the test images."""
        from segboost.label.live.fitting import smooth
        from segboost.pipelines.segmentation.metrics.scores import SegmentationEvaluation

        total = SegmentationEvaluation()
        for found, item in self.test:
            logits = model.logits(found.table)
            label = smooth(found.image, logits)
            truth = found.image.with_truth(item.mask()).truth
            total.add_regions(label == 1, *truth, logits[:, 1] - logits[:, 0])
        return 100 * total.result().mean_iou


def described(stage: object, item: object) -> object:
    from segboost.label.live.painted import DescribedImage

    table = np.concatenate([stage.group(item, g.name) for g in stage.preset.groups], axis=1)
    return DescribedImage(stage.graph(item, with_truth=False), table)


def _images(count: int) -> str:
    return "1 image" if count == 1 else f"{count} images"


def live_figures(
    counts: Sequence[int], offered: Sequence[Curve], drawn: Sequence[Curve]
) -> Iterator[Figure]:
    for count in counts:
        name = f"mean IoU on the test images, live model, {_images(count)} with strokes"
        score = float(np.mean([c.score[count] for c in offered]))
        goal = None if SMOKE else LIVE_TARGET.get(count)
        yield Figure(name, score, "%") if goal is None else at_least(name, score, goal, "%")
        random = float(np.mean([c.score[count] for c in drawn]))
        yield Figure(f"the same with random images, {count}", random, "%")
        yield Figure(f"CPU time of a live fit, {_images(count)}", offered[0].spent[count], "s")


def full_figures(rounds: Rounds) -> Iterator[Figure]:
    for count, made in rounds.items():
        score, spent = np.mean(made, axis=0).tolist()
        goal = None if SMOKE else TARGET.get(count)
        name = f"mean IoU on the test images, full model, {_images(count)} with strokes"
        yield Figure(name, score, "%") if goal is None else at_least(name, score, goal, "%")
        yield Figure(f"CPU time of training, {_images(count)}", spent, "s")


def write_table(
    counts: Sequence[int],
    offered: Sequence[Curve],
    drawn: Sequence[Curve],
    rounds: Rounds,
) -> None:
    rows = ["| images with strokes | live, offered | live, random | full, offered | CPU time |"]
    rows += ["|---|---|---|---|---|"]
    for count in counts:
        shown = [" / ".join(f"{c.score[count]:.1f}" for c in curves) for curves in (offered, drawn)]
        full = " / ".join(f"{score:.1f}" for score, _ in rounds.get(count, []))
        spent = " / ".join(f"{seconds:.0f}" for _, seconds in rounds.get(count, []))
        rows += [f"| {count} | {shown[0]} | {shown[1]} | {full} | {spent} s |"]
    table = "\n".join(rows) + "\n"
    (cache() / "table.md").write_text(table)
    print(table, file=sys.stderr, flush=True)


@dataclass(frozen=True, eq=False)
class Round:
    """Train the full model once and score the test images."""

    items: Sequence[ScribbledImage]
    train: Sequence[object]
    test: Sequence[object]
    config: object
    store: ArtefactStore
    stage: object

    def cached(self) -> tuple[float, float]:
        """Return the mean IoU in % and the CPU seconds of training."""
        keys = [k for i in self.items for k in (i.image_key(), i.mask_key())]
        asked = [i.image_key() for i in self.test]
        parts = KeyParts(
            {"config": self.config.to_dict()},
            (code_key(), self.stage.codebook_key, *keys, *asked),
        )
        made = self.store.get_or_make(ROUND, parts, self.make)
        return made.document["score"], made.document["spent"]

    def make(self) -> Artefact:
        from segboost.pipelines.segmentation.training import train_segmenter

        start = time.process_time()
        trained = train_segmenter(self.items, self.config, self.store, 1, vocabulary=self.train)
        spent = time.process_time() - start
        score = 100 * mean_iou(trained.model, self.stage, self.test)
        tell(Report("trained", len(self.items), None, f"{score:.1f} % after {spent:.0f} s"))
        return Artefact({}, {"score": score, "spent": spent})


def setting() -> tuple[Sequence[object], Sequence[object], object, Sequence[int]]:
    """Return training and test images, the settings, and the numbers of images to paint."""
    from segboost.datasets import load_graz02, load_synthetic

    if SMOKE:
        from tests.pipelines.segmentation.tiny_models import SETTINGS

        data = load_synthetic(9, 3, height=72, width=96)
        return data.train, data.test, label_config({**SETTINGS, "longest_side": None}), (2, 4)
    data = load_graz02(os.environ["SEGBOOST_DATA"], "bike")
    # The photographs are no larger than the default limit, so it does not affect their features.
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
    """Return the mean IoU over all pixels, with superpixels labelled as on the page."""
    from segboost.pipelines.segmentation.metrics.scores import SegmentationEvaluation

    total = SegmentationEvaluation()
    for item in items:
        image = stage.graph(item, with_truth=True)
        groups = {g.name: stage.group(item, g.name) for g in stage.preset.groups}
        image = replace(image, groups=groups)
        score = model.node_scores(image)
        total.add_regions(score > 0, *image.truth, score)
    return total.result().mean_iou
