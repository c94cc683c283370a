"""A function over many items by several processes, of which this one is one.

A worker takes seconds to start and to import. Here the caller's process, which has all it needs
already, works from the first moment on, and one process fewer is started.
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

Item = TypeVar("Item")
Result = TypeVar("Result")

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@contextmanager
def start_workers(n_workers: int) -> Iterator[Executor]:
    """Start processes for `map_shared`; they are killed where the block ends with an error."""
    # Not the executor that joblib keeps for its own use: joblib could not use that one again.
    executor = ProcessPoolExecutor(
        max_workers=n_workers,
        env=ONE_THREAD,
        initializer=leave_with_parent,
        initargs=(os.getpid(),),
    )
    try:
        yield executor
    except BaseException:  # an error, Ctrl-C, or a caller who wants no more
        executor.shutdown(wait=True, kill_workers=True)
        raise
    executor.shutdown(wait=True)


@contextmanager
def start_prepared(n_workers: int, module: str, name: str, *args: Any) -> Iterator[Executor | None]:
    """Start processes that call a function at once, so as to have all that they will need.

    The function is named, not given: the caller need not have imported it yet, and can do so
    while the workers do. What it returns or raises is dropped; an error shows in the work itself.

    Parameters
    ----------
    n_workers : int
        One fewer than the processes that are to work; None is returned for none.
    module, name : str
        Of the function.
    *args
        Of the call.
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
    """Yield the function's results in the order of the items.

    No more than two items a worker are under way at a time. Workers use one thread each.

    Parameters
    ----------
    function : callable
        Can be pickled, as its items and results can.
    items : sequence
    n_jobs : int
        Processes, this one included; no more are started than there are items.
    executor : Executor, optional
        Of `start_workers` or `start_prepared`, with the n_jobs − 1 others.
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
    submit: Callable[..., Future[Result]],
) -> Iterator[Result]:
    """Feed the workers, do the next item here, yield what is ready; and so on."""
    todo = deque(items)
    waiting: deque[Future[Result]] = deque()
    while todo:
        # A second item lies ready for each worker, but not of the last ones: none waits at the
        # end for another that has two.
        most = 2 * n_workers if len(todo) > 2 * n_workers else n_workers
        busy = sum(not future.done() for future in waiting)
        for _ in range(min(most - busy, len(todo))):
            waiting.append(submit(function, todo.popleft()))
        if todo:
            waiting.append(_done(function(todo.popleft())))
        while waiting and waiting[0].done():
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _done(result: Result) -> Future[Result]:
    future: Future[Result] = Future()
    future.set_result(result)
    return future
