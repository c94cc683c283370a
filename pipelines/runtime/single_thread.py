"""One thread per process, so that rounding does not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import parallel_config
from threadpoolctl import threadpool_limits

from segboost.pipelines.runtime.parallel_map import active_cluster, use_cluster


@contextmanager
def single_threaded() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread, here and in the processes that joblib starts.

    Sums over several threads round differently from sums in one thread. With this limit, results
    are byte-identical with any number of cores and jobs; other kinds of processors may still round
    differently.

    A cluster that the caller chose stays active for `parallel_map` only: the other calls of joblib
    are too small to be worth sending to another machine.
    """
    cluster = active_cluster()
    local = parallel_config(backend="loky", inner_max_num_threads=1)
    with use_cluster(cluster), threadpool_limits(1), local:
        yield
