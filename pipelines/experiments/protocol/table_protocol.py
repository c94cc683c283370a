"""The paper's protocol for tables: random splits, candidates chosen on validation, repeats.

Each fit is a separate cell, saved to disk under a key of everything it depends on: a killed run
resumes where it stopped, and the numbers are the same with any number of jobs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed

from segboost._types import AnyArray
from segboost.pipelines.experiments.protocol.single_fits import STAGE, Cell, CellResult, run_cells
from segboost.pipelines.experiments.protocol.table_method import TableMethod
from segboost.pipelines.experiments.protocol.table_splits import Split, split_rows
from segboost.pipelines.runtime.artefact_store import ArtefactStore, array_key
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.runtime.worker_lifetime import ends_with_this_process
from segboost.progress import Progress, track

Tables = Mapping[str, tuple[AnyArray, AnyArray]]
"""X of shape (N, d) and y of shape (N,) by the name of the data set."""

__all__ = [
    "Cell",
    "ChosenFit",
    "Protocol",
    "Spread",
    "TableMethod",
    "Tables",
    "choose_candidates",
    "fit_cells",
    "mean_of",
    "run_protocol",
    "spread",
]


@dataclass(frozen=True)
class Protocol:
    """Settings of an experiment.

    Parameters
    ----------
    measure : str
        The measure by which a candidate is chosen on the validation part.
    better : "lowest" or "highest"
    n_repeats : int
    seed : int
        Random seed of the splits and the fits.
    stratified : bool
        Whether each class is split in the same proportions; the paper splits at random.
    """

    measure: str
    better: Literal["lowest", "highest"] = "lowest"
    n_repeats: int = 5
    seed: int = 0
    stratified: bool = False

    def split(self, y: AnyArray, repeat: int) -> Split:
        """Return the split of one repeat of a data set with the labels y."""
        return split_rows(len(y), repeat, self.seed, y if self.stratified else None)

    def best(self, results: Sequence[CellResult]) -> int:
        """Return the best candidate on the validation part; the first wins a tie."""
        values = np.array([r.measures["validation"][self.measure] for r in results])
        return int(np.argmin(values if self.better == "lowest" else -values))


@dataclass(frozen=True, eq=False)
class ChosenFit:
    """A method on one repeat of one data set: the candidate chosen on validation, and its result.

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
    """Mean and standard deviation (n − 1) over the repeats; None for a single repeat."""

    mean: float
    deviation: float | None


def spread(values: Iterable[float]) -> Spread:
    """Return the mean and the standard deviation of the values.

    Examples
    --------
    >>> spread([1.0, 3.0])
    Spread(mean=2.0, deviation=1.4142135623730951)
    """
    found = np.array(list(values), dtype=np.float64)
    if not found.size:
        raise ValueError("cannot take the mean of no values")
    deviation = float(found.std(ddof=1)) if found.size > 1 else None
    return Spread(float(found.mean()), deviation)


def mean_of(chosen: Iterable[ChosenFit], data: str, method: str, name: str, part: str) -> Spread:
    """Return a measure of one method on one part of one data set, over the repeats."""
    rows = [c for c in chosen if (c.data, c.method) == (data, method)]
    return spread(c.result.measures[part][name] for c in rows)


def run_protocol(
    tables: Tables,
    methods: Sequence[TableMethod] | Mapping[str, Sequence[TableMethod]],
    protocol: Protocol,
    cache: Path,
    n_jobs: int,
    progress: Progress,
) -> list[ChosenFit]:
    """Fit all candidates of all methods on all repeats of all data sets; choose on validation.

    Parameters
    ----------
    tables : mapping of name to (X of shape (N, d), y of shape (N,))
    methods : sequence of TableMethod, or a mapping from data set name to such a sequence
        Methods whose required modules are not installed are skipped.
    protocol : Protocol
    cache : Path
        The folder of finished cells, which are not fitted again.
    n_jobs : int
        Number of processes, each with one thread.
    progress : Progress

    Returns
    -------
    list of ChosenFit
        By set, method and repeat, in the given order.
    """
    cells = [
        Cell(name, repeat, method, candidate)
        for name in tables
        for method in _installed(methods[name] if isinstance(methods, Mapping) else methods)
        for repeat in range(protocol.n_repeats)
        for candidate in range(len(method.candidates))
    ]
    results = fit_cells(cells, tables, protocol, cache, n_jobs, progress)
    return choose_candidates(cells, results, protocol)


def choose_candidates(
    cells: Sequence[Cell], results: Sequence[CellResult], protocol: Protocol
) -> list[ChosenFit]:
    """Return the best candidate of every method on every repeat of every data set, in order."""
    groups: dict[tuple[str, str, int], list[tuple[Cell, CellResult]]] = {}
    for cell, result in zip(cells, results, strict=True):
        groups.setdefault((cell.data, cell.method.name, cell.repeat), []).append((cell, result))
    return [_choose(group, protocol) for group in groups.values()]


def fit_cells(
    cells: Sequence[Cell],
    tables: Tables,
    protocol: Protocol,
    cache: Path,
    n_jobs: int,
    progress: Progress,
) -> list[CellResult]:
    """Fit the cells that are not in the cache yet; return the results of all, in order.

    The parameters are those of `run_protocol`; the candidates of a method are not compared.
    """
    names = {(c.data, c.repeat, c.method.name, c.candidate) for c in cells}
    if len(names) < len(cells):
        raise ValueError("two methods have the same name")
    table_keys = {name: array_key(*table) for name, table in tables.items()}
    keys = [c.key(table_keys[c.data], protocol.seed, protocol.stratified) for c in cells]
    store = ArtefactStore(cache)
    found = [store.get(STAGE, key) for key in keys]
    groups = _groups(cells, [i for i, artefact in enumerate(found) if artefact is None])
    # Start with the largest tables, so that no process is left working alone at the end.
    groups.sort(key=lambda group: -tables[cells[group[0]].data][0].size)
    jobs = (
        delayed(ends_with_this_process(run_cells))(
            [cells[i] for i in group], *tables[cells[group[0]].data],
            protocol.split(tables[cells[group[0]].data][1], cells[group[0]].repeat),
            protocol.seed, cache, [keys[i] for i in group],
        )
        for group in groups
    )  # fmt: skip
    if groups:
        with single_threaded():
            done = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)(jobs)
            for _ in track(done, progress, "fits", len(groups)):
                pass
    for i in (i for group in groups for i in group):
        found[i] = store.get(STAGE, keys[i])
    if any(artefact is None for artefact in found):
        raise RuntimeError(f"finished fits have vanished from {cache}: run the command again")
    return [CellResult.of(artefact) for artefact in found if artefact is not None]


def _groups(cells: Sequence[Cell], missing: Sequence[int]) -> list[list[int]]:
    """Return the work units for the processes: a missing cell, or the whole path it lies on."""
    groups: dict[Any, list[int]] = {}
    wanted = {_path(cells[i]) for i in missing if cells[i].method.path is not None}
    for i, cell in enumerate(cells):
        if _path(cell) in wanted:
            groups.setdefault(_path(cell), []).append(i)
    # A path must be fitted from its start, but only up to the last missing cell.
    last = {_path(cells[i]): i for i in sorted(missing)}
    for group in groups.values():
        if [cells[i].candidate for i in group] != list(range(len(group))):
            raise ValueError("cells of a path must begin with its first candidate, in order")
    walks = [[i for i in group if i <= last[path]] for path, group in groups.items()]
    return walks + [[i] for i in missing if cells[i].method.path is None]


def _path(cell: Cell) -> tuple[str, int, str]:
    return cell.data, cell.repeat, cell.method.name


def _installed(methods: Sequence[TableMethod]) -> list[TableMethod]:
    return [method for method in methods if not method.missing()]


def _choose(group: Sequence[tuple[Cell, CellResult]], protocol: Protocol) -> ChosenFit:
    """Return the best candidate of one method on one repeat of one data set."""
    results = [result for _, result in group]
    cell, result = group[protocol.best(results)]
    candidate = cell.method.candidates[cell.candidate]
    seconds = sum(r.seconds for r in results)
    return ChosenFit(cell.data, cell.method.name, cell.repeat, candidate, result, seconds)
