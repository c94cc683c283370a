"""Re-run the paper's multi-class experiment, with today's common alternatives added."""

from __future__ import annotations

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
    ChosenFit,
    Protocol,
    Spread,
    Tables,
    fit_cells,
    mean_of,
    run_protocol,
)
from segboost.pipelines.experiments.published.paper_tables import PAPER_ERRORS
from segboost.pipelines.experiments.results.learning_curves import Panel, draw_panels
from segboost.pipelines.experiments.results.result_table import Entry, ResultTable
from segboost.pipelines.experiments.results.run_files import (
    QUICK_NOTE,
    times_document,
    write_json,
    write_table,
)
from segboost.progress import Progress

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


@dataclass(frozen=True)
class MulticlassRun:
    """The table and the choices behind it."""

    table: ResultTable
    chosen: Sequence[ChosenFit]
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
    write_table(output, run.table, run.to_document(), chosen)
    write_json(output / "times.json", times_document(chosen))
    draw_panels([_error_panel(chosen, curves, name) for name in tables], output / "test-error")
    draw_panels([_objective_panel(curves, name) for name in tables], output / "objective")
    return run


def _effort(name: str, quick: bool) -> Effort:
    return QUICK_EFFORT if quick else EFFORTS.get(name, Effort())


def _table(
    chosen: Sequence[ChosenFit], sets: Sequence[str], methods: Sequence[TableMethod], quick: bool
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
    chosen: Sequence[ChosenFit], tables: Tables, protocol: Protocol,
    cache: Path, n_jobs: int, progress: Progress, quick: bool,
) -> list[ChosenFit]:  # fmt: skip
    """Fit StructBoost from scratch on the first repeat, with the candidate chosen there."""
    cells = [
        Cell(c.data, 0, curve_method(c.method, c.candidate, _effort(c.data, quick)), 0)
        for c in chosen
        if c.repeat == 0 and c.method in LEARNERS
    ]
    results = fit_cells(cells, tables, protocol, cache, n_jobs, progress)
    return [
        ChosenFit(c.data, c.method.name, 0, c.method.candidates[0], r, r.seconds)
        for c, r in zip(cells, results, strict=True)
    ]


def _error_panel(chosen: Sequence[ChosenFit], curves: Sequence[ChosenFit], name: str) -> Panel:
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


def _objective_panel(curves: Sequence[ChosenFit], name: str) -> Panel:
    lines = {
        f"{c.method} (C = {c.candidate['C']:g})": c.result.curves["objective"]
        for c in curves
        if c.data == name
    }
    return Panel(name, "objective", lines, logarithmic=True)
