"""Describe how the columns of a table were interpreted, before a model is fitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from segboost._types import AnyArray
from segboost.datasets.tables.table import Table
from segboost.estimators.mixed_columns import LARGEST, is_too_large, mixed_columns
from segboost.pipelines.tables.labels import TaskName
from segboost.table_cells.misread_text import find_misread

MANY_LABELS = 20
"""Up to this number of different values, numbers are plausible classes in any table."""


def describe_columns(table: Table) -> list[str]:
    """Return lines about the label, the ids, categories and missing values."""
    return [_label(table), *_ids(table), *_categories(table), *_missing(table)]


def find_doubts(table: Table, task: TaskName) -> list[str]:
    """Return notes on columns that were probably misinterpreted."""
    notes = list(table.notes)
    n_values, n = len(np.unique(table.y)), len(table.y)
    is_class = task in ("multiclass", "hierarchy")
    if is_class and table.y.dtype.kind in "iuf" and n_values > max(MANY_LABELS, n / 3):
        notes.append(
            f"the labels are {n_values} different numbers in {n} rows, which looks like a "
            "measurement rather than a class: is this the label column? Name it with --label"
        )
    elif is_class and table.y.dtype.kind in "UO":
        notes += _doubt_text_labels(table.y.tolist(), n_values)
    return notes


def _doubt_text_labels(labels: Sequence[str], n_values: int) -> list[str]:
    found = find_misread(labels)
    if found is not None:
        said = f"the label {found.example!r} {found.what}"
        return [f"{said}: is this the label column? Name it with --label"]
    if n_values > max(MANY_LABELS, len(labels) / 3):
        return [
            f"the labels are {n_values} different texts in {len(labels)} rows, too many for "
            "classes: is this the label column? Name it with --label"
        ]
    return []


def check_classes(table: Table, task: TaskName) -> None:
    """Raise ValueError if the classes are fractions; the message names their column."""
    if task not in ("multiclass", "hierarchy") or table.y.dtype.kind != "f":
        return
    odd = table.y[table.y != np.rint(table.y)]
    if len(odd):
        raise ValueError(
            f"the label {float(odd[0])} is not a class: expected whole numbers or text "
            f"({_label(table)}; name another with --label)"
        )


def check_magnitudes(table: Table) -> None:
    """Raise ValueError for a column whose numbers are too large to be summed."""
    if sparse.issparse(table.X):
        return
    for q, column in enumerate(_columns(table)):
        if column.dtype != object and is_too_large(column):
            raise ValueError(
                f"{_name(table, q)} has values beyond ±{LARGEST:g}: rescale the column, or leave "
                "it out with --ignore"
            )


def _columns(table: Table) -> list[AnyArray]:
    return mixed_columns(table.X) or ([] if table.X.dtype == object else list(table.X.T))


def _label(table: Table) -> str:
    if table.label_column < 0:
        return f"labels: {table.label_reason}"
    name = f" ({table.label_name})" if table.label_name else ""
    return f"label column: {table.label_column + 1}{name}, because {table.label_reason}"


def _ids(table: Table) -> Iterator[str]:
    if table.id_name:
        yield f"id column: {table.id_name}, carried into the predictions"


def _categories(table: Table) -> Iterator[str]:
    found = [
        f"{_name(table, q)} ({len({v for v in table.X[:, q].tolist() if v is not None})})"
        for q in table.text_columns
    ]
    if found:
        yield f"categories (number of values): {_list(found)}"


def _missing(table: Table) -> Iterator[str]:
    if sparse.issparse(table.X):
        return
    found = []
    for q, column in enumerate(_columns(table)):
        is_text = column.dtype == object
        n = sum(v is None for v in column.tolist()) if is_text else int(np.isnan(column).sum())
        if n:
            found.append(f"{_name(table, q)} ({n})")
    if found:
        yield f"missing values (number of rows): {_list(found)}"


def _name(table: Table, q: int) -> str:
    if table.feature_names:
        return table.feature_names[q]
    return f"column {table.feature_columns[q] + 1 if table.feature_columns else q + 1}"


def _list(found: list[str]) -> str:
    return ", ".join(found[:10]) + (f" and {len(found) - 10} more" if len(found) > 10 else "")
