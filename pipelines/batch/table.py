"""The table of a batch: one line per image, written as the results come in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

from segboost.io.legend import TWO_CLASSES, ClassLegend
from segboost.pipelines.batch.image_result import ImageResult
from segboost.storage.csv_file import open_csv

SHARE, SHARES = "foreground_share", "class_shares"
COLUMNS = tuple(field.name for field in fields(ImageResult) if field.name != SHARES)


def write_results(
    results: Iterable[ImageResult], path: Path, legend: ClassLegend = TWO_CLASSES
) -> Iterator[ImageResult]:
    """Pass results on and write them to a CSV file, which appears when all are done.

    Parameters
    ----------
    results : iterable of ImageResult
    path : Path
        Columns: name, width, height, superpixels, foreground_share, seconds,
        cpu_seconds, status, pages, objects, object_area, notes. With several classes,
        share_NAME for each class instead of foreground_share.
    legend : ClassLegend
    """
    columns = columns_of(legend)
    with open_csv(path) as write_row:
        write_row(columns)
        for result in results:
            write_row(_row(result, legend))
            yield result


def columns_of(legend: ClassLegend) -> list[str]:
    """Return the names of the columns.

    Examples
    --------
    >>> columns_of(ClassLegend(("sky", "road", "car"), ((0, 0, 0), (1, 0, 0), (2, 0, 0))))[4:7]
    ['share_sky', 'share_road', 'share_car']
    """
    shares = [f"share_{name}" for name in legend.names] if legend.n_classes > 2 else [SHARE]
    at = COLUMNS.index(SHARE)
    return [*COLUMNS[:at], *shares, *COLUMNS[at + 1 :]]


def _row(result: ImageResult, legend: ClassLegend) -> list[str]:
    values: list[object] = []
    for name in COLUMNS:
        if name == SHARE and legend.n_classes > 2:
            values += result.class_shares or [0.0] * legend.n_classes
        else:
            values.append(getattr(result, name))
    return [_cell(value) for value in values]


def _cell(value: object) -> str:
    """Return a value as text; large areas are written in full.

    Examples
    --------
    >>> [_cell(v) for v in (None, 12, 0.123456789, 31315000.25, "done")]
    ['', '12', '0.123457', '31315000', 'done']
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1e6 else f"{value:.6g}"
    return str(value)
