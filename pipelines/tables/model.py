"""A table model on disk: the estimator's folder plus the columns and labels of its table."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from segboost.datasets.tables.table_like import Columns
from segboost.pipelines.tables.labels import LabelRule
from segboost.saving.files import load_model, save_model
from segboost.storage.folder import DOCUMENT, ModelFileError, one_line
from segboost.storage.ownership import ForeignFileError, check_model_folder, read_manifest
from segboost.storage.whole_file import check_replaceable, write_whole

TABLE = "table.json"
SCHEMA = 1
LARGEST = 64 << 20


@dataclass(frozen=True, eq=False)
class TableModel:
    """A fitted estimator, the columns and labels it knows, and how it was trained.

    Parameters
    ----------
    estimator : fitted StructBoost estimator
    columns : Columns
    rule : LabelRule
    training : mapping of str to JSON values
        The table's name and size, C and how it was chosen.
    """

    estimator: Any
    columns: Columns
    rule: LabelRule
    training: Mapping[str, Any] = field(default_factory=dict)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write ``model.json``, its npz file and ``table.json``; an older model is replaced.

        `segboost.load_model` reads the estimator of the folder too.
        """
        path = Path(folder)
        check_table_folder(path)
        # The digest in table.json reveals an interrupted save: an old file fits the old model only.
        save_model(_timeless(self.estimator), path)
        document = {
            "format": "segboost table",
            "schema": SCHEMA,
            "model": _digest(path),
            "columns": asdict(self.columns),
            "labels": self.rule.to_json(),
            "training": dict(self.training),
        }
        text = json.dumps(document, indent=1, sort_keys=True, allow_nan=False)
        write_whole(path / TABLE, text.encode())
        return path

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> TableModel:
        """Return the model of a folder.

        Raises
        ------
        ModelFileError
            With one line that says what is wrong with the folder.
        """
        path = Path(folder)
        document = _read(path)
        estimator = load_model(path)
        try:
            columns = _columns(document["columns"])
            rule = LabelRule.from_json(document["labels"])
            made = document["model"]
            training = dict(document["training"])
        except Exception as error:  # arbitrary content may fail in any way
            raise ModelFileError(
                f"{path / TABLE} was edited or damaged: {one_line(error)}"
            ) from None
        if made != _digest(path):
            raise ModelFileError(f"{path / TABLE} belongs to another model: fit it again")
        if columns.n_features != getattr(estimator, "n_features_in_", None):
            raise ModelFileError(f"{path / TABLE} has another number of features than the model")
        return cls(estimator, columns, rule, training)


def _timeless(estimator: Any) -> Any:
    """Return the estimator without the seconds of its rounds: the same fit gives the same bytes."""
    same = copy(estimator)
    same.history_ = [replace(step, seconds=0.0) for step in estimator.history_]
    return same


def check_table_folder(folder: Path) -> None:
    """Refuse a folder where saving would replace a segmenter or files of other programs.

    Raises
    ------
    ForeignFileError
    NotReplaceableError
        If a device, a pipe, a link or a folder has the name of a file.
    """
    check_model_folder(folder)
    check_replaceable(folder / TABLE)
    found = read_manifest(folder)
    if found is not None and found.get("kind") == "segmenter":
        raise ForeignFileError(f"{folder} holds a segmenter: choose another folder")
    table = folder / TABLE
    if table.exists() and not _is_ours(table):
        raise ForeignFileError(
            f"{table} was not written by segboost: move it away or choose another folder"
        )


def _is_ours(table: Path) -> bool:
    try:
        document = json.loads(table.read_bytes()) if table.is_file() else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("format") == "segboost table"


def _read(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        raise ModelFileError(f"the model folder {path} does not exist: run segboost fit first")
    try:
        if (path / TABLE).exists() and not (path / TABLE).is_file():
            raise ModelFileError(f"{path / TABLE} is not a file")
        if (path / TABLE).stat().st_size > LARGEST:
            raise ModelFileError(f"{path / TABLE} is too large to be what segboost fit writes")
        document = json.loads((path / TABLE).read_text("utf-8"))
    except FileNotFoundError:
        raise ModelFileError(
            f"{path} is not a table model ({TABLE} is missing): give a folder made by segboost fit"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{path / TABLE} cannot be read: fit the model again") from None
    if not isinstance(document, dict) or document.get("format") != "segboost table":
        raise ModelFileError(f"{path / TABLE} was not written by segboost")
    if document.get("schema") != SCHEMA:
        raise ModelFileError(f"{path / TABLE} was written by another version: upgrade segboost")
    return document


def _columns(document: Mapping[str, Any]) -> Columns:
    names = document["feature_names"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("the names of its features are not text")
    columns = Columns(
        int(document["n_features"]),
        tuple(names),
        str(document["label_name"]),
        int(document["label_column"]),
        **_choices(document),
    )
    if names and len(set(names)) != columns.n_features:
        raise ValueError("the number of feature names is wrong")
    return columns


def _choices(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that models of earlier versions lack."""
    found: dict[str, Any] = {}
    n, width = int(document["n_features"]), int(document.get("width", 0))
    for key, end in (("text_columns", n), ("feature_columns", width)):
        found[key] = tuple(map(int, document.get(key, ())))
        if not all(0 <= q < end for q in found[key]):
            raise ValueError(f"{key} are outside the table")
    if found["feature_columns"] and len(found["feature_columns"]) != n:
        raise ValueError("the number of feature columns is wrong")
    if document.get("decimal", ".") not in (".", ","):
        raise ValueError("the decimal sign is neither a point nor a comma")
    found["ignored"] = tuple(map(str, document.get("ignored", ())))
    found["id_name"] = str(document.get("id_name", ""))
    found["id_column"] = int(document.get("id_column", -1))
    return found | {"width": width, "decimal": document.get("decimal", ".")}


def _digest(path: Path) -> str:
    return hashlib.sha256((path / DOCUMENT).read_bytes()).hexdigest()
