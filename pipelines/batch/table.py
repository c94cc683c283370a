"""The table of a batch: one line an image, written as the results come in."""

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
        # Names of files are bytes: those that are not UTF-8 are written as they are.
        text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for result in results:
            writer.writerow(_row(result))
            yield result
        text.detach()  # it would close the file, which is flushed to the disk first


def _row(result: ImageResult) -> list[str]:
    return [f"{v:.6g}" if isinstance(v, float) else str(v) for v in astuple(result)]
