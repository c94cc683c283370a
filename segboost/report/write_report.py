"""From a folder of runs to a page on disk."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from segboost.pipelines.runtime.files import write_whole
from segboost.pipelines.runtime.progress import Progress, QuietProgress
from segboost.report.load_runs import Run, find_runs, read_table
from segboost.report.page import render
from segboost.report.report_data import ReportData, collect

PAGE = "report.html"
LARGEST = 5_000_000
"""Bytes that a page does not exceed."""
WIDTHS = (480, 360, 280, 200)
"""Of the pictures, in pixels: the first that keeps the page small enough."""


def write_report(
    folder: Path,
    output: Path | None = None,
    data_root: str | os.PathLike[str] | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    title: str | None = None,
) -> Path:
    """Write the report of a run, or of several side by side; return where it is.

    Parameters
    ----------
    folder : Path
        Of ``segboost train --output``, or a folder of such folders.
    output : Path, optional
        The file; ``report.html`` in the folder by default.
    data_root : path, optional
        Where the data sets are, if not where they were.
    n_jobs : int
        Processes, where answers on the test images must be computed anew.
    progress : Progress, optional
    title : str, optional
        The data set's name by default.

    Raises
    ------
    ValueError
        Where the folder holds no run.
    """
    runs = find_runs(folder)
    tell = progress or QuietProgress()
    paper = read_table(folder)
    by_set = [list(group) for _, group in groupby(runs, key=lambda run: run.dataset)]
    name = title or (runs[0].dataset if len(by_set) == 1 else folder.resolve().name)
    text = b""
    for widest in WIDTHS:
        sets = _collect_all(by_set, data_root, n_jobs, tell, widest)
        text = render(name, sets, paper).encode()
        if len(text) <= LARGEST:
            break
    return write_whole(folder / PAGE if output is None else output, text)


def _collect_all(
    by_set: Sequence[Sequence[Run]],
    data_root: str | os.PathLike[str] | None,
    n_jobs: int,
    tell: Progress,
    widest: int,
) -> list[ReportData]:
    return [collect(runs, data_root, n_jobs, tell, widest) for runs in by_set]
