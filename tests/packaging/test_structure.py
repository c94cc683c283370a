"""Limits on the size of files, functions and folders; tests mirror the folders."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.packaging.building import ROOT

SOURCES = ("segboost", "features", "pipelines", "datasets")
MOST_LINES = 350
MOST_FUNCTION_LINES = 60
MOST_FILES = 20
"""Python files of a folder, including `__init__.py`."""
MOST_IMPORTS = 15
"""Modules of the package that one module of `pipelines` may import."""


def modules(*folders):
    """Yield the Python files below the folders; links to other folders are not followed."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not any(parent.is_symlink() for parent in path.parents):
                yield path


def name(path):
    return path.relative_to(ROOT).as_posix()


def function_lines(function):
    """Count the lines of a function without its docstring."""
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is not None:
        docstring = function.body[0]
        lines -= docstring.end_lineno - docstring.lineno + 1
    return lines


def own_imports(tree):
    """Return the modules of the package that a module names in import statements."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {module for module in found if module.split(".")[0] == "segboost"}


def packages():
    """Return the package folders, relative to the root."""
    return sorted({path.parent.relative_to(ROOT) for path in modules(*SOURCES)})


def mirror(package):
    """Return the test folder of a package: that of `segboost` itself is `tests`."""
    return Path("tests", *(package.parts[1:] if package.parts[0] == "segboost" else package.parts))


def test_files_are_short():
    lengths = {name(p): p.read_text().count("\n") for p in modules(*SOURCES, "tests")}
    assert len(lengths) > 300
    assert {n: lines for n, lines in lengths.items() if lines > MOST_LINES} == {}


def test_functions_are_short():
    found = {}
    for path in modules(*SOURCES, "tests"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found[f"{name(path)}:{node.lineno} {node.name}"] = function_lines(node)
    assert len(found) > 2000
    assert {n: lines for n, lines in found.items() if lines > MOST_FUNCTION_LINES} == {}


def test_no_folder_has_too_many_files():
    sizes = Counter(name(p.parent) for p in modules(*SOURCES, "tests"))
    del sizes["tests/benchmarks"]  # one file per benchmark
    assert {folder: size for folder, size in sizes.items() if size > MOST_FILES} == {}


def test_modules_of_pipelines_have_few_imports():
    counts = {name(p): len(own_imports(ast.parse(p.read_text()))) for p in modules("pipelines")}
    assert max(counts.values()) > 5
    assert {n: count for n, count in counts.items() if count > MOST_IMPORTS} == {}


@pytest.mark.parametrize("package", packages(), ids=str)
def test_every_package_has_tests(package):
    inside = [
        p for p in (ROOT / package).glob("*.py") if p.name not in ("__init__.py", "_version.py")
    ]
    if not inside:
        pytest.skip("only packages inside")
    assert list((ROOT / mirror(package)).glob("test_*.py")), f"no tests in {mirror(package)}"


def test_the_helpers_count_correctly():
    tree = ast.parse(
        'def f():\n    """One\n    two."""\n    a = 1\n    return a\nimport segboost.x\n'
    )
    assert function_lines(tree.body[0]) == 3
    assert own_imports(tree) == {"segboost.x"}
    assert mirror(Path("segboost/cli/options")) == Path("tests/cli/options")
    assert mirror(Path("pipelines/runtime")) == Path("tests/pipelines/runtime")
