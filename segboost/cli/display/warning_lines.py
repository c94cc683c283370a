"""Print warnings of segboost and its libraries as one plain line each."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

HARMLESS = ("A worker stopped while some jobs were given to the executor",)
"""Beginnings of warnings that are not shown. joblib replaces workers whose memory has grown and
gives their jobs to new ones; there is nothing for the user to do."""


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print warnings and logged warnings as ``segboost: warning: …``, each text once.

    Python would also print the file and source line of a warning. Its filters decide which
    warnings are shown; those in `HARMLESS` never are.
    """
    shown: set[str] = set()

    def show(text: str) -> None:
        line = " ".join(text.split())
        if line not in shown and not line.startswith(HARMLESS):
            shown.add(line)
            typer.echo(f"segboost: warning: {line}", err=True)

    def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        show(str(message))

    before, handler, logger = warnings.showwarning, _Lines(show), logging.getLogger("segboost")
    warnings.showwarning = show_warning
    logger.addHandler(handler)
    try:
        yield
    finally:
        warnings.showwarning = before
        logger.removeHandler(handler)


class _Lines(logging.Handler):
    """Pass the text of logged warnings to a function."""

    def __init__(self, show: Any) -> None:
        super().__init__(logging.WARNING)
        self._show = show

    def emit(self, record: logging.LogRecord) -> None:
        """Show the text of a record."""
        self._show(record.getMessage())
