"""Warnings of segboost and of libraries on the terminal: one plain line each."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

HARMLESS = ("A worker stopped while some jobs were given to the executor",)
"""How warnings begin that a user can do nothing about: joblib replaces workers that have grown,
and gives their jobs to new ones."""


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print warnings and logged warnings as ``segboost: warning: …``, every text once.

    Python would print the file and the source line of a warning. Which warnings are shown at all
    is left to its filters, except for those of `HARMLESS`.
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
    """Pass the texts of logged warnings on."""

    def __init__(self, show: Any) -> None:
        super().__init__(logging.WARNING)
        self._show = show

    def emit(self, record: logging.LogRecord) -> None:
        """Show the text of a record."""
        self._show(record.getMessage())
