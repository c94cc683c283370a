"""The table of a batch: one line an image, written as the results come in."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from dataclasses import astuple, fields
from pathlib import Path

from segboost.pipelines.batch.image_result import ImageResult

COLUMNS = tuple(field.name for field in fields(ImageResult))


def write_results(results: Iterable[ImageResult], path: Path) -> Iterator[ImageResult]:
    """Pass results on and write them to a CSV file, which appears when all are done.

    Parameters
    ----------
    results : iterable of ImageResult
    path : Path
        Columns: name, width, height, superpixels, foreground_share, seconds,
        cpu_seconds, status.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        # Names of files are bytes: those that are no UTF-8 are written as they are.
        with open(temporary, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for result in results:
                writer.writerow(_row(result))
                yield result
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _row(result: ImageResult) -> list[str]:
    return [f"{v:.6g}" if isinstance(v, float) else str(v) for v in astuple(result)]
