"""The package list, links and pins are consistent; no local paths, and no pickles."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.packaging.building import LINKS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_package_list_equals_the_disk():
    on_disk = {
        os.path.relpath(folder, ROOT).replace(os.sep, ".")
        for folder, _, files in os.walk(ROOT / "segboost", followlinks=True)
        if "__init__.py" in files
    }
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert len(listed) == len(set(listed))
    assert set(listed) == on_disk


@pytest.mark.parametrize("name", LINKS)
def test_links_are_relative(name):
    assert os.readlink(ROOT / "segboost" / name) == f"../{name}"
    assert PROJECT["tool"]["setuptools"]["package-dir"][f"segboost.{name}"] == name


def test_every_requirement_is_pinned():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    pinned = {name.lower().replace("_", "-") for name in pins}
    extras = PROJECT["project"]["optional-dependencies"]
    requirements = [
        *PROJECT["project"]["dependencies"],
        *(r for extra in extras.values() for r in extra),
    ]
    names = {re.split(r"[<>=!~ \[]", r)[0].lower().replace("_", "-") for r in requirements}
    assert names <= pinned


def test_no_file_names_a_local_path():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    pattern = "|".join(rf"(^|[^A-Za-z0-9._~])/{place}/" for place in ("root", "home", "work"))
    done = subprocess.run(
        ["git", "grep", "-nIE", pattern],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stdout == ""
    # 1 means that nothing was found; a search that failed returns 128.
    assert done.returncode == 1, done.stderr


def test_nothing_is_unpickled():
    """No module imports an unpickler, including the modules behind the links."""
    modules = {
        Path(folder, name).relative_to(ROOT / "segboost")
        for folder, _, files in os.walk(ROOT / "segboost", followlinks=True)
        for name in files
        if name.endswith(".py")
    }
    assert set(LINKS) < {path.parts[0] for path in modules}
    for path in modules:
        text = (ROOT / "segboost" / path).read_text()
        assert not re.search(r"^\s*(import|from) (pickle|dill|cloudpickle)\b", text, re.M), path
