"""Re-run the paper's multi-class experiment, with today's common alternatives added."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segboost.pipelines.experiments.methods.multiclass_methods import (
    LEARNERS,
    Effort,
    curve_method,
    multiclass_methods,
)
from segboost.pipelines.experiments.protocol.table_method import TableMethod
from segboost.pipelines.experiments.protocol.table_protocol import (
    Cell,
    Chosen,
    Protocol,
    Spread,
    Tables,
    fit_cells,
    mean_of,
    run_protocol,
    spread,
)
from segboost.pipelines.experiments.published.paper_tables import PAPER_ERRORS
from segboost.pipelines.experiments.results.learning_curves import Panel, draw_panels
from segboost.pipelines.experiments.results.result_table import Entry, ResultTable
from segboost.progress import Progress
from segboost.storage.whole_file import write_whole

EFFORTS: Mapping[str, Effort] = {
    "satimage": Effort(stump=8, perceptron=8, sigmoid=8, tree=8, curve=30),
    "usps": Effort(stump=5, perceptron=10, sigmoid=6, tree=6, gap=3e-2, curve=20),
}
"""Large data sets are trained with fewer rounds than the default `Effort`, to save time."""
QUICK_EFFORT = Effort(stump=4, perceptron=4, sigmoid=4, tree=4, gap=3e-2, curve=8)
QUICK_SETS = ("glass", "svmguide2", "vowel")
NOTE = (
    "Test error in per cent, mean ± standard deviation over the repeats, the paper's figure in "
    "brackets. The files of a set are pooled and split at random into 50 / 25 / 25 %; parameters "
    "are chosen on the validation part."
)
QUICK_NOTE = "Made with `--quick`: a check that everything works, not a measurement."


@dataclass(frozen=True)
class MulticlassRun:
    """The table and the choices behind it."""

    table: ResultTable
    chosen: Sequence[Chosen]
    quick: bool

    def to_document(self) -> dict[str, Any]:
        """Return the table as plain JSON values."""
        return {"experiment": "multiclass", "quick": self.quick, "unit": "per cent",
                **self.table.to_document()}  # fmt: skip


def reproduce_multiclass(
    tables: Tables,
    output: Path,
    cache: Path,
    n_jobs: int,
    progress: Progress,
    quick: bool = False,
    seed: int = 0,
) -> MulticlassRun:
    """Fit all methods on all data sets; write the tables and the learning curves.

    Parameters
    ----------
    tables : mapping of name to (X, y)
    output : Path
        Folder for table.json, table.md, table.txt, choices.json, times.json and the curves. All
        but times.json are byte-identical for any `n_jobs`.
    cache : Path
        Folder for finished fits: the same call resumes an interrupted run.
    n_jobs : int
    progress : Progress
    quick : bool
        One repeat, two candidates, few rounds.
    seed : int
    """
    methods = {name: multiclass_methods(_effort(name, quick), quick) for name in tables}
    protocol = Protocol("error", "lowest", n_repeats=1 if quick else 5, seed=seed)
    chosen = run_protocol(tables, methods, protocol, cache, n_jobs, progress)
    curves = _fit_curves(chosen, tables, protocol, cache, n_jobs, progress, quick)
    rows = next(iter(methods.values()))
    run = MulticlassRun(_table(chosen, list(tables), rows, quick), chosen, quick)
    output.mkdir(parents=True, exist_ok=True)
    write_json(output / "table.json", run.to_document())
    write_whole(output / "table.md", run.table.to_markdown().encode())
    write_whole(output / "table.txt", (run.table.to_text() + "\n").encode())
    write_json(output / "choices.json", choices_document(chosen))
    write_json(output / "times.json", times_document(chosen))
    draw_panels([_error_panel(chosen, curves, name) for name in tables], output / "test-error")
    draw_panels([_objective_panel(curves, name) for name in tables], output / "objective")
    return run


def write_json(path: Path, document: Any) -> None:
    """Write plain values as JSON, atomically."""
    write_whole(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())


def choices_document(chosen: Sequence[Chosen]) -> list[dict[str, Any]]:
    """Return the chosen candidates and their measures."""
    return [
        {
            "set": c.data,
            "method": c.method,
            "repeat": c.repeat,
            "candidate": dict(c.candidate),
            "measures": c.result.measures,
            "details": c.result.details,
            "warnings": list(c.result.warnings),
        }
        for c in chosen
    ]


def times_document(chosen: Sequence[Chosen]) -> dict[str, Any]:
    """Return CPU seconds by method and data set: chosen fits (mean) and all fits (sum)."""
    document: dict[str, Any] = {}
    for method in dict.fromkeys(c.method for c in chosen):
        for name in dict.fromkeys(c.data for c in chosen):
            rows = [c for c in chosen if (c.method, c.data) == (method, name)]
            if rows:
                document.setdefault(method, {})[name] = {
                    "chosen": spread(c.result.seconds for c in rows).mean,
                    "all": sum(c.all_seconds for c in rows),
                }
    return document


def _effort(name: str, quick: bool) -> Effort:
    return QUICK_EFFORT if quick else EFFORTS.get(name, Effort())


def _table(
    chosen: Sequence[Chosen], sets: Sequence[str], methods: Sequence[TableMethod], quick: bool
) -> ResultTable:
    rows: dict[str, dict[str, Entry]] = {}
    notes: dict[str, str] = {}
    for method in methods:
        ours: dict[str, Spread] = {}
        if method.missing():
            lost = ", ".join(method.missing())
            notes[method.name] = f"{lost} is not installed: pip install 'segboost[bench]'"
        else:
            ours = {s: mean_of(chosen, s, method.name, "error", "test") for s in sets}
        paper = PAPER_ERRORS.get(method.name, {})
        rows[method.name] = {s: Entry(ours.get(s), paper.get(s)) for s in sets}
    title = "Multi-class classification"
    return ResultTable(title, sets, rows, {}, notes, [NOTE, *([QUICK_NOTE] if quick else [])])


def _fit_curves(
    chosen: Sequence[Chosen], tables: Tables, protocol: Protocol,
    cache: Path, n_jobs: int, progress: Progress, quick: bool,
) -> list[Chosen]:  # fmt: skip
    """Fit StructBoost from scratch on the first repeat, with the candidate chosen there."""
    cells = [
        Cell(c.data, 0, curve_method(c.method, c.candidate, _effort(c.data, quick)), 0)
        for c in chosen
        if c.repeat == 0 and c.method in LEARNERS
    ]
    results = fit_cells(cells, tables, protocol, cache, n_jobs, progress)
    return [
        Chosen(c.data, c.method.name, 0, c.method.candidates[0], r, r.seconds)
        for c, r in zip(cells, results, strict=True)
    ]


def _error_panel(chosen: Sequence[Chosen], curves: Sequence[Chosen], name: str) -> Panel:
    """Return the test error by round; methods without rounds are horizontal lines."""
    of_set = [c for c in chosen if c.data == name and c.repeat == 0]
    staged = [c for c in (*curves, *of_set) if c.data == name and "error" in c.result.curves]
    lines = {}
    for c in staged:
        values = c.result.curves["error"]
        lines[f"{c.method} ({values[-1]:.1f})"] = values
    levels = {}
    for c in of_set:
        if c.method in ("SSVM", "1-vs-all SVM"):
            error = c.result.measures["test"]["error"]
            levels[f"{c.method} ({error:.1f})"] = error
    return Panel(name, "test error (%)", lines, levels)


def _objective_panel(curves: Sequence[Chosen], name: str) -> Panel:
    lines = {
        f"{c.method} (C = {c.candidate['C']:g})": c.result.curves["objective"]
        for c in curves
        if c.data == name
    }
    return Panel(name, "objective", lines, logarithmic=True)
