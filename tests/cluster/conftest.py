import pytest

from segboost.pipelines.runtime import cluster as module
from segboost.pipelines.runtime.cluster import connect
from tests.cluster.processes import START_SECONDS, LoopbackCluster

pytest.importorskip("distributed", reason="the extra cluster is not installed")


@pytest.fixture(scope="session", autouse=True)
def patient():
    """Raise the time limits for busy machines; yield the usual limit."""
    usual = module.CONNECT_SECONDS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CONNECT_SECONDS", START_SECONDS)
        patch.setattr(module, "PATIENCE", START_SECONDS)
        yield usual


@pytest.fixture
def usual_limit(patient, monkeypatch):
    monkeypatch.setattr(module, "CONNECT_SECONDS", patient)


@pytest.fixture(scope="session")
def cluster(patient, tmp_path_factory):
    """One scheduler and two workers for all tests; tests that kill a worker start another."""
    with LoopbackCluster(tmp_path_factory.mktemp("cluster")) as running:
        with connect(running.address, START_SECONDS):
            pass
        yield running
