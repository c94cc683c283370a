from __future__ import annotations

import os
import time

import pytest
from joblib import Parallel, delayed

from segboost.pipelines.runtime.shared_pool import map_shared, start_prepared


def square(x):
    return x * x


def who(x):
    time.sleep(0.05)
    return os.getpid()


def fail_at_three(x):
    if x == 3:
        raise ValueError("three")
    return x


def threads(x):
    time.sleep(0.05)
    return os.getpid(), os.environ.get("OMP_NUM_THREADS")


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 20])
def test_results_come_in_the_order_of_the_items(n, n_jobs):
    assert list(map_shared(square, range(n), n_jobs)) == [x * x for x in range(n)]


def test_this_process_works_too_and_the_others_have_one_thread():
    found = list(map_shared(threads, range(60), 2))
    assert len({pid for pid, _ in found}) == 2
    assert {count for pid, count in found if pid != os.getpid()} == {"1"}
    assert os.getpid() in {pid for pid, _ in found}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_reaches_the_caller_and_the_next_call_works(n_jobs):
    with pytest.raises(ValueError, match="three"):
        list(map_shared(fail_at_three, range(10), n_jobs))
    assert list(map_shared(square, range(10), n_jobs)) == [x * x for x in range(10)]


def test_a_caller_may_stop_early():
    results = map_shared(who, range(1000), 2)
    next(results)
    results.close()
    assert list(map_shared(square, range(4), 2)) == [0, 1, 4, 9]


def test_joblib_still_works_afterwards():
    """joblib has its own pool of workers."""
    assert list(map_shared(abs, [-1, -2, -3], 2)) == [1, 2, 3]
    assert Parallel(n_jobs=2)(delayed(abs)(-n) for n in range(3)) == [0, 1, 2]


def test_workers_prepare_before_they_work(tmp_path):
    folder = tmp_path / "made by a worker"
    with start_prepared(1, "os", "mkdir", str(folder)) as workers:
        found = list(map_shared(who, range(20), 2, workers))
        assert folder.is_dir()
    assert len(set(found)) == 2


def test_a_failure_to_prepare_does_not_affect_the_work(tmp_path):
    with start_prepared(1, "os", "mkdir", str(tmp_path)) as workers:
        assert list(map_shared(square, range(9), 2, workers)) == [x * x for x in range(9)]


def test_no_worker_is_started_without_work():
    with start_prepared(0, "os", "mkdir", "never") as workers:
        assert workers is None
