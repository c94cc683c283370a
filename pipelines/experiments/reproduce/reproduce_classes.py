"""Compare StructBoost, a structured SVM and the unaries alone on the classes of CamVid."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from segboost.datasets.base import SegmentationDataset
from segboost.io.legend import ClassLegend
from segboost.pipelines.experiments.published.camvid import CAMVID_ROWS, PublishedRow
from segboost.pipelines.experiments.results.paired_bootstrap import (
    Interval,
    Measure,
    interval,
    paired_difference,
)
from segboost.pipelines.experiments.results.run_files import QUICK_NOTE
from segboost.pipelines.segmentation.config.segmentation_config import (
    Method,
    SegmentationConfig,
)
from segboost.pipelines.segmentation.evaluation import Evaluation
from segboost.pipelines.segmentation.training_run import run_training
from segboost.progress import Progress
from segboost.storage.whole_file import write_whole

MEASURES: dict[Measure, str] = {
    "mean_recall": "class average recall",
    "accuracy": "global accuracy",
    "mean_iou": "mean IoU",
}
METHODS: tuple[Method, ...] = ("structboost", "ssvm", "trees")
NAMES = {
    "structboost": "StructBoost",
    "ssvm": "structured SVM",
    "trees": "unaries alone (boosted trees)",
}
QUICK_TRAIN, QUICK_TEST = 12, 6


@dataclass(frozen=True)
class ClassRow:
    """One method on the test images, in per cent.

    Parameters
    ----------
    method : str
    scores : dict of measure to Interval
        Each with its 95 % interval, by a bootstrap over images.
    behind : dict of measure to Interval, or None
        The first method minus this one, by a paired bootstrap; None for the first.
    classes : list of dict
        IoU and recall of every class, as fractions.
    n_train, n_images : int
        Training and test images.
    """

    method: str
    scores: dict[str, Interval]
    behind: dict[str, Interval] | None
    classes: list[dict[str, Any]]
    n_train: int
    n_images: int


@dataclass(frozen=True)
class ClassTable:
    """Our rows beside the published ones."""

    dataset: str
    preset: str
    quick: bool
    rows: list[ClassRow]
    legend: ClassLegend

    @property
    def published(self) -> tuple[PublishedRow, ...]:
        """Published figures on the same test images; none for other data sets."""
        return CAMVID_ROWS if self.dataset == "camvid" else ()

    def to_document(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "dataset": self.dataset,
            "preset": self.preset,
            "quick": self.quick,
            "unit": "per cent",
            "rows": [asdict(row) for row in self.rows],
            "published": [asdict(row) for row in self.published],
        }

    def to_markdown(self) -> str:
        """Return the table as Markdown, with intervals of our rows."""
        lines = [
            f"Data set `{self.dataset}`, preset `{self.preset}`, per cent over all pixels of "
            f"{self.rows[0].n_images} test images; in brackets 95 % intervals by a bootstrap over "
            "images.",
            "",
        ]
        if self.quick:
            lines += [QUICK_NOTE, ""]
        lines += [f"| | {' | '.join(MEASURES.values())} |", "|---" * (len(MEASURES) + 1) + "|"]
        for theirs in self.published:
            cells = [_plain(getattr(theirs, measure)) for measure in MEASURES]
            lines.append(f"| {theirs.method} (published) | {' | '.join(cells)} |")
        for row in self.rows:
            cells = [_with_interval(row.scores[measure]) for measure in MEASURES]
            lines.append(f"| {NAMES.get(row.method, row.method)} | {' | '.join(cells)} |")
        return "\n".join([*lines, "", *self._class_lines(), "", *self._behind_lines()])

    def _class_lines(self) -> list[str]:
        heads = [f"{NAMES.get(r.method, r.method)} IoU | recall" for r in self.rows]
        lines = [f"| class | {' | '.join(heads)} |", "|---" * (2 * len(self.rows) + 1) + "|"]
        for k, name in enumerate(self.legend.names):
            cells = [
                _plain(None if row.classes[k][part] is None else 100 * row.classes[k][part])
                for row in self.rows
                for part in ("iou", "recall")
            ]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        return lines

    def _behind_lines(self) -> list[str]:
        first = NAMES.get(self.rows[0].method, self.rows[0].method)
        return [
            f"- {first} minus {NAMES.get(row.method, row.method)}, points of {title} with a 95 % "
            f"interval of a paired bootstrap over test images: {row.behind[measure]}."
            for row in self.rows
            if row.behind is not None
            for measure, title in MEASURES.items()
        ]


def reproduce_classes(
    data: SegmentationDataset,
    preset: str,
    output: Path,
    cache: Path,
    n_jobs: int,
    progress: Progress,
    quick: bool = False,
    methods: Sequence[Method] = METHODS,
    seed: int = 0,
) -> ClassTable:
    """Train every method on a data set of several classes and return the table.

    All methods share the cached superpixels, features and unaries, so that the table compares
    only the learning. Results are cached: an interrupted run resumes.

    Parameters
    ----------
    data : SegmentationDataset
    preset : "default" or "fast"
    output : Path
        Folder for one model folder per row, ``table.json`` and ``table.md``.
    cache : Path
    n_jobs : int
    progress : Progress
    quick : bool
        Only a few images, trees and rounds: a check that everything works, not a measurement.
    methods : sequence of str
        The others are compared with the first.
    seed : int
    """
    if quick:
        data = replace(data, train=data.train[:QUICK_TRAIN], test=data.test[:QUICK_TEST])
    rows: list[ClassRow] = []
    first: Evaluation | None = None
    for method in methods:
        config = _config(preset, method, seed, quick)
        folder = output / f"{preset}-{method}"
        options = {"dataset": data.name, "preset": preset, "method": method, "quick": quick}
        run = run_training(data, config, folder, cache, n_jobs, progress, options)
        assert run.evaluation is not None
        rows.append(_row(method, run.evaluation, first, len(data.train)))
        first = first or run.evaluation
    table = ClassTable(data.name, preset, quick, rows, data.legend)
    write_whole(output / "table.json", json.dumps(table.to_document(), allow_nan=False).encode())
    write_whole(output / "table.md", table.to_markdown().encode())
    return table


def _row(method: str, found: Evaluation, first: Evaluation | None, n_train: int) -> ClassRow:
    behind = None
    if first is not None:
        behind = {
            str(measure): paired_difference(first.predictions, found.predictions, measure=measure)
            for measure in MEASURES
        }
    scores = {str(measure): interval(found.predictions, measure=measure) for measure in MEASURES}
    classes = found.matrix.class_rows(found.legend.names)
    return ClassRow(method, scores, behind, classes, n_train, found.scores.n_images)


def _config(preset: str, method: Method, seed: int, quick: bool) -> SegmentationConfig:
    config = SegmentationConfig.for_preset(preset, method=method, seed=seed)
    if not quick:
        return config
    return replace(
        config,
        tree_booster=replace(config.tree_booster, n_trees=20),
        context_booster=replace(config.context_booster, n_trees=20),
        border_booster=replace(config.border_booster, n_trees=20),
        C_choices=(1.0, 10.0),
        losses=("pixels",),
        n_iterations=10,
    )


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _with_interval(value: Interval) -> str:
    return f"{value.points:.1f} [{value.low:.1f}, {value.high:.1f}]"
