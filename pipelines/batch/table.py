"""The table of a batch: one line per image, written as the results come in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import astuple, fields
from pathlib import Path

from segboost.pipelines.batch.image_result import ImageResult
from segboost.storage.whole_file import open_whole

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
    with open_whole(path) as file:
        # File names are bytes: those that are not UTF-8 are written unchanged.
        text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for result in results:
            writer.writerow(_row(result))
            yield result
        text.detach()  # closing it would close the file, which must be flushed to disk first


def _row(result: ImageResult) -> list[str]:
    return [f"{v:.6g}" if isinstance(v, float) else str(v) for v in astuple(result)]
