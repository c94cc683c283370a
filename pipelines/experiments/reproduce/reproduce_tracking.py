"""Re-run the paper's tracking experiments: every method on every sequence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segboost._version import __version__
from segboost.datasets.tracks.otb import TrackingSequence
from segboost.pipelines.experiments.published.paper_tracking import (
    PAPER_CENTRE_ERROR,
    PAPER_OVERLAP,
    PUBLISHED_OVERLAP,
    SEQUENCES,
    paper_figure,
)
from segboost.pipelines.experiments.results.run_files import QUICK_NOTE
from segboost.pipelines.tracking.methods import make_tracker
from segboost.pipelines.tracking.metrics import score_track
from segboost.pipelines.tracking.output import write_boxes
from segboost.pipelines.tracking.run import follow
from segboost.progress import Progress, track
from segboost.storage.whole_file import write_whole
from segboost.tracking.base import Tracker
from segboost.tracking.opencv import OpenCVMissingError

METHODS = ("structboost", "adaboost", "struck", "fragments", "mil", "boosting")
NOTE = (
    "One-pass evaluation from the first box on the boxes of OTB; the paper used older "
    "annotations. Published: results on the same boxes that came with OTB. Centre errors are in "
    "pixels of these frames."
)
QUICK_FRAMES = 25
FORMAT = 2
"""Increased when other figures are stored, so that older results are measured again."""


@dataclass(frozen=True)
class TrackingRow:
    """One method on one sequence; None for figures that were not published."""

    method: str
    sequence: str
    paper_overlap: float | None
    paper_centre_error: float | None
    published_overlap: float | None
    ours: dict[str, Any]


@dataclass(frozen=True)
class TrackingTable:
    """All rows, and the methods that could not be run, each with the reason."""

    rows: list[TrackingRow]
    left_out: dict[str, str]
    n_given: int
    quick: bool


def reproduce_tracking(
    sequences: Sequence[TrackingSequence],
    output: Path,
    progress: Progress,
    methods: Sequence[str] = METHODS,
    n_given: int = 1,
    seed: int = 0,
    quick: bool = False,
) -> TrackingTable:
    """Run every method on every sequence, reusing earlier measurements.

    A measurement is reused if the version, the settings and the boxes are the same. After a
    change of the code itself, use another folder.

    Parameters
    ----------
    sequences : sequence of TrackingSequence
    output : Path
        Folder for one CSV and one JSON file per row, ``table.json`` and ``table.md``.
    progress : Progress
    methods : sequence of str
    n_given : int
        Number of given boxes: 1 is OTB's one-pass evaluation, 3 the paper's initialisation.
    seed : int
    quick : bool
        A few frames of each: a check that everything works, not a measurement.
    """
    output.mkdir(parents=True, exist_ok=True)
    rows: list[TrackingRow] = []
    left_out: dict[str, str] = {}
    jobs = [(method, sequence) for method in methods for sequence in sequences]
    for method, sequence in track(iter(jobs), progress, "tracking", len(jobs)):
        if method in left_out:
            continue
        try:
            ours = _measured(output, method, sequence, n_given, seed, quick)
        except OpenCVMissingError as error:
            left_out[method] = str(error)
            continue
        rows.append(_row(method, sequence.name, ours))
    table = TrackingTable(rows, left_out, n_given, quick)
    write_whole(output / "table.json", json.dumps(to_document(table), indent=1).encode())
    write_whole(output / "table.md", to_markdown(table).encode())
    return table


def to_document(table: TrackingTable) -> dict[str, Any]:
    """Return the table as plain JSON values."""
    return {
        "note": NOTE,
        "quick": table.quick,
        "given_boxes": table.n_given,
        "rows": [asdict(row) for row in table.rows],
        "means": means(table.rows),
        "left_out": table.left_out,
    }


def means(rows: Sequence[TrackingRow]) -> dict[str, dict[str, float | None]]:
    """Return each method's means over its sequences, of our figures and the published ones."""
    out: dict[str, dict[str, float | None]] = {}
    for method in dict.fromkeys(row.method for row in rows):
        own = [row for row in rows if row.method == method]
        out[method] = {
            "mean_overlap": _mean([row.ours["mean_overlap"] for row in own]),
            "mean_centre_error": _mean([row.ours["mean_centre_error"] for row in own]),
            "success_area": _mean([row.ours["success_area"] for row in own]),
            "precision_20px": _mean([row.ours["precision_20px"] for row in own]),
            "paper_overlap": _mean([row.paper_overlap for row in own]),
            "published_overlap": _mean([row.published_overlap for row in own]),
        }
    return out


def to_markdown(table: TrackingTable) -> str:
    """Return the table as Markdown: mean overlap, with the paper's and the published figure."""
    names = list(dict.fromkeys(row.sequence for row in table.rows))
    lines = [f"Mean overlap: ours (paper; published). {NOTE}", ""]
    if table.quick:
        lines += [QUICK_NOTE, ""]
    lines += ["| method | " + " | ".join([*names, "mean"]) + " |", "|---" * (len(names) + 2) + "|"]
    summary = means(table.rows)
    for method, mean in summary.items():
        found = {row.sequence: row for row in table.rows if row.method == method}
        cells = [
            _cell(r.ours["mean_overlap"], r.paper_overlap, r.published_overlap)
            for r in (found[n] for n in names if n in found)
        ]
        cells.append(_cell(mean["mean_overlap"], mean["paper_overlap"], mean["published_overlap"]))
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    if set(names) == set(SEQUENCES):
        for name in ("struck, second run", "vtd"):
            values = PUBLISHED_OVERLAP[name]
            cells = [f"({_show(paper_figure(PAPER_OVERLAP, name, n))}; {_show(v)})"
                     for n, v in zip(SEQUENCES, values, strict=True)]  # fmt: skip
            lines.append(
                f"| {name}, published only | "
                + " | ".join([*cells, f"({_show(_mean(values))})"])
                + " |"
            )
    lines += ["", "| method | centre error, px | success area | precision at 20 px | frames/s |"]
    lines += ["|---|---|---|---|---|"]
    for method, mean in summary.items():
        speeds = [row.ours["frames_per_second"] for row in table.rows if row.method == method]
        lines.append(
            f"| {method} | {mean['mean_centre_error']:.1f} | {mean['success_area']:.3f} | "
            f"{mean['precision_20px']:.3f} | {np.mean(speeds):.0f} |"
        )
    lines += [f"\n{name} left out: {why}" for name, why in table.left_out.items()]
    return "\n".join(lines) + "\n"


def output_names(
    sequences: Sequence[str], methods: Sequence[str], n_given: int, seed: int, quick: bool
) -> list[str]:
    """Return the names of the files that `reproduce_tracking` writes."""
    stems = [_stem(name, method, n_given, seed, quick) for name in sequences for method in methods]
    return ["table.json", "table.md", *(f"{s}.{e}" for s in stems for e in ("json", "csv"))]


def _stem(sequence: str, method: str, n_given: int, seed: int, quick: bool) -> str:
    return f"{sequence}-{method}-{n_given}-{seed}" + ("-quick" if quick else "")


def _measured(
    output: Path, method: str, sequence: TrackingSequence, n_given: int, seed: int, quick: bool
) -> dict[str, Any]:
    """Run a method on a sequence, or read the result of an earlier run with the same key."""
    stem = _stem(sequence.name, method, n_given, seed, quick)
    kept = output / f"{stem}.json"
    n = min(QUICK_FRAMES, len(sequence)) if quick else len(sequence)
    tracker = make_tracker(method, seed)
    key = _key(tracker, sequence, n)
    earlier = json.loads(kept.read_text()) if kept.is_file() else {}
    if earlier.get("key") == key:
        return dict(earlier["figures"])
    frames = (frame for frame, _ in zip(sequence.frames(), range(n), strict=False))
    try:
        found = follow(tracker, frames, sequence.boxes[:n_given].tolist())
    finally:
        tracker.close()
    scores = score_track(found.boxes, sequence.boxes[:n])
    write_boxes(output / f"{stem}.csv", found, scores)
    ours = scores.to_dict() | {
        "frames_per_second": round(found.frames_per_second, 2),
        "cpu_milliseconds_per_frame": round(1e3 * found.cpu / n, 2),
    }
    write_whole(kept, json.dumps({"key": key, "figures": ours}).encode())
    return ours


def _key(tracker: Tracker, sequence: TrackingSequence, n: int) -> dict[str, Any]:
    """Return the key of a measurement: figures with another key are measured again."""
    boxes = hashlib.sha256(np.ascontiguousarray(sequence.boxes).tobytes()).hexdigest()
    settings = repr(getattr(tracker, "settings", None))
    return {
        "version": __version__,
        "format": FORMAT,
        "settings": settings,
        "frames": n,
        "boxes": boxes,
    }


def _row(method: str, sequence: str, ours: dict[str, Any]) -> TrackingRow:
    return TrackingRow(
        method,
        sequence,
        paper_figure(PAPER_OVERLAP, method, sequence),
        paper_figure(PAPER_CENTRE_ERROR, method, sequence),
        paper_figure(PUBLISHED_OVERLAP, method, sequence),
        ours,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


def _cell(ours: float | None, paper: float | None, published: float | None) -> str:
    return f"{_show(ours)} ({_show(paper)}; {_show(published)})"


def _show(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
