"""Contents of the wheel and the sdist, and their installation in an empty environment."""

from __future__ import annotations

import json
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import segboost
from tests.packaging.building import LINKS, ROOT, build, copy_sources, run

pytestmark = pytest.mark.slow

LOOK = """
import importlib.util, json, sys
import segboost
found = {name: importlib.util.find_spec(name) is not None for name in %r}
print(json.dumps([segboost.__version__, segboost.__file__.startswith(sys.prefix), found]))
"""


def sources() -> set[str]:
    """Return the modules of the repository under their installed names."""
    core = [p for p in (ROOT / "segboost").rglob("*.py") if not p.is_symlink()]
    names = {p.relative_to(ROOT).as_posix() for p in core}
    for folder in LINKS:
        below = (ROOT / folder).rglob("*.py")
        names |= {f"segboost/{p.relative_to(ROOT).as_posix()}" for p in below}
    return names


def members(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_nothing_but_segboost_at_the_top_level(wheel):
    top = {name.split("/")[0] for name in members(wheel)}
    (info,) = top - {"segboost"}
    assert info.endswith(".dist-info")


def test_the_wheel_holds_every_module_once(wheel):
    names = [n for n in members(wheel) if ".dist-info/" not in n]
    assert len(names) == len(set(names))
    assert {n for n in names if n.endswith(".py")} == sources()
    assert "segboost/py.typed" in names


def test_style_sheets_and_scripts_are_installed(wheel, sdist):
    core = [p for p in (ROOT / "segboost").rglob("*") if p.suffix in (".css", ".js", ".html")]
    wanted = {p.relative_to(ROOT).as_posix() for p in core}
    assert "segboost/report/page.css" in wanted
    assert wanted <= set(members(wheel))
    with tarfile.open(sdist) as archive:
        assert wanted <= {n.split("/", 1)[1] for n in archive.getnames() if "/" in n}


def test_the_metadata_names_entry_point_extras_and_licence(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (place,) = {n.split("/")[0] for n in archive.namelist() if ".dist-info/" in n}
        metadata = archive.read(f"{place}/METADATA").decode()
        entry = archive.read(f"{place}/entry_points.txt").decode()
    assert "segboost = segboost.cli.main:main" in entry
    for extra in ("track", "cluster", "bench", "docs"):
        assert f"Provides-Extra: {extra}\n" in metadata
    assert "License-Expression: GPL-3.0-or-later\n" in metadata
    assert "Project-URL: Paper, https://" in metadata
    assert "# segboost" in metadata


def test_the_sdist_holds_the_sources_and_the_licence(sdist):
    with tarfile.open(sdist) as archive:
        names = {n.split("/", 1)[1] for n in archive.getnames() if "/" in n}
    wanted = {"LICENSE", "README.md", "pyproject.toml", "segboost/py.typed"}
    wanted |= {n.removeprefix("segboost/") if n.split("/")[1] in LINKS else n for n in sources()}
    assert wanted <= names


def test_a_checkout_without_links_builds_the_same_wheel(wheel, tmp_path):
    source = copy_sources(tmp_path / "source", links=False)
    (other,) = build(source, tmp_path / "dist", "--wheel").glob("*.whl")
    assert sorted(members(other)) == sorted(members(wheel))


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_an_empty_environment_gets_segboost_and_no_generic_names(kind, request, tmp_path):
    archive = request.getfixturevalue(kind)
    run([sys.executable, "-m", "venv", tmp_path / "env"])
    python = tmp_path / "env" / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--no-deps", archive])
    names = [*LINKS, "tests", *(f"segboost.{name}" for name in LINKS)]
    version, inside, found = json.loads(run([python, "-I", "-c", LOOK % names], cwd=tmp_path))
    assert version == segboost.__version__
    assert inside
    assert found == {name: name.startswith("segboost.") for name in names}
