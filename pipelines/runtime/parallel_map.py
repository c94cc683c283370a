"""Map a function over many items: in this process, in several, or on a cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from segboost.pipelines.runtime.shared_pool import map_shared
from segboost.pipelines.runtime.worker_lifetime import ends_with_this_process
from segboost.pipelines.runtime.worker_warnings import recording, replay

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Result = TypeVar("Result")

_chosen: ContextVar[Client | None] = ContextVar("segboost cluster", default=None)


def active_cluster() -> Client | None:
    """Return the client of the active cluster, or None.

    It is set by `use_cluster` or by ``joblib.parallel_config(backend="dask")``.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    backend, _ = get_active_backend()
    # By name, because the class exists only if dask is installed.
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None


@contextmanager
def use_cluster(client: Client | None) -> Iterator[None]:
    """Make this cluster the active one within a ``with`` block; None changes nothing."""
    if client is None:
        yield
        return
    token = _chosen.set(client)
    try:
        yield
    finally:
        _chosen.reset(token)


def map_tasks(
    function: Callable[[Any, Any], Result],
    shared: Any,
    items: Iterable[Item],
    n_jobs: int,
    ordered: bool = True,
    prepare: Callable[[Item], Any] | None = None,
    keep: Callable[[Item, Result], Any] | None = None,
) -> Iterator[Any]:
    """Yield ``function(shared, item)`` for all items.

    `prepare` and `keep` are the steps that need files. Without a cluster they run in the same
    process as `function`, so that large arrays are not sent between processes; with a cluster,
    whose workers need not share a disk, they run in the caller's process.

    Parameters
    ----------
    function : callable
        A pure function, which must not need files if it runs on a cluster.
    shared : object
        Data that all calls need; it is sent to a cluster once.
    items : iterable
    n_jobs : int
        Number of processes if no cluster is active.
    ordered : bool
        Whether results are yielded in the order of the items, or as they finish. A cluster
        always keeps the order.
    prepare : callable, optional
        Called with an item; its return value is passed to `function` instead.
    keep : callable, optional
        Called with an item and its result; its return value is yielded instead.
    """
    client = active_cluster()
    if client is not None:
        yield from _map_cluster(client, function, shared, items, prepare, keep, None)
        return
    kind = "generator" if ordered else "generator_unordered"
    jobs = Parallel(n_jobs=n_jobs, return_as=kind, batch_size=1)
    task = delayed(ends_with_this_process(recording(_run_task)))
    yield from map(replay, jobs(task(function, shared, item, prepare, keep) for item in items))


def map_loaded(
    function: Callable[[Any, Any], Result],
    load: Callable[[], Any],
    items: Sequence[Item],
    n_jobs: int,
    executor: Executor | None = None,
    prepare: Callable[[Item], Any] | None = None,
    keep: Callable[[Item, Result], Any] | None = None,
    on_lost: Callable[[str], Result] | None = None,
) -> Iterator[Any]:
    """Yield ``function(load(), item)`` for all items, in order.

    Like `map_tasks`, for shared data that is quicker to load than to send: every process of this
    machine loads it itself, and this process takes part in the work. A cluster is sent the data
    that this process has loaded.

    Parameters
    ----------
    function, prepare, keep : callable
        As for `map_tasks`.
    load : callable
        Returns the data that all calls need; called for every item, so it should be cached.
    items : sequence
    n_jobs : int
        Number of processes, including this one, if no cluster is active.
    executor : Executor, optional
        Workers that have already been started; see `segboost.pipelines.runtime.shared_pool`.
    on_lost : callable, optional
        Called with the reason if an item killed several workers of a cluster; returns the item's
        result. By default a ClusterError is raised.
    """
    client = active_cluster()
    if client is not None:
        return _map_cluster(client, function, load(), items, prepare, keep, on_lost)
    task = partial(_run_loaded, function, load, prepare, keep)
    return map_shared(task, items, n_jobs, executor)


def _run_loaded(
    function: Callable[[Any, Any], Any],
    load: Callable[[], Any],
    prepare: Callable[[Any], Any] | None,
    keep: Callable[[Any, Any], Any] | None,
    item: Any,
) -> Any:
    return _run_task(function, load(), item, prepare, keep)


def _run_task(
    function: Callable[[Any, Any], Any],
    shared: Any,
    item: Any,
    prepare: Callable[[Any], Any] | None,
    keep: Callable[[Any, Any], Any] | None,
) -> Any:
    result = function(shared, item if prepare is None else prepare(item))
    return result if keep is None else keep(item, result)


def _map_cluster(
    client: Client,
    function: Callable[[Any, Any], Any],
    shared: Any,
    items: Iterable[Any],
    prepare: Callable[[Any], Any] | None,
    keep: Callable[[Any, Any], Any] | None,
    on_lost: Callable[[str], Any] | None,
) -> Iterator[Any]:
    from segboost.pipelines.runtime.cluster import map_cluster

    sent: deque[Any] = deque()

    def send() -> Iterator[Any]:
        for item in items:
            sent.append(item)
            yield item if prepare is None else prepare(item)

    for result in map_cluster(client, function, shared, send(), on_lost):
        item = sent.popleft()  # results come in the order of the items
        yield result if keep is None else keep(item, result)
