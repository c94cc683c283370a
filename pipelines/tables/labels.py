"""Meaning of a table's labels for a task: classes, one against the rest, or ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from segboost._types import AnyArray, BoolArray
from segboost.storage.labels import labels_from_json, labels_to_json

TaskName = Literal["multiclass", "auc", "ordinal", "hierarchy"]
TASKS: tuple[TaskName, ...] = get_args(TaskName)


@dataclass(frozen=True, eq=False)
class LabelRule:
    """Conversion between the labels of a table and the targets of an estimator.

    Parameters
    ----------
    task : {"multiclass", "auc", "ordinal", "hierarchy"}
    values : ndarray of shape (k,)
        The labels: the classes in sorted order; the ranks from low to high; or, for the AUC, the
        negative labels followed by the positive one.
    """

    task: TaskName
    values: AnyArray

    @classmethod
    def from_labels(
        cls,
        task: TaskName,
        y: AnyArray,
        positive: str | None = None,
        ranks: Sequence[str] = (),
    ) -> LabelRule:
        """Return the rule for the labels of a table; ValueError if they do not suit the task.

        Parameters
        ----------
        task : str
        y : ndarray of shape (N,)
        positive : str, optional
            For the AUC, the label to rank above the rest; by default the second of two
            in sorted order.
        ranks : sequence of str
            For ordinal regression, the labels from low to high; not needed for numbers.
        """
        if positive is not None and task != "auc":
            raise ValueError(f"--positive belongs to --task auc, not to {task}")
        if ranks and task != "ordinal":
            raise ValueError(f"--ranks belong to --task ordinal, not to {task}")
        found = np.unique(y)
        if len(found) < 2:
            raise ValueError(f"all labels are {found.tolist()[0]!r}: expected two or more")
        if task == "auc":
            return cls(task, _positive_last(found, positive))
        if task == "ordinal":
            return cls(task, _ranked(found, ranks))
        if found.dtype.kind == "f" and (found != np.rint(found)).any():
            odd = float(found[found != np.rint(found)][0])
            raise ValueError(f"the label {odd} is not a class: expected whole numbers or text")
        return cls(task, found)

    def encode(self, y: AnyArray) -> AnyArray:
        """Return the targets of the estimator, shape (N,): classes, 0 and 1, or ranks from 0."""
        if self.task == "auc":
            return (y == self.values[-1]).astype(np.intp)
        if self.task == "ordinal":
            order = np.argsort(self.values, kind="stable")
            return order[np.searchsorted(self.values, y, sorter=order)]
        return y

    def decode(self, predictions: AnyArray) -> AnyArray:
        """Return predictions as labels of the table; for the AUC, scores are returned unchanged."""
        return self.values[predictions] if self.task == "ordinal" else predictions

    def knows(self, y: AnyArray) -> BoolArray:
        """Return which labels occurred in training, shape (N,)."""
        if (y.dtype.kind in "US") != (self.values.dtype.kind in "US"):
            return np.zeros(len(y), dtype=bool)
        return np.isin(y, self.values)

    def to_json(self) -> dict[str, Any]:
        """Return JSON values that `from_json` takes."""
        return {"task": self.task, "values": labels_to_json(self.values)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> LabelRule:
        """Return the rule from the values of `to_json`; ValueError or KeyError if invalid."""
        task = document["task"]
        if task not in TASKS:
            raise ValueError(f"unknown task {task!r}")
        return cls(task, labels_from_json(document["values"]))


def _positive_last(found: AnyArray, positive: str | None) -> AnyArray:
    if positive is None:
        if len(found) > 2:
            raise ValueError(
                f"{len(found)} classes ({_list(found)}): say with --positive LABEL which one "
                "is positive"
            )
        return found
    at = _find(found, positive, "--positive")
    return np.append(np.delete(found, at), found[at])


def _ranked(found: AnyArray, ranks: Sequence[str]) -> AnyArray:
    if not ranks:
        if found.dtype.kind in "US":
            raise ValueError(
                f"the labels are text ({_list(found)}): give their order with --ranks LOW,…,HIGH"
            )
        return found
    places = [_find(found, rank, "--ranks") for rank in ranks]
    if len(set(places)) < len(places):
        raise ValueError("--ranks name a label twice: name each label once")
    lost = np.delete(found, places)
    if len(lost):
        raise ValueError(f"--ranks leave out {_list(lost)}: name every label")
    return found[places]


def _find(found: AnyArray, text: str, option: str) -> int:
    """Return the index of a label that the command line gives as text."""
    for place, value in enumerate(found.tolist()):
        if str(value) == text.strip() or _equal_number(value, text):
            return place
    raise ValueError(f"{option}: there is no label {text!r} among {_list(found)}")


def _equal_number(value: Any, text: str) -> bool:
    try:
        return not isinstance(value, str) and float(value) == float(text)
    except ValueError:
        return False


def _list(labels: AnyArray) -> str:
    shown = ", ".join(map(str, labels[:6].tolist()))
    return shown if len(labels) <= 6 else f"{shown}, …"
