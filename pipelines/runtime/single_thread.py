"""One thread a process: the processes are the parallelism, and rounding does not depend on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import parallel_config
from threadpoolctl import threadpool_limits

from segboost.pipelines.runtime.parallel_map import active_cluster, use_cluster


@contextmanager
def single_threaded() -> Iterator[None]:
    """Keep BLAS and OpenMP to one thread, here and in the processes that joblib starts.

    Sums of several threads are rounded in another way than sums of one: with this, results are
    the same bytes on every machine and with every number of jobs.

    A cluster that the caller chose stays active for `parallel_map` only: the other calls of joblib
    are too small to be worth sending to another machine.
    """
    cluster = active_cluster()
    local = parallel_config(backend="loky", inner_max_num_threads=1)
    with use_cluster(cluster), threadpool_limits(1), local:
        yield
