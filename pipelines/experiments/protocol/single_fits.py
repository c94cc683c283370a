"""Cells of an experiment: one fit per cell, saved to disk as soon as it finishes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import AnyArray
from segboost._version import __version__
from segboost.pipelines.experiments.protocol.table_method import TableMethod
from segboost.pipelines.experiments.protocol.table_splits import Split
from segboost.pipelines.runtime.artefact_store import Artefact, ArtefactStore, KeyParts

STAGE = "table-cell"
SCHEMA = 1
MOST_WARNINGS = 5


@dataclass(frozen=True)
class Cell:
    """One fit: a method with one of its candidates on one repeat of one data set."""

    data: str
    repeat: int
    method: TableMethod
    candidate: int

    def key(self, table_key: str, seed: int, stratified: bool) -> KeyParts:
        """Return everything the result depends on; `table_key` identifies the data."""
        parameters: dict[str, Any] = {
            "version": __version__,
            "seed": seed,
            "stratified": stratified,
            "repeat": self.repeat,
            "method": self.method.name,
            "parameters": self.method.parameters,
            "candidate": self.method.candidates[self.candidate],
        }
        if self.method.path is not None:
            # Each candidate starts from what the earlier ones learned.
            parameters["path"] = list(self.method.candidates[: self.candidate])
        return KeyParts(parameters, (table_key,), SCHEMA)


@dataclass(frozen=True, eq=False)
class CellResult:
    """The result of one fit.

    Parameters
    ----------
    measures : mapping of part to mapping of name to float
        The parts are "train", "validation" and "test".
    details : mapping of str to float
        Figures that the method reports about the fit itself.
    seconds : float
        CPU time of the fit.
    warnings : tuple of str
        The first few distinct warnings raised by fitting and measuring.
    curves : mapping of str to ndarray
    """

    measures: Mapping[str, Mapping[str, float]]
    details: Mapping[str, float]
    seconds: float
    warnings: tuple[str, ...]
    curves: Mapping[str, AnyArray]

    @classmethod
    def of(cls, artefact: Artefact) -> CellResult:
        """Return the result from the artefact that `run_cells` saved."""
        document = artefact.document
        return cls(
            document["measures"],
            document["details"],
            document["seconds"],
            tuple(document["warnings"]),
            artefact.arrays,
        )


def run_cells(
    cells: Sequence[Cell], X: AnyArray, y: AnyArray, split: Split, seed: int,
    cache: Path, keys: Sequence[KeyParts],
) -> None:  # fmt: skip
    """Fit, measure and save cells of one method on one repeat, in the order of its candidates.

    Each file is written atomically as soon as its fit finishes.
    """
    method = cells[0].method
    candidates = [method.candidates[cell.candidate] for cell in cells]
    fit_seed = int(np.random.default_rng([seed, cells[0].repeat, 1]).integers(2**31))
    models = method.models(X[split.train], y[split.train], candidates, fit_seed)
    store = ArtefactStore(cache)
    for key in keys:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start = time.process_time()
            model = next(models)
            seconds = time.process_time() - start
            made = _measure(method, model, X, y, split)
        texts = dict.fromkeys(" ".join(str(w.message).split()) for w in caught)
        tail = {"seconds": seconds, "warnings": list(texts)[:MOST_WARNINGS]}
        store.put(STAGE, key, Artefact(made.arrays, {**made.document, **tail}))


def _measure(method: TableMethod, model: Any, X: AnyArray, y: AnyArray, split: Split) -> Artefact:
    parts = {"train": split.train, "validation": split.validation, "test": split.test}
    measures = {part: _plain(method.measure(model, X[r], y[r])) for part, r in parts.items()}
    curves = {} if method.curves is None else method.curves(model, X[split.test], y[split.test])
    details = {} if method.describe is None else _plain(method.describe(model))
    arrays = {name: np.asarray(values) for name, values in curves.items()}
    return Artefact(arrays, {"measures": measures, "details": details})


def _plain(values: Mapping[str, float]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items()}
