from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.building import build, copy_sources


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the sdist and of the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("packaging")
    return build(copy_sources(folder / "source", links=True), folder / "dist")


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def sdist(dist: Path) -> Path:
    (path,) = dist.glob("*.tar.gz")
    return path
