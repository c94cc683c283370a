"""Map a function over many items in several processes, including this one.

A worker takes seconds to start and to import modules. The caller's process has already done so:
it starts working immediately, and one process fewer is started.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar

from joblib.externals.loky import ProcessPoolExecutor

from segboost.pipelines.runtime.worker_lifetime import leave_with_parent
from segboost.pipelines.runtime.worker_warnings import Recorded, recording, replay

Item = TypeVar("Item")
Result = TypeVar("Result")

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@contextmanager
def start_workers(n_workers: int) -> Iterator[Executor]:
    """Start processes for `map_shared`; they are killed if the block ends with an error."""
    # Not the executor that joblib reuses: after a shutdown joblib could not use it again.
    executor = ProcessPoolExecutor(
        max_workers=n_workers,
        env=ONE_THREAD,
        initializer=leave_with_parent,
        initargs=(os.getpid(),),
    )
    try:
        yield executor
    except BaseException:  # an error, Ctrl-C, or a caller that stops early
        executor.shutdown(wait=True, kill_workers=True)
        raise
    executor.shutdown(wait=True)


@contextmanager
def start_prepared(n_workers: int, module: str, name: str, *args: Any) -> Iterator[Executor | None]:
    """Start processes that call a function immediately, to load what they will need.

    The function is passed by name, so that the caller can import it while the workers do the
    same. Its return value and errors are ignored: an error will show up in the work itself.

    Parameters
    ----------
    n_workers : int
        Number of processes to start, not counting this one; if 0, None is yielded.
    module, name : str
        Module and name of the function.
    *args
        Arguments of the call.
    """
    if n_workers < 1:
        yield None
        return
    with start_workers(n_workers) as executor:
        for _ in range(n_workers):
            executor.submit(_call, module, name, *args)
        yield executor


def _call(module: str, name: str, *args: Any) -> None:
    getattr(import_module(module), name)(*args)


def map_shared(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    n_jobs: int,
    executor: Executor | None = None,
) -> Iterator[Result]:
    """Yield the results of the function in the order of the items.

    At most two items per worker are in progress at a time. Workers use one thread each.

    Parameters
    ----------
    function : callable
        Must be picklable, and so must its items and results.
    items : sequence
    n_jobs : int
        Number of processes, including this one; at most one per item is started.
    executor : Executor, optional
        From `start_workers` or `start_prepared`, with n_jobs − 1 workers.
    """
    n_workers = min(n_jobs, len(items)) - 1
    if n_workers < 1:
        yield from map(function, items)
    elif executor is not None:
        yield from _share(function, items, n_workers, executor.submit)
    else:
        with start_workers(n_workers) as own:
            yield from _share(function, items, n_workers, own.submit)


def _share(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    n_workers: int,
    submit: Callable[..., Future[Any]],
) -> Iterator[Result]:
    """Repeatedly feed the workers, process one item here and yield the results that are ready."""
    todo = deque(items)
    remote = recording(function)
    waiting: deque[Future[Recorded]] = deque()
    while todo:
        # Queue a second item for each worker, except near the end, where an idle process would
        # have to wait for another that still has two.
        most = 2 * n_workers if len(todo) > 2 * n_workers else n_workers
        busy = sum(not future.done() for future in waiting)
        for _ in range(min(most - busy, len(todo))):
            waiting.append(submit(remote, todo.popleft()))
        if todo:
            waiting.append(_done(remote(todo.popleft())))
        while waiting and waiting[0].done():
            yield replay(waiting.popleft().result())
    while waiting:
        yield replay(waiting.popleft().result())


def _done(result: Result) -> Future[Result]:
    future: Future[Result] = Future()
    future.set_result(result)
    return future
