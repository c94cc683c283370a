"""Result tables with our figures and the paper's, as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from segboost.pipelines.experiments.protocol.table_protocol import Spread

NOTHING = "–"


@dataclass(frozen=True)
class Entry:
    """One entry of a table: our figure and the paper's, either of which may be None."""

    ours: Spread | None = None
    paper: Spread | None = None


@dataclass(frozen=True)
class ResultTable:
    """Rows (methods, or sets and methods) by columns (sets, or measures).

    Parameters
    ----------
    title : str
    columns : sequence of str
    rows : mapping of row name to mapping of column name to Entry
        In display order; missing entries are shown as "–".
    formats : mapping of column name to str
        Number format of a column, ``.1f`` by default.
    row_notes : mapping of row name to str
        Notes on rows, such as why a row has no figures.
    notes : sequence of str
        Shown below the title.
    """

    title: str
    columns: Sequence[str]
    rows: Mapping[str, Mapping[str, Entry]]
    formats: Mapping[str, str] = field(default_factory=dict)
    row_notes: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def to_document(self) -> dict[str, Any]:
        """Return plain JSON values: for every row and column our figure and the paper's."""
        rows = []
        for name, entries in self.rows.items():
            row: dict[str, Any] = {"row": name, "cells": {}}
            for column in self.columns:
                entry = entries.get(column, Entry())
                row["cells"][column] = {
                    "ours": None if entry.ours is None else asdict(entry.ours),
                    "paper": None if entry.paper is None else asdict(entry.paper),
                }
            if name in self.row_notes:
                row["note"] = self.row_notes[name]
            rows.append(row)
        return {
            "title": self.title,
            "columns": list(self.columns),
            "notes": list(self.notes),
            "rows": rows,
        }

    def to_markdown(self) -> str:
        """Return the table as Markdown: ours ± deviation, the paper's in brackets."""
        lines = [f"{self.title}", "", *(line for note in self.notes for line in (note, ""))]
        lines.append("| | " + " | ".join(self.columns) + " |")
        lines.append("|---" * (len(self.columns) + 1) + "|")
        for cells in self._cells():
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join([*lines, "", *self._row_notes()])

    def to_text(self) -> str:
        """Return the table for a terminal, in aligned columns."""
        grid = [["", *self.columns], *self._cells()]
        widths = [max(len(line[i]) for line in grid) for i in range(len(grid[0]))]
        lines = [
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in grid
        ]
        head = [self.title, *self.notes, ""]
        return "\n".join([*head, *lines, *([""] if self.row_notes else []), *self._row_notes()])

    def _cells(self) -> list[list[str]]:
        return [
            [name, *(self._show(entries.get(c, Entry()), c) for c in self.columns)]
            for name, entries in self.rows.items()
        ]

    def _show(self, entry: Entry, column: str) -> str:
        form = self.formats.get(column, ".1f")
        ours = NOTHING if entry.ours is None else show_spread(entry.ours, form)
        return ours if entry.paper is None else f"{ours} ({show_spread(entry.paper, form)})"

    def _row_notes(self) -> list[str]:
        return [f"{name}: {note}" for name, note in self.row_notes.items()]


def show_spread(value: Spread, form: str = ".1f") -> str:
    """Return ``mean ± deviation``, or the mean alone if there is no deviation.

    Examples
    --------
    >>> show_spread(Spread(12.34, 0.5))
    '12.3 ± 0.5'
    """
    mean = format(value.mean, form)
    return mean if value.deviation is None else f"{mean} ± {format(value.deviation, form)}"
