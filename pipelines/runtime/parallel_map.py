"""A function over many items, wherever the work is to be done: here, by processes, by a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from segboost.pipelines.runtime.worker_lifetime import tied

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Result = TypeVar("Result")

_chosen: ContextVar[Client | None] = ContextVar("segboost cluster", default=None)


def active_cluster() -> Client | None:
    """Return the client of the cluster to work on, or None.

    It is the one of `use_cluster`, or that of ``joblib.parallel_config(backend="dask")``.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    backend, _ = get_active_backend()
    # By name: the class is there only where dask is.
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None


@contextmanager
def use_cluster(client: Client | None) -> Iterator[None]:
    """Let `map_tasks` work on this cluster within a ``with`` block; None changes nothing."""
    if client is None:
        yield
        return
    token = _chosen.set(client)
    try:
        yield
    finally:
        _chosen.reset(token)


def map_tasks(
    function: Callable[[Any, Item], Result],
    shared: Any,
    items: Iterable[Item],
    n_jobs: int,
    ordered: bool = True,
) -> Iterator[Result]:
    """Yield ``function(shared, item)`` for all items.

    Parameters
    ----------
    function : callable
        Pure, and without need of files where it is to run on a cluster.
    shared : object
        What all calls need; it is sent to a cluster once.
    items : iterable
    n_jobs : int
        Processes, where no cluster is chosen.
    ordered : bool
        Whether results come in the order of the items, or as they are made.
    """
    client = active_cluster()
    if client is not None:
        from segboost.pipelines.runtime.cluster import map_cluster

        yield from map_cluster(client, function, shared, items)
        return
    kind = "generator" if ordered else "generator_unordered"
    jobs = Parallel(n_jobs=n_jobs, return_as=kind, batch_size=1)
    yield from jobs(delayed(tied(function))(shared, item) for item in items)
