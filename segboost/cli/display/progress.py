"""Progress bars on a terminal: one line per stage, with times, objective and gap."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from segboost.progress import Report

if TYPE_CHECKING:
    from rich.progress import TaskID


class RichProgress:
    """Progress bars for a whole run, on standard error; called with progress reports.

    Shows nothing if the stream is not a terminal. ``NO_COLOR`` turns colours off.

    Parameters
    ----------
    stream : text stream, optional
        Standard error by default.
    quiet : bool
        Always show nothing.

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
            # Ask the stream itself: with FORCE_COLOR, rich assumes a terminal.
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
        """Show the progress of a stage; a new stage gets its own line."""
        with self._lock:
            task = self._tasks.get(report.stage)
            if task is None:
                task = self._display.add_task(report.stage, total=report.total, details="")
                self._tasks[report.stage] = task
        # A stage that ended early is shown as complete, so that its clock stops.
        total = report.done if report.finished else report.total
        self._display.update(task, completed=report.done, total=total, details=report.details())


class StageLines:
    """One line per stage as it ends, for output that goes to a file or a pipe.

    Parameters
    ----------
    stream : text stream, optional
        Standard output by default.

    Examples
    --------
    >>> lines = StageLines()
    >>> lines(Report("features", 0, 2))
    >>> lines(Report("features", 2, 2, finished=True))
    features: 2 of 2, 0 s
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._began: dict[str, float] = {}

    def __call__(self, report: Report, /) -> None:
        """Remember when a stage begins; write a line when it ends."""
        began = self._began.setdefault(report.stage, time.monotonic())
        cut_short = report.total is not None and report.done < report.total
        if not report.finished or cut_short:  # a stage that is cut short ends with an error
            return
        count = f"{report.done}" if report.total is None else f"{report.done} of {report.total}"
        details = f", {report.details()}" if report.details() else ""
        line = f"{report.stage}: {count}, {time.monotonic() - began:.0f} s{details}"
        del self._began[report.stage]  # the next model has stages of the same names
        print(line, file=self._stream or sys.stdout, flush=True)


class TrainingProgress(RichProgress):
    """Progress bars if standard error is a terminal; lines if `lines` is not a terminal.

    Parameters
    ----------
    lines : text stream, optional
        Stream of the lines: standard output by default. Commands that print a table or JSON there
        use standard error.
    """

    def __init__(self, lines: TextIO | None = None) -> None:
        super().__init__()
        stream = sys.stdout if lines is None else lines
        self._lines = None if stream.isatty() else StageLines(lines)

    def __call__(self, report: Report, /) -> None:
        """Show a report."""
        super().__call__(report)
        if self._lines is not None:
            self._lines(report)
