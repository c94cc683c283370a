"""Shared test settings: Hypothesis profiles and the order of parallel runs."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings

# No time limit per case; CI always draws the same cases.
settings.register_profile("default-cases", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default-cases")

LONGEST = (
    "tests/crashes/",
    "tests/label/test_browser",
    "tests/docs/",
    "tests/cluster/",
    "tests/report/",
    "tests/packaging/",
    "tests/fingerprints/",
    "tests/cli/verbs/",
    "tests/pipelines/",
)
"""Parallel runs start with these tests, so no long file is left for the end."""
TOGETHER = ("tests/crashes/", "tests/cluster/", "tests/report/", "tests/packaging/")
"""Folders whose files share a fixture that takes seconds to make: one process runs all of them."""


def work_unit(nodeid: str) -> str:
    """Return the file or folder whose tests all run in one process."""
    folder = next((folder for folder in TOGETHER if nodeid.startswith(folder)), None)
    return folder or nodeid.partition("::")[0]


def rank(nodeid: str) -> int:
    """Return the index in `LONGEST` of the prefix of a test's ID; other tests come last."""
    return next((n for n, start in enumerate(LONGEST) if nodeid.startswith(start)), len(LONGEST))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):  # only in the processes of a parallel run
        items.sort(key=lambda item: rank(item.nodeid))


@pytest.hookimpl(optionalhook=True)  # pytest-xdist may be missing
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class WorkUnits(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return work_unit(nodeid)

    config.option.loadscopereorder = False  # keep the order of `LONGEST`
    return WorkUnits(config, log)
