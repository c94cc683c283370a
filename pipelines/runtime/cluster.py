"""Connect to a dask.distributed cluster and map a function over many items on its workers.

Workers share only the network with this process: inputs are sent to them, and results are sent
back. Data that all tasks of a call need is sent once, as a separate task, so that the scheduler
can recreate it when a worker is lost.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from threadpoolctl import threadpool_limits

from segboost.pipelines.runtime.run_log import package_versions

if TYPE_CHECKING:
    from distributed import Client, Future

Item = TypeVar("Item")
Result = TypeVar("Result")
Lost = Callable[[str], Any]

CONNECT_SECONDS = 7.0
"""Seconds that a scheduler may take to answer."""
PATIENCE = 60.0
"""Seconds without any worker after which a call gives up."""
POLL, LONGEST_POLL = 2.0, 600.0
"""Seconds between checks of the cluster, and the time limit of one attempt to fetch a result."""
AHEAD, KEPT = 2, 16
"""Limits per thread of the cluster: on tasks in progress, and on those plus waiting results."""
SCHEMES = ("tcp", "tls", "ucx", "ws", "wss", "inproc")
GONE = (
    "the scheduler is gone or dropped the work: restart it if needed and run the command again; "
    "finished work is kept"
)
DEATHS = "the workers that tried it died one after the other: is there enough memory?"


class ClusterError(OSError):
    """The cluster is unreachable, incompatible or gone; the message is one line."""


@contextmanager
def connect(address: str, patience: float | None = None) -> Iterator[Client]:
    """Connect to a scheduler for the duration of a ``with`` block.

    Parameters
    ----------
    address : str
        ``tcp://host:8786``, ``tls://…``, or the scheduler file of ``dask scheduler
        --scheduler-file``.
    patience : float, optional
        Seconds to wait for a first worker; `PATIENCE` by default.

    Raises
    ------
    ClusterError
        If the scheduler does not answer, no worker appears, or the first one has other versions of
        the packages that results depend on.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(
            "a cluster needs dask.distributed: pip install 'segboost[cluster]'"
        ) from None
    with _quiet():
        client = _open(Client, address)
        try:
            check_workers(client, patience)
            yield client
        finally:
            # Without a limit, closing would hang if the scheduler is gone.
            client.close(timeout=2)


def check_workers(client: Client, patience: float | None = None) -> None:
    """Run an empty task; ClusterError if no worker appears or the first one is incompatible."""
    for _ in map_cluster(client, _nothing, None, [None], patience=patience):
        pass


def map_cluster(
    client: Client,
    function: Callable[[Any, Item], Result],
    shared: Any,
    items: Iterable[Item],
    on_lost: Callable[[str], Result] | None = None,
    patience: float | None = None,
) -> Iterator[Result]:
    """Yield ``function(shared, item)`` for all items, in order, computed by the workers.

    If a worker dies, its task is run by another one. Only a few items per thread of the cluster
    are drawn from `items` ahead of the results.

    Parameters
    ----------
    client : distributed.Client
    function : callable
        A pure function: it may be called twice for one item, and one of the results is used.
    shared : object
        Sent to the cluster once.
    items : iterable
    on_lost : callable, optional
        Called with the reason if an item killed several workers; returns the item's result. By
        default a ClusterError is raised.
    patience : float, optional
        Seconds without any worker before an error is raised; `PATIENCE` by default.
    """
    name = f"segboost-{function.__name__}-{uuid.uuid4().hex}"
    versions = package_versions()
    futures: deque[Future] = deque()
    waiting = _Waiting(client, PATIENCE if patience is None else patience)
    try:
        holder = _send(client, shared, f"{name}-shared")
        todo = iter(items)
        number, more = 0, True
        while more or futures:
            while more and waiting.has_room(futures):
                try:
                    item = next(todo)
                except StopIteration:
                    more = False
                    break
                arguments = (function, versions, holder, item)
                futures.append(client.submit(_work, *arguments, key=f"{name}-{number}", pure=False))
                number += 1
            if futures:
                result = waiting.for_result(futures[0], on_lost)
                futures.popleft().release()
                yield result
    finally:
        if futures and client.status == "running":
            client.cancel(list(futures), force=True)


class _Waiting:
    """Watches the size of the cluster while waiting for results."""

    def __init__(self, client: Client, patience: float) -> None:
        self._client = client
        self._patience = patience
        self._seen = time.monotonic()
        self._asked = -POLL
        self._count = 0

    def has_room(self, futures: deque[Future]) -> bool:
        """Whether another task would keep the workers busy, without too many results waiting."""
        threads = max(1, self._threads())
        busy = sum(not future.done() for future in futures)
        return busy < AHEAD * threads and len(futures) < KEPT * threads

    def for_result(self, future: Future, on_lost: Lost | None) -> Any:
        """Return a result; ClusterError if there will be none."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        seconds, failed = POLL, False
        while True:
            try:
                return future.result(timeout=seconds)
            except KilledWorker:
                if on_lost is not None:
                    return on_lost(DEATHS)
                raise ClusterError(f"a task of the cluster failed: {DEATHS}") from None
            except FutureCancelledError:
                raise ClusterError(GONE) from None
            except ModuleNotFoundError as error:
                raise ClusterError(
                    f"a worker lacks the module {error.name}: install the same segboost there"
                ) from None
            except RuntimeError as error:
                if "deserialization of the task graph" not in str(error):
                    raise
                raise ClusterError(
                    "the scheduler cannot read the tasks: install the same segboost there, too"
                ) from None
            except TimeoutError:
                if failed:  # fetched again after it failed: this timeout is the task's own error
                    raise
                failed = future.status == "error"
                self._check_patience()
                if future.done():
                    # Each attempt restarts the transfer: a large result needs a longer limit.
                    seconds = min(2 * seconds, LONGEST_POLL)

    def _check_patience(self) -> None:
        if self._threads():
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > self._patience:
            address = self._client.scheduler.address if self._client.scheduler else "?"
            raise ClusterError(
                f"the scheduler at {address} has had no workers for {self._patience:.0f} s: start "
                f"some with `dask worker {address}`"
            )

    def _threads(self) -> int:
        """Return the number of threads of all workers at the last check."""
        now = time.monotonic()
        if now - self._asked >= POLL:
            try:
                self._count = sum(self._client.nthreads().values())
            except OSError:  # a lost connection shows here or in the result
                raise ClusterError(GONE) from None
            self._asked = now
        return self._count


def _open(make: Callable[..., Client], address: str) -> Client:
    scheme, found, _ = address.partition("://")
    # With another scheme, distributed leaves an event loop behind that complains at exit.
    if found and scheme not in SCHEMES:
        raise ClusterError(
            f"there is no scheduler at {address} (addresses begin with {SCHEMES[0]}:// or "
            f"{SCHEMES[1]}://): start one with `dask scheduler` and give the address it prints"
        )
    place = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
    opened: list[Client] = []
    reasons: list[str] = []

    def start() -> None:
        try:
            opened.append(
                make(**place, timeout=CONNECT_SECONDS, set_as_default=False, name="segboost")
            )
        except Exception as error:  # a wrong address may raise almost anything
            silent = isinstance(error, (OSError, TimeoutError))
            reasons.append("no answer" if silent else " ".join(str(error).split()))

    # In a thread: the client's own limit does not apply to a server that accepts but is silent.
    thread = threading.Thread(target=start, daemon=True)
    thread.start()
    thread.join(CONNECT_SECONDS + 1)
    if opened:
        return opened[0]
    raise ClusterError(
        f"there is no scheduler at {address} ({(reasons or ['no answer'])[0]}): start one with "
        "`dask scheduler` and give the address that it prints"
    )


def _send(client: Client, shared: Any, key: str) -> Future:
    """Return the future of an object that is sent only once.

    Scattered data is lost with the worker that holds it; the result of a task is recomputed.
    """
    import dask
    from distributed.protocol.pickle import dumps

    packed: Any = dumps(shared)
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
        return client.submit(_unpack, packed, key=key, pure=False)


def _unpack(packed: bytes) -> Any:
    from distributed.protocol.pickle import loads

    return loads(packed)


def _work(
    function: Callable[[Any, Any], Any], versions: dict[str, Any], shared: Any, item: Any
) -> Any:
    """Run one task in a worker, with checked versions and one thread, for identical results."""
    _compare(tuple(versions.items()))
    # Never reset: another task of this process may rely on it.
    threadpool_limits(1)
    return function(shared, item)


@lru_cache(maxsize=4)
def _compare(wanted: tuple[tuple[str, Any], ...]) -> None:
    import socket

    found = package_versions()
    wrong = [
        f"{name} {found.get(name)} instead of {v}" for name, v in wanted if found.get(name) != v
    ]
    if wrong:
        raise ClusterError(
            f"a worker on {socket.gethostname()} has {', '.join(wrong)}: results would differ; "
            "install the same versions on all machines"
        )


def _nothing(shared: None, item: None) -> None:
    pass


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the log of the connection: errors are reported by exceptions."""
    names = [n for n in logging.root.manager.loggerDict if n.partition(".")[0] == "distributed"]
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled
