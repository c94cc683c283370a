"""The display of a run on a terminal: a line a stage, with a bar, times, objective and gap."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from segboost.pipelines.runtime.progress import Report

if TYPE_CHECKING:
    from rich.progress import TaskID


class RichProgress:
    """One display for a whole run, on standard error; a callable that takes reports.

    Shows nothing where the stream is no terminal. ``NO_COLOR`` takes the colours away.

    Parameters
    ----------
    stream : text stream, optional
        Standard error by default.
    quiet : bool
        Show nothing in any case.

    Examples
    --------
    >>> with RichProgress() as progress:
    ...     progress(Report("superpixels", 1, 2))
    """

    def __init__(self, stream: TextIO | None = None, quiet: bool = False) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        target = sys.stderr if stream is None else stream
        console = Console(file=target, highlight=False, emoji=False)
        self._lock = threading.Lock()
        self._tasks: dict[str, TaskID] = {}
        self._display = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[details]}", markup=False),
            console=console,
            # Asked of the stream itself: variables such as FORCE_COLOR do not make a terminal.
            disable=quiet or not target.isatty() or console.is_dumb_terminal,
        )

    def __enter__(self) -> Self:
        self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._display.stop()

    def __call__(self, report: Report, /) -> None:
        """Show how far a stage is; a stage that was not seen before gets its own line."""
        with self._lock:
            task = self._tasks.get(report.stage)
            if task is None:
                task = self._display.add_task(report.stage, total=report.total, details="")
                self._tasks[report.stage] = task
        # A stage that ended early is full, so that its clock stops.
        total = report.done if report.finished else report.total
        self._display.update(task, completed=report.done, total=total, details=report.details())
