"""Re-run the paper's AUC experiment: three formulations of StructBoost, and other methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segboost.pipelines.experiments.methods.auc_methods import (
    DEFAULT,
    FORMS,
    RANKBOOST,
    RANKING_SVM,
    paper_formulation,
    tuned_methods,
)
from segboost.pipelines.experiments.protocol.table_protocol import (
    Cell,
    ChosenFit,
    Protocol,
    Spread,
    Tables,
    fit_cells,
    mean_of,
    run_protocol,
    spread,
)
from segboost.pipelines.experiments.published.paper_tables import PAPER_AUC
from segboost.pipelines.experiments.results.learning_curves import Panel, draw_panels
from segboost.pipelines.experiments.results.result_table import Entry, ResultTable
from segboost.pipelines.experiments.results.run_files import QUICK_NOTE, write_table
from segboost.progress import Progress

QUICK_SETS = ("wine", "glass", "svmguide2")
MOST_PAIRS = 30_000
"""Maximum number of training pairs for m-slack, which has one variable per pair."""
COLUMNS = ("CPU s", "objective", "gap", "AUC training", "AUC test")
FORMATS = {
    "CPU s": ".2f", "objective": ".3f", "gap": ".1e", "AUC training": ".3f", "AUC test": ".3f",
}  # fmt: skip
NOTE = (
    "The first class of a set against the rest, mean ± standard deviation over the repeats, the "
    "paper's figure in brackets. Parameters are chosen on the validation part; 1-slack and "
    "m-slack, which have the same optimum, use the C that was chosen for the default."
)


@dataclass(frozen=True)
class AUCRun:
    """The table and the fits behind it."""

    table: ResultTable
    chosen: Sequence[ChosenFit]
    quick: bool

    def to_document(self) -> dict[str, Any]:
        """Return the table as plain JSON values."""
        return {"experiment": "auc", "quick": self.quick, **self.table.to_document()}


def first_against_rest(y: Any) -> Any:
    """Return 1 for the first class in sorted order, 0 for all others."""
    return (y == np.unique(y)[0]).astype(np.int64)


def reproduce_auc(
    tables: Tables,
    output: Path,
    cache: Path,
    n_jobs: int,
    progress: Progress,
    quick: bool = False,
    seed: int = 0,
    most_pairs: int = MOST_PAIRS,
) -> AUCRun:
    """Fit all methods on all data sets; write the tables and the learning curves.

    Parameters
    ----------
    tables : mapping of name to (X, y)
        Tables with all classes; the first class is the positive one.
    output : Path
        Folder for table.json, table.md, table.txt, choices.json and the curves. Only values based
        on CPU times differ from run to run.
    cache : Path
        Folder for finished fits: the same call resumes an interrupted run.
    n_jobs : int
    progress : Progress
    quick : bool
        One repeat, two candidates, few rounds.
    seed : int
    most_pairs : int
        On sets with more training pairs, m-slack is not fitted; its row has a note instead.
    """
    binary = {name: (X, first_against_rest(y)) for name, (X, y) in tables.items()}
    protocol = Protocol("auc", "highest", n_repeats=1 if quick else 5, seed=seed)
    chosen = run_protocol(binary, tuned_methods(quick), protocol, cache, n_jobs, progress)
    skipped = _too_many_pairs(binary, protocol, most_pairs)
    cells = [
        Cell(c.data, c.repeat, paper_formulation(form, c.candidate["C"], quick), 0)
        for c in chosen
        if c.method == DEFAULT
        for form in FORMS
        if form != "m-slack" or c.data not in skipped
    ]
    results = fit_cells(cells, binary, protocol, cache, n_jobs, progress)
    chosen += [
        ChosenFit(c.data, c.method.name, c.repeat, c.method.candidates[0], r, r.seconds)
        for c, r in zip(cells, results, strict=True)
    ]
    run = AUCRun(_table(chosen, list(tables), skipped, quick), chosen, quick)
    write_table(output, run.table, run.to_document(), chosen)
    draw_panels(_panels(chosen, "objective", tables), output / "objective")
    draw_panels(_panels(chosen, "seconds", tables), output / "time")
    draw_panels(_panels(chosen, "auc", tables), output / "test-auc")
    return run


def _too_many_pairs(tables: Tables, protocol: Protocol, most: int) -> dict[str, int]:
    """Return the data sets with more than `most` training pairs in a repeat, and how many."""
    pairs = {}
    for name, (_, y) in tables.items():
        counts = []
        for repeat in range(protocol.n_repeats):
            train = y[protocol.split(y, repeat).train]
            counts.append(int(train.sum()) * int(len(train) - train.sum()))
        pairs[name] = max(counts)
    return {name: count for name, count in pairs.items() if count > most}


def _table(
    chosen: Sequence[ChosenFit], sets: Sequence[str], skipped: Mapping[str, int], quick: bool
) -> ResultTable:
    rows, notes = {}, {}
    for name in sets:
        for method in (*FORMS, DEFAULT, RANKBOOST, RANKING_SVM):
            row = f"{name}: {method}"
            found = [c for c in chosen if (c.data, c.method) == (name, method)]
            rows[row] = _row(chosen, found, name, method)
            if not found:
                notes[row] = f"not tried with {skipped[name]:,} pairs of training examples"
    title = "AUC maximisation with decision stumps"
    notes_above = [NOTE, *([QUICK_NOTE] if quick else [])]
    return ResultTable(title, COLUMNS, rows, FORMATS, notes, notes_above)


def _row(
    chosen: Sequence[ChosenFit], found: Sequence[ChosenFit], name: str, method: str
) -> dict[str, Entry]:
    paper = PAPER_AUC.get(name, {}).get(method)
    ours: dict[str, Spread] = {}
    if found:
        ours = {
            "CPU s": spread(c.result.seconds for c in found),
            "AUC training": mean_of(chosen, name, method, "auc", "train"),
            "AUC test": mean_of(chosen, name, method, "auc", "test"),
        }
        if all("objective" in c.result.details for c in found):
            ours["objective"] = spread(c.result.details["objective"] for c in found)
            # The worst repeat, because the certificate has to hold for all of them.
            ours["gap"] = Spread(max(c.result.details["gap"] for c in found), None)
    row = {column: Entry(ours.get(column)) for column in COLUMNS}
    if paper is not None:
        row["CPU s"] = Entry(ours.get("CPU s"), paper.seconds)
        row["AUC training"] = Entry(ours.get("AUC training"), paper.train)
        row["AUC test"] = Entry(ours.get("AUC test"), paper.test)
    return row


LABELS = {"objective": "objective", "seconds": "CPU seconds", "auc": "test AUC"}


def _panels(chosen: Sequence[ChosenFit], curve: str, sets: Tables) -> list[Panel]:
    """Return a panel per data set with the curves of its first repeat, as in the paper."""
    panels = []
    for name in sets:
        lines = {
            c.method: c.result.curves[curve]
            for c in chosen
            if c.data == name and c.repeat == 0 and curve in c.result.curves
        }
        title = f"{name} (C = {_chosen_loss_weight(chosen, name):g})"
        rising = curve != "objective"
        panels.append(Panel(title, LABELS[curve], lines, {}, curve != "auc", rising))
    return panels


def _chosen_loss_weight(chosen: Sequence[ChosenFit], name: str) -> float:
    found = [c for c in chosen if (c.data, c.method, c.repeat) == (name, DEFAULT, 0)]
    return float(found[0].candidate["C"])
