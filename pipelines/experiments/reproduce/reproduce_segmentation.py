"""Re-run the paper's segmentation experiment: every method on every category."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from segboost.datasets.base import SegmentationDataset
from segboost.features.presets import find_preset
from segboost.pipelines.experiments.published.paper_segmentation import CATEGORIES, PAPER
from segboost.pipelines.experiments.results.paired_bootstrap import Interval, paired_difference
from segboost.pipelines.experiments.results.run_files import QUICK_NOTE
from segboost.pipelines.segmentation.config.segmentation_config import (
    Method,
    SegmentationConfig,
)
from segboost.pipelines.segmentation.config.stage_settings import UnarySettings
from segboost.pipelines.segmentation.evaluation import Evaluation
from segboost.pipelines.segmentation.metrics.predictions import Scores
from segboost.pipelines.segmentation.training_run import run_training
from segboost.progress import Progress
from segboost.storage.whole_file import write_whole

MEASURES = {
    "mean_iou": "intersection/union, mean",
    "iou_foreground": "intersection/union, foreground",
    "iou_background": "intersection/union, background",
    "mean_recall": "recall (pixel accuracy in the paper), mean",
    "recall_foreground": "recall, foreground",
    "recall_background": "recall, background",
    "break_even": "precision = recall",
}
MASKS_NOTE = (
    "The masks in use today (IG02 v1.0) have a little less foreground than the paper's table "
    "implies: the figures are not exactly comparable."
)
QUICK_TRAIN, QUICK_TEST = 16, 8

Load = Callable[[str], SegmentationDataset]


@dataclass(frozen=True)
class SegmentationRow:
    """One method on one category: the paper's figures and ours, in per cent.

    `paper` is None if the paper has no such row; ours has None for undefined measures.
    `without_leaks` leaves out the test images whose photograph is also a training image; None if
    there are none. `behind` is the first method's mean IoU minus this one's, with a paired
    bootstrap interval; None for the first method.
    """

    method: str
    category: str
    paper: dict[str, float] | None
    ours: dict[str, float | None]
    n_images: int
    without_leaks: dict[str, float | None] | None = None
    behind: Interval | None = None


def reproduce_segmentation(
    load: Load,
    preset: str,
    output: Path,
    cache: Path,
    n_jobs: int,
    progress: Progress,
    quick: bool = False,
    categories: Sequence[str] = CATEGORIES,
    methods: Sequence[Method] | None = None,
    seed: int = 0,
) -> list[SegmentationRow]:
    """Train every method on every category and return the table.

    All methods of a category share the cached superpixels, features and unaries, so that the
    table compares only the learning. Results are cached: an interrupted run resumes.

    Parameters
    ----------
    load : callable
        Returns the data set of a category, given its name.
    preset : "default", "fast", "classic" or "paper"
    output : Path
        Folder for one model folder per row, ``table.json`` and ``table.md``.
    cache : Path
    n_jobs : int
    progress : Progress
    quick : bool
        Only a few images, stumps and trees: a check that everything works, not a measurement.
    categories : sequence of str
    methods : sequence of str, optional
        By default the paper's methods if the preset has visual words; otherwise the two that
        learn a CRF, and the unary potential alone.
    seed : int
    """
    rows = []
    for category in categories:
        data = load(category)
        if quick:
            data = replace(data, train=data.train[:QUICK_TRAIN], test=data.test[:QUICK_TEST])
        first: Evaluation | None = None
        for method in methods or methods_of(preset):
            config = _config(preset, method, seed, quick)
            folder = output / f"{preset}-{category}-{method}"
            options = {"category": category, "preset": preset, "method": method, "quick": quick}
            run = run_training(data, config, folder, cache, n_jobs, progress, options)
            assert run.evaluation is not None
            rows.append(_row(method, category, run.evaluation, data.leaks, first))
            first = first or run.evaluation
    write_whole(output / "table.json", json.dumps(to_document(rows, preset, quick)).encode())
    write_whole(output / "table.md", to_markdown(rows, preset, quick).encode())
    return rows


def methods_of(preset: str) -> tuple[Method, ...]:
    """Return the methods compared for a preset, the reference method first."""
    if any(group.name == "words" for group in find_preset(preset).groups):
        return ("structboost", "ssvm", "adaboost", "svm")
    return ("structboost", "ssvm", "trees")


def to_document(rows: Sequence[SegmentationRow], preset: str, quick: bool) -> dict[str, Any]:
    """Return the table as plain JSON values."""
    return {
        "preset": preset,
        "quick": quick,
        "unit": "per cent",
        "note": MASKS_NOTE,
        "rows": [asdict(row) for row in rows],
    }


def to_markdown(rows: Sequence[SegmentationRow], preset: str, quick: bool) -> str:
    """Return the table as Markdown: ours, with the paper's figure in brackets."""
    categories = list(dict.fromkeys(row.category for row in rows))
    lines = [f"Preset `{preset}`, per cent, the paper's figure in brackets. {MASKS_NOTE}", ""]
    if quick:
        lines += [QUICK_NOTE, ""]
    for key, title in MEASURES.items():
        lines += [f"| {title} | " + " | ".join(categories) + " |"]
        lines += ["|---" * (len(categories) + 1) + "|"]
        for method in dict.fromkeys(row.method for row in rows):
            found = {row.category: row for row in rows if row.method == method}
            cells = [_cell(found[c], key) if c in found else "" for c in categories]
            lines.append(f"| {method} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += [_behind_line(rows[0].method, row) for row in rows if row.behind is not None]
    lines += [_leak_line(row) for row in rows if row.without_leaks is not None]
    return "\n".join(lines)


def _behind_line(first: str, row: SegmentationRow) -> str:
    return (
        f"- {first} minus {row.method} on {row.category}, points of mean intersection/union with "
        f"a 95 % interval over test images: {row.behind}."
    )


def _leak_line(row: SegmentationRow) -> str:
    assert row.without_leaks is not None
    iou, even = row.without_leaks["mean_iou"], row.without_leaks["break_even"]
    return (
        f"- {row.method} on {row.category} without the test image that is also a training image: "
        f"mean intersection/union {iou:.1f}, precision = recall {even:.1f}."
    )


def _cell(row: SegmentationRow, key: str) -> str:
    value = row.ours[key]
    ours = "–" if value is None else f"{value:.1f}"
    return ours if row.paper is None else f"{ours} ({row.paper[key]:.1f})"


def _row(
    method: str,
    category: str,
    found: Evaluation,
    leaks: Sequence[str],
    first: Evaluation | None,
) -> SegmentationRow:
    paper = PAPER.get(method, {}).get(category)
    present = [name for name in leaks if name in found.images]
    return SegmentationRow(
        method,
        category,
        None if paper is None else asdict(paper),
        _per_cent(found.scores),
        found.scores.n_images,
        _per_cent(found.without(present)) if present else None,
        None if first is None else paired_difference(first.predictions, found.predictions),
    )


def _per_cent(scores: Scores) -> dict[str, float | None]:
    values: dict[str, Any] = scores.to_dict()
    return {key: None if values[key] is None else 100.0 * float(values[key]) for key in MEASURES}


def _config(preset: str, method: Method, seed: int, quick: bool) -> SegmentationConfig:
    config = SegmentationConfig.for_preset(preset, method=method, seed=seed)
    if not quick:
        return config
    return replace(
        config,
        unary=UnarySettings(n_stumps=100, n_folds=3),
        linear_below=0,
        tree_booster=replace(config.tree_booster, n_trees=50),
        context_booster=replace(config.context_booster, n_trees=50),
        C_choices=(0.5, 10.0),
        losses=("pixels",),
        n_iterations=20,
    )
