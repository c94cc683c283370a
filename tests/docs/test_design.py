"""The modules that docs/design.md names exist, and data flows through `train` in one direction."""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

PACKAGE = ROOT / "segboost"
DESIGN = (ROOT / "docs" / "design.md").read_text()
SEGMENTATION = "pipelines.segmentation."


def all_modules() -> set[str]:
    names = set()
    for name in ("", *(p.name for p in PACKAGE.iterdir() if p.is_dir())):
        folder = (PACKAGE / name).resolve()
        files = folder.glob("*.py") if not name else folder.rglob("*.py")
        for path in files:
            parts = [name, *path.relative_to(folder).with_suffix("").parts]
            names.add(".".join(p for p in parts if p and p != "__init__"))
    return names - {""}


MODULES = all_modules()


def section(title: str) -> str:
    return DESIGN.partition(f"## {title}\n")[2].partition("\n## ")[0]


def table_modules(title: str) -> list[str]:
    rows = [line for line in section(title).splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])]


FLOWS = ("How data flows through `train`", "How data flows with several classes")


def flow(title: str) -> list[list[str]]:
    """Return the modules of every numbered step, with their full names."""
    lines = re.findall(r"^\d+\. ([^:]*):", section(title), re.M)
    return [
        [n if n in MODULES else SEGMENTATION + n for n in re.findall(r"`([^`]+)`", line)]
        for line in lines
    ]


def imports(module: str) -> set[str]:
    """Return the segboost modules that a module imports, at its top or inside functions."""
    path = PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    found = set()
    for node in ast.walk(ast.parse(Path(path).read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("segboost."):
            base = node.module.removeprefix("segboost.")
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return found & MODULES


@pytest.mark.parametrize("title", ["Core", "Around the core"])
def test_modules_of_the_tables_exist(title):
    named = table_modules(title)
    assert len(named) >= 20
    missing = [n for n in named if not any(fnmatchcase(m, n) for m in MODULES)]
    assert not missing


@pytest.mark.parametrize("title", FLOWS)
def test_modules_of_the_flow_exist(title):
    steps = flow(title)
    assert len(steps) >= 14
    assert not {name for step in steps for name in step} - MODULES


@pytest.mark.parametrize("title", FLOWS)
def test_no_step_of_train_imports_a_later_one(title):
    steps = flow(title)
    for number, step in enumerate(steps):
        later = {name for after in steps[number + 1 :] for name in after}
        for module in step:
            assert not imports(module) & later, module


def test_every_package_is_in_a_table():
    named = [*table_modules("Core"), *table_modules("Around the core")]
    packages = {m for m in MODULES if (PACKAGE.joinpath(*m.split(".")) / "__init__.py").exists()}
    rooms = {p for p in packages if p.count(".") <= 1}
    assert not {p for p in rooms if not any(n.startswith(f"{p}.") for n in named)}
