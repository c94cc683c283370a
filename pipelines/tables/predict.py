"""Predict the rows of a table with a table model, and measure them if there are labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import AnyArray, FloatArray
from segboost.datasets.tables.table import Table
from segboost.pipelines.tables.estimators import measure
from segboost.pipelines.tables.model import TableModel
from segboost.storage.output_record import check_inputs_stay, is_empty, refuse_foreign
from segboost.storage.whole_file import check_replaceable


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of a model for the rows of a table.

    Parameters
    ----------
    predictions : ndarray of shape (N,)
        Labels; for the AUC, scores: higher ones come first.
    scores : ndarray of shape (N, s)
    score_names : tuple of str
        The s columns: one per class, or the one score that orders the rows.
    labels : ndarray of shape (N,) or (0,)
        The labels of the table.
    measures : dict
        Empty if the table has no labels that can be measured.
    measure_note : str
        Why there are no measures, or what they leave out.
    ids : ndarray of text, shape (N,) or (0,)
        Names of the rows, if the table has them.
    id_name : str
        Name of their column.
    notes : tuple of str
        Notes on the columns for the user.
    """

    predictions: AnyArray
    scores: FloatArray
    score_names: tuple[str, ...]
    labels: AnyArray
    measures: dict[str, float] = field(default_factory=dict)
    measure_note: str = ""
    ids: AnyArray = field(default_factory=lambda: np.zeros(0, dtype=str))
    id_name: str = ""
    notes: tuple[str, ...] = ()

    def to_document(self, with_scores: bool = False) -> dict[str, Any]:
        """Return plain JSON values."""
        document: dict[str, Any] = {
            "n_rows": len(self.predictions),
            "predictions": self.predictions.tolist(),
            "measures": self.measures or None,
        }
        if self.measure_note:
            document["note"] = self.measure_note
        if self.notes:
            document["notes"] = list(self.notes)
        if self.id_name:
            document["ids"] = self.ids.tolist()
        if with_scores:
            document["score_names"] = list(self.score_names)
            document["scores"] = self.scores.tolist()
        return document

    def to_csv(self, with_scores: bool = False) -> str:
        """Return a CSV text: row (from 1), prediction, label and id if known, scores if wanted."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        labelled = len(self.labels) == len(self.predictions)
        head = ["row", "prediction", *(["label"] if labelled else [])]
        head += [f"id {self.id_name}"] if self.id_name else []
        writer.writerow([*head, *(f"score {n}" for n in self.score_names if with_scores)])
        writer.writerows(self._lines(labelled, with_scores))
        return buffer.getvalue()

    def _lines(self, labelled: bool, with_scores: bool) -> Iterator[list[Any]]:
        predictions, labels, scores = (
            self.predictions.tolist(),
            self.labels.tolist(),
            self.scores.tolist(),
        )
        ids = self.ids.tolist()
        for i, prediction in enumerate(predictions):
            line = [i + 1, prediction]
            if labelled:
                line.append(labels[i])
            if self.id_name:
                line.append(ids[i])
            yield line + (scores[i] if with_scores else [])


def check_predictions_file(path: Path, inputs: Iterable[Path], overwrite: bool = False) -> None:
    """Refuse to write predictions to a file that holds something else.

    A file that begins like the text of `Predictions.to_csv` is an earlier result, which may be
    replaced.

    Raises
    ------
    ForeignFileError
        If it is one of the inputs, or does not hold predictions and `overwrite` is not set.
    NotReplaceableError
        If it is not a regular file.
    """
    check_inputs_stay(inputs, [path])
    check_replaceable(path)
    if path.exists() and not (overwrite or is_empty(path) or _holds_predictions(path)):
        refuse_foreign([path])


def _holds_predictions(path: Path) -> bool:
    with open(path, "rb") as file:
        head = file.readline(1 << 20).decode("utf-8", "replace").rstrip("\n")
        first = file.readline(1 << 20)
    try:
        columns = next(csv.reader([head]), [])
    except csv.Error:
        return False
    rest = columns[3:] if columns[2:3] == ["label"] else columns[2:]
    rest = rest[1:] if rest[:1] and rest[0].startswith("id ") else rest
    ours = columns[:2] == ["row", "prediction"] and all(c.startswith("score ") for c in rest)
    return ours and (not first or first.startswith(b"1,"))


def predict_table(model: TableModel, table: Table) -> Predictions:
    """Return the predictions for a table with the model's features, and their measures."""
    estimator, rule = model.estimator, model.rule
    predictions = rule.decode(estimator.predict(table.X))
    scores, names = _scores(model, table.X)
    measures, measure_note = _measure(model, table)
    return Predictions(
        predictions,
        scores,
        names,
        table.y,
        measures,
        measure_note,
        table.ids,
        table.id_name,
        table.notes,
    )


def _scores(model: TableModel, X: AnyArray) -> tuple[FloatArray, tuple[str, ...]]:
    task, estimator = model.rule.task, model.estimator
    if task in ("auc", "ordinal"):
        one = estimator.predict(X) if task == "auc" else estimator.score_samples(X)
        return one[:, None], ("order",)
    found = np.asarray(estimator.decision_function(X))
    classes = estimator.classes_.tolist()
    if found.ndim == 1:  # two classes: one margin, in favour of the second
        return found[:, None], (str(classes[1]),)
    return found, tuple(map(str, classes))


def _measure(model: TableModel, table: Table) -> tuple[dict[str, float], str]:
    """Return the measures on rows with known labels, and a note on the others."""
    if not table.has_labels:
        return {}, "the file has no labels: nothing is measured"
    known = model.rule.knows(table.y)
    if not known.any():
        return {}, "the labels of the file are unknown to the model: nothing is measured"
    y = model.rule.encode(table.y[known])
    if model.rule.task == "auc" and len(np.unique(y)) < 2:
        return {}, "the file has only positive or only negative rows: the AUC is undefined"
    note = ""
    if not known.all():
        odd, n = table.y[~known][0], int((~known).sum())
        note = f"labels that the model does not know ({odd}, …) are not measured: {n} rows"
    return measure(model.estimator, table.X[known], y), note
