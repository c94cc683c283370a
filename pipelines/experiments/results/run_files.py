"""The files of an experiment on tables: the table in three formats, the choices and the times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from segboost.pipelines.experiments.protocol.table_protocol import ChosenFit, spread
from segboost.pipelines.experiments.results.result_table import ResultTable
from segboost.storage.whole_file import write_whole

QUICK_NOTE = "Made with `--quick`: a check that everything works, not a measurement."


def write_table(
    output: Path, table: ResultTable, document: dict[str, Any], chosen: Sequence[ChosenFit]
) -> None:
    """Write table.json, table.md, table.txt and choices.json, after creating the folder.

    Parameters
    ----------
    output : Path
    table : ResultTable
    document : dict
        The content of table.json.
    chosen : sequence of ChosenFit
    """
    output.mkdir(parents=True, exist_ok=True)
    write_json(output / "table.json", document)
    write_whole(output / "table.md", table.to_markdown().encode())
    write_whole(output / "table.txt", (table.to_text() + "\n").encode())
    write_json(output / "choices.json", choices_document(chosen))


def write_json(path: Path, document: Any) -> None:
    """Write plain values as JSON, atomically."""
    write_whole(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())


def choices_document(chosen: Sequence[ChosenFit]) -> list[dict[str, Any]]:
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


def times_document(chosen: Sequence[ChosenFit]) -> dict[str, Any]:
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
