import pytest

from segboost.pipelines.cluster import connect
from tests.cluster.processes import START_SECONDS, LoopbackCluster

pytest.importorskip("distributed", reason="the extra cluster is not installed")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """One scheduler and two workers for all tests; whoever kills a worker starts another."""
    with LoopbackCluster(tmp_path_factory.mktemp("cluster")) as running:
        with connect(running.address, START_SECONDS):
            pass
        yield running
