"""Write the report of a folder of runs."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from itertools import groupby
from pathlib import Path

from segboost.progress import Progress, QuietProgress
from segboost.report.page import render
from segboost.report.run_data.class_data import ClassReportData, collect_classes
from segboost.report.run_data.load_runs import Run, find_runs, read_table
from segboost.report.run_data.report_data import ReportData, collect
from segboost.storage.output_record import is_empty, refuse_foreign
from segboost.storage.ownership import ForeignFileError
from segboost.storage.whole_file import check_replaceable, write_whole

PAGE = "report.html"
LARGEST_BYTES = 5_000_000
"""Size of a page in bytes above which smaller pictures are tried."""
GENERATOR = b'<meta name="generator" content="segboost '
HEAD = 4096
"""Bytes at the beginning of a page that name its generator."""
WIDTHS = (480, 360, 280, 200)
"""Maximum picture sizes in pixels, tried in this order until the page is small enough."""


def write_report(
    folder: Path,
    output: Path | None = None,
    data_root: str | os.PathLike[str] | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    title: str | None = None,
    overwrite: bool = False,
    allow_import: Collection[str] = (),
) -> Path:
    """Write the report of a run, or of several runs; return its path.

    Parameters
    ----------
    folder : Path
        A model folder of ``segboost train``, or a folder of several.
    output : Path, optional
        The HTML file; ``report.html`` in the folder by default.
    data_root : path, optional
        Folder of the data sets, if they have moved since training.
    n_jobs : int
        Number of processes, if predictions have to be recomputed.
    progress : Progress, optional
    title : str, optional
        The data set's name by default.
    overwrite : bool
        Whether an HTML file that is not a report may be replaced.
    allow_import : collection of str
        Functions and folders that the models may use; see `load_segmenter`.

    Raises
    ------
    ForeignFileError
        Before any work, if a file that is not a report would be replaced.
    ValueError
        If the folder contains no run.
    """
    page = folder / PAGE if output is None else output
    check_page(page, folder, overwrite)
    runs = find_runs(folder, allow_import)
    tell = progress or QuietProgress()
    paper = read_table(folder)
    by_set = [list(group) for _, group in groupby(runs, key=lambda run: run.dataset)]
    name = title or _title(runs)
    text = b""
    for widest in WIDTHS:
        sets = _collect_all(by_set, data_root, n_jobs, tell, widest)
        # File names may contain bytes that are not valid text.
        text = render(name, sets, paper).encode("utf-8", "replace")
        if len(text) <= LARGEST_BYTES:
            break
    return write_whole(page, text)


def _title(runs: Sequence[Run]) -> str:
    """Return the default title: the names of the data sets."""
    names = list(dict.fromkeys(_data_name(run) for run in runs))
    return names[0] if len(names) == 1 else ", ".join(names)


def _data_name(run: Run) -> str:
    """Return the data set's name; for the user's own images, that of their folder."""
    images = run.options.get("images")
    if not isinstance(images, str):
        return run.dataset
    path = Path(images).absolute()
    return path.parent.name if path.name == "images" and path.parent.name else path.name


def check_page(page: Path, folder: Path, overwrite: bool = False) -> None:
    """Refuse to replace a file that is not a report.

    With `overwrite`, other HTML files outside the run's folder may be replaced, but never the files
    from which the report is made.

    Raises
    ------
    ForeignFileError, NotReplaceableError
    """
    check_replaceable(page)
    if not page.exists() or is_empty(page) or _is_report(page):
        return
    if page.suffix.lower() not in (".html", ".htm") or page.resolve().is_relative_to(
        folder.resolve()
    ):
        raise ForeignFileError(f"{page} is not a report: choose another --output")
    if not overwrite:
        refuse_foreign([page])


def _is_report(page: Path) -> bool:
    with open(page, "rb") as file:
        return GENERATOR in file.read(HEAD)


def _collect_all(
    by_set: Sequence[Sequence[Run]],
    data_root: str | os.PathLike[str] | None,
    n_jobs: int,
    tell: Progress,
    widest: int,
) -> list[ReportData | ClassReportData]:
    found: list[ReportData | ClassReportData] = []
    for runs in by_set:
        if runs[0].legend.n_classes > 2:
            found.append(collect_classes(runs, data_root, n_jobs, tell, widest))
        else:
            found.append(collect(runs, data_root, n_jobs, tell, widest))
    return found
