"""A dask.distributed cluster: connecting to it, and a function over many items on its workers.

Nothing but the network is shared with the workers: what a task needs is sent to it, what it makes
comes back. Data that all tasks of a call need is sent once, as a task of its own, so that the
scheduler can make it anew wherever a worker is lost.
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
"""How long a scheduler may take to answer."""
PATIENCE = 60.0
"""Seconds without any worker after which a call gives up."""
POLL, LONGEST_POLL = 2.0, 600.0
"""Seconds between looks at the cluster, and the longest that one result may travel at a time."""
AHEAD, KEPT = 2, 16
"""Tasks under way, and results that wait for an earlier one, for every thread of the cluster."""
SCHEMES = ("tcp", "tls", "ucx", "ws", "wss", "inproc")
DEATHS = "the workers that tried it died one after the other: is there enough memory?"


class ClusterError(OSError):
    """The cluster cannot be reached, does not fit or has gone; the message is one line."""


@contextmanager
def connect(address: str, patience: float | None = None) -> Iterator[Client]:
    """Connect to a scheduler for the time of a ``with`` block.

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
        Where nobody answers, no worker comes, or one has other versions of the packages that
        results depend on.
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
            # Without a limit, a scheduler that has gone would hold up the end.
            client.close(timeout=2)


def check_workers(client: Client, patience: float | None = None) -> None:
    """Wait for a worker; ClusterError where none comes or one does not fit this process."""
    for _ in map_cluster(client, _nothing, None, [None], patience=patience):
        pass


def map_cluster(
    client: Client,
    function: Callable[[Any, Item], Result],
    shared: Any,
    items: Iterable[Item],
    lost: Callable[[str], Result] | None = None,
    patience: float | None = None,
) -> Iterator[Result]:
    """Yield ``function(shared, item)`` for all items, in their order, computed by the workers.

    A task whose worker dies is done by another one. No more than a few items a thread of the
    cluster are drawn from `items` ahead of the results.

    Parameters
    ----------
    client : distributed.Client
    function : callable
        Pure: it may be called twice for one item, of which one result is taken.
    shared : object
        Sent to the cluster once.
    items : iterable
    lost : callable, optional
        Makes the result of an item that killed several workers from the reason; by default that
        is a ClusterError.
    patience : float, optional
        Seconds without any worker after which it is an error; `PATIENCE` by default.
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
                result = waiting.for_result(futures[0], lost)
                futures.popleft().release()
                yield result
    finally:
        if futures and client.status == "running":
            client.cancel(list(futures), force=True)


class _Waiting:
    """Looks after the size of the cluster while results are waited for."""

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

    def for_result(self, future: Future, lost: Lost | None) -> Any:
        """Return a result; a ClusterError where there will be none."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        seconds, failed = POLL, False
        while True:
            try:
                return future.result(timeout=seconds)
            except KilledWorker:
                if lost is not None:
                    return lost(DEATHS)
                raise ClusterError(f"a task of the cluster failed: {DEATHS}") from None
            except FutureCancelledError:
                raise ClusterError(
                    "the scheduler has gone or dropped the work: start it again; what was "
                    "finished is kept"
                ) from None
            except ModuleNotFoundError as error:
                raise ClusterError(
                    f"a worker has no {error.name}: install the same segboost there"
                ) from None
            except RuntimeError as error:
                if "deserialization of the task graph" not in str(error):
                    raise
                raise ClusterError(
                    "the scheduler cannot read the work: install the same segboost there, too"
                ) from None
            except TimeoutError:
                if failed:  # asked once more since it failed: this is the task's own
                    raise
                failed = future.status == "error"
                self._check_patience()
                if future.done():
                    # A result on its way is asked for anew each time: a large one needs longer.
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
        """Return the threads of all workers, as they were a moment ago."""
        now = time.monotonic()
        if now - self._asked >= POLL:
            self._count = sum(self._client.nthreads().values())
            self._asked = now
        return self._count


def _open(make: Callable[..., Client], address: str) -> Client:
    scheme, found, _ = address.partition("://")
    # With another scheme, distributed leaves an event loop behind that complains at exit.
    if found and scheme not in SCHEMES:
        raise ClusterError(
            f"there is no scheduler at {address} (addresses begin with {SCHEMES[0]}:// or "
            f"{SCHEMES[1]}://): start one with `dask scheduler` and give the address that it tells"
        )
    place = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
    opened: list[Client] = []
    reasons: list[str] = []

    def start() -> None:
        try:
            opened.append(
                make(**place, timeout=CONNECT_SECONDS, set_as_default=False, name="segboost")
            )
        except Exception as error:  # of a wrong address almost anything
            silent = isinstance(error, (OSError, TimeoutError))
            reasons.append("no answer" if silent else " ".join(str(error).split()))

    # In a thread, since the client's own limit does not hold for whoever accepts and is silent.
    thread = threading.Thread(target=start, daemon=True)
    thread.start()
    thread.join(CONNECT_SECONDS + 1)
    if opened:
        return opened[0]
    raise ClusterError(
        f"there is no scheduler at {address} ({(reasons or ['no answer'])[0]}): start one with "
        "`dask scheduler` and give the address that it tells"
    )


def _send(client: Client, shared: Any, key: str) -> Future:
    """Return the future of an object that is sent once.

    Scattered data is gone with the worker that holds it; the result of a task is made again.
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
    """Run in a worker: one task, with the threads and the versions that make bytes equal."""
    _compare(tuple(versions.items()))
    # Never set back: another task of this process may rely on it.
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
    """Keep the messages of the connection to itself: errors are told by exceptions."""
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
