"""The paper's protocol for tables: random parts, candidates chosen on validation, repeats.

Every fit is a cell of its own, kept on disk under all that it depends on: a killed run goes on
where it was, and the numbers are the same with any number of jobs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from segboost.pipelines.artefacts import ArtefactStore, KeyParts, array_key
from segboost.pipelines.progress import Progress, track
from segboost.pipelines.single_thread import single_threaded
from segboost.pipelines.table_cells import STAGE, Cell, CellResult, run_cell
from segboost.pipelines.table_method import TableMethod
from segboost.pipelines.table_splits import Split, split_rows

__all__ = ["Chosen", "Protocol", "Spread", "TableMethod", "mean_of", "run_protocol", "spread"]


@dataclass(frozen=True)
class Protocol:
    """How an experiment is done.

    Parameters
    ----------
    measure : str
        The measure that chooses among candidates, on the validation part.
    better : "lowest" or "highest"
    n_repeats : int
    seed : int
        Draws the parts and the fits' own random numbers.
    stratified : bool
        Whether every class is cut in the shares of the parts; the paper cuts at random.
    """

    measure: str
    better: Literal["lowest", "highest"] = "lowest"
    n_repeats: int = 5
    seed: int = 0
    stratified: bool = False

    def split(self, y: npt.NDArray[Any], repeat: int) -> Split:
        """Return the parts of one repeat of a set with the answers y."""
        return split_rows(len(y), repeat, self.seed, y if self.stratified else None)

    def best(self, results: Sequence[CellResult]) -> int:
        """Return the candidate that is best on the validation part, the first of equals."""
        values = np.array([r.measures["validation"][self.measure] for r in results])
        return int(np.argmin(values if self.better == "lowest" else -values))


@dataclass(frozen=True, eq=False)
class Chosen:
    """A method on one repeat of one set: the candidate that validation chose, and its result.

    `all_seconds` is the CPU time of all candidates together.
    """

    data: str
    method: str
    repeat: int
    candidate: Mapping[str, Any]
    result: CellResult
    all_seconds: float


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (n − 1) over the repeats; no deviation of a single one."""

    mean: float
    deviation: float | None


def spread(values: Iterable[float]) -> Spread:
    """Return the mean of the values and how they scatter.

    Examples
    --------
    >>> spread([1.0, 3.0])
    Spread(mean=2.0, deviation=1.4142135623730951)
    """
    found = np.array(list(values), dtype=np.float64)
    if not found.size:
        raise ValueError("there is no value to take the mean of")
    deviation = float(found.std(ddof=1)) if found.size > 1 else None
    return Spread(float(found.mean()), deviation)


def mean_of(chosen: Iterable[Chosen], data: str, method: str, name: str, part: str) -> Spread:
    """Return a measure of one method on one part of one set, over the repeats."""
    rows = [c for c in chosen if (c.data, c.method) == (data, method)]
    return spread(c.result.measures[part][name] for c in rows)


def run_protocol(
    tables: Mapping[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]],
    methods: Sequence[TableMethod] | Mapping[str, Sequence[TableMethod]],
    protocol: Protocol,
    cache: Path,
    n_jobs: int,
    progress: Progress,
) -> list[Chosen]:
    """Fit every candidate of every method on every repeat of every set; choose on validation.

    Parameters
    ----------
    tables : mapping of name to (X of shape (N, d), y of shape (N,))
    methods : sequence of TableMethod, or one for each set by its name
        Those whose required modules are not installed are left out.
    protocol : Protocol
    cache : Path
        The folder of finished cells. Cells that are there are not fitted again.
    n_jobs : int
        Processes of one thread each.
    progress : Progress

    Returns
    -------
    list of Chosen
        By set, method and repeat, in the given order.
    """
    by_set = {
        name: [m for m in (methods[name] if isinstance(methods, Mapping) else methods)
               if not m.missing()]
        for name in tables
    }  # fmt: skip
    keys = _keys(tables, by_set, protocol)
    _run_missing(tables, keys, protocol, cache, n_jobs, progress)
    store = ArtefactStore(cache)
    return [
        _choose(name, method, repeat, keys, protocol, store)
        for name, of_set in by_set.items()
        for method in of_set
        for repeat in range(protocol.n_repeats)
    ]


_CellId = tuple[str, int, str, int]


def _id(cell: Cell) -> _CellId:
    return cell.data, cell.repeat, cell.method.name, cell.candidate


def _keys(
    tables: Mapping[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]],
    by_set: Mapping[str, Sequence[TableMethod]],
    protocol: Protocol,
) -> dict[_CellId, tuple[Cell, KeyParts]]:
    """Return all cells with their keys, those of the largest sets first."""
    keys: dict[_CellId, tuple[Cell, KeyParts]] = {}
    # What takes longest must not come last, when the other processes have nothing left to do.
    for name in sorted(tables, key=lambda name: -tables[name][0].size):
        X, y = tables[name]
        table_key = array_key(X, y)
        for method in by_set[name]:
            for repeat in range(protocol.n_repeats):
                for candidate in range(len(method.candidates)):
                    cell = Cell(name, repeat, method, candidate)
                    if _id(cell) in keys:
                        raise ValueError(f"two methods have the name {method.name!r}")
                    key = cell.key(table_key, protocol.seed, protocol.stratified)
                    keys[_id(cell)] = cell, key
    return keys


def _run_missing(
    tables: Mapping[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]],
    keys: Mapping[_CellId, tuple[Cell, KeyParts]],
    protocol: Protocol,
    cache: Path,
    n_jobs: int,
    progress: Progress,
) -> None:
    store = ArtefactStore(cache)
    pending = [(cell, key) for cell, key in keys.values() if store.get(STAGE, key) is None]
    if not pending:
        return
    jobs = (
        delayed(run_cell)(
            cell, *tables[cell.data], protocol.split(tables[cell.data][1], cell.repeat),
            protocol.seed, cache, key,
        )
        for cell, key in pending
    )  # fmt: skip
    with single_threaded():
        done = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)(jobs)
        for _ in track(done, progress, "fits", len(pending)):
            pass


def _choose(
    name: str, method: TableMethod, repeat: int,
    keys: Mapping[_CellId, tuple[Cell, KeyParts]], protocol: Protocol, store: ArtefactStore,
) -> Chosen:  # fmt: skip
    results = []
    for candidate in range(len(method.candidates)):
        artefact = store.get(STAGE, keys[name, repeat, method.name, candidate][1])
        if artefact is None:
            raise RuntimeError(f"a finished fit of {method.name} on {name} is not in the cache")
        results.append(CellResult.of(artefact))
    best = protocol.best(results)
    seconds = sum(r.seconds for r in results)
    return Chosen(name, method.name, repeat, method.candidates[best], results[best], seconds)
