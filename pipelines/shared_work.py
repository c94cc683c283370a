"""A function over many items by several processes, of which this one is one.

A worker takes seconds to start and to import. Here the caller's process, which has all it needs
already, works from the first moment on, and one process fewer is started.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import TypeVar

from joblib.externals.loky import ProcessPoolExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def map_shared(
    function: Callable[[Item], Result], items: Sequence[Item], n_jobs: int
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
    """
    n_workers = min(n_jobs, len(items)) - 1
    if n_workers < 1:
        yield from map(function, items)
        return
    # Not the executor that joblib keeps for its own use: joblib could not use that one again.
    executor = ProcessPoolExecutor(max_workers=n_workers, env=ONE_THREAD)
    try:
        yield from _share(function, items, n_workers, executor.submit)
    except BaseException:  # an error, Ctrl-C, or a caller who wants no more
        executor.shutdown(wait=True, kill_workers=True)
        raise
    executor.shutdown(wait=True)


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
