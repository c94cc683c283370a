"""Mapping over a cluster: order, lost workers, wrong versions, missing schedulers."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time

import joblib
import numpy as np
import pytest

from segboost.pipelines.runtime import cluster as module
from segboost.pipelines.runtime.cluster import ClusterError, check_workers, connect, map_cluster
from segboost.pipelines.runtime.parallel_map import active_cluster, map_tasks
from segboost.pipelines.runtime.single_thread import single_threaded
from tests.cluster.processes import START_SECONDS, LoopbackCluster


@pytest.fixture(scope="module")
def client(cluster):
    with connect(cluster.address, START_SECONDS) as found:
        yield found


def slow_sum(shared, item):
    time.sleep(0.02)
    return float(shared.sum()) + item


def where(shared, item):
    return os.getpid()


def test_results_are_in_order_and_computed_in_other_processes(client):
    shared = np.arange(1000.0)
    found = list(map_cluster(client, slow_sum, shared, range(30)))
    assert found == [shared.sum() + i for i in range(30)]
    assert os.getpid() not in set(map_cluster(client, where, None, range(8)))


def test_no_more_items_are_drawn_than_are_needed(client):
    drawn = []

    def items():
        for i in range(200):
            drawn.append(i)
            yield i

    results = map_cluster(client, slow_sum, np.zeros(1), items())
    next(results)
    assert len(drawn) <= module.KEPT * 2 + 1
    results.close()


def test_a_killed_worker_loses_nothing(cluster, client):
    """The worker may have held the only copy of the shared data."""
    shared = np.ones(200_000)
    found = []
    for result in map_cluster(client, slow_sum, shared, range(60)):
        found.append(result)
        if len(found) in (10, 30):
            cluster.add_worker()
            cluster.kill_worker()
    assert found == [200_000.0 + i for i in range(60)]


def die(shared, item):
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def test_an_item_that_kills_its_workers_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    with LoopbackCluster(tmp_path) as own, connect(own.address, START_SECONDS) as client:
        assert list(map_cluster(client, die, None, [3], on_lost=str.upper)) == [
            module.DEATHS.upper()
        ]
        assert list(map_cluster(client, die, None, [4, 5])) == [4, 5]
        with pytest.raises(ClusterError, match="is there enough memory"):
            list(map_cluster(client, die, None, [3]))


def fail(shared, item):
    raise ValueError(f"item {item} is odd")


def test_errors_of_tasks_are_raised(client):
    with pytest.raises(ValueError, match="item 0 is odd"):
        list(map_cluster(client, fail, None, range(3)))


def test_other_versions_are_refused(client, monkeypatch):
    other = {**module.package_versions(), "numpy": "1.0"}
    monkeypatch.setattr(module, "package_versions", lambda: other)
    with pytest.raises(ClusterError, match=r"numpy .* instead of 1\.0"):
        check_workers(client)


def test_a_joblib_backend_selects_the_cluster(client):
    assert active_cluster() is None
    with joblib.parallel_config(backend="dask", client=client):
        assert active_cluster() is client
        with single_threaded():
            assert active_cluster() is client
            assert os.getpid() not in set(map_tasks(where, None, range(4), 1))
            # Other joblib calls stay in this process.
            assert joblib.Parallel(n_jobs=1)([joblib.delayed(os.getpid)()]) == [os.getpid()]
    assert active_cluster() is None


def test_a_scheduler_without_workers_is_reported(tmp_path):
    with (
        LoopbackCluster(tmp_path, n_workers=0) as own,
        pytest.raises(ClusterError, match=r"no workers for 1 s: start some with `dask worker"),
        connect(own.address, patience=1.0),
    ):
        pass


def test_a_lost_scheduler_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CONNECT_SECONDS", 60.0)  # also the limit for reconnecting
    with (
        LoopbackCluster(tmp_path, n_workers=1) as own,
        connect(own.address, START_SECONDS) as client,
    ):
        results = map_cluster(client, slow_sum, np.zeros(1), range(1000))
        next(results)
        own.scheduler.kill()
        own.scheduler.wait()
        with pytest.raises(ClusterError, match="the scheduler is gone"):
            list(results)


@pytest.mark.parametrize("kind", ["closed", "silent", "nonsense", "no such host", "strange"])
def test_an_address_without_a_scheduler_is_reported_within_ten_seconds(kind, usual_limit):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        if kind == "nonsense":
            threading.Thread(target=_answer_nonsense, args=(server,), daemon=True).start()
        if kind == "closed":
            server.close()
        address = {
            "no such host": "tcp://nobody.invalid:8786",
            "strange": "ftp://x y",
        }.get(kind, f"tcp://127.0.0.1:{port}")
        start = time.monotonic()
        with pytest.raises(ClusterError, match="there is no scheduler at"), connect(address):
            pass
        assert time.monotonic() - start < 10


def _answer_nonsense(server):
    try:
        connection, _ = server.accept()
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nhello" * 10)
    except OSError:
        pass
