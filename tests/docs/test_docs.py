"""The code of every page runs in order, and all links and named paths exist."""

from __future__ import annotations

import re
import sys
import types
import warnings

import pytest

from tests.docs.pages import PAGES, ROOT, anchors, code_blocks, links

NOTEWORTHY = (UserWarning, RuntimeWarning, FutureWarning)


def name(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if code_blocks(p.read_text())], ids=name)
def test_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = types.ModuleType(f"page_{page.stem.replace('-', '_')}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for line, block in code_blocks(page.read_text()):
            # Leading empty lines give tracebacks the line numbers of the page.
            exec(compile("\n" * line + block, str(page), "exec"), module.__dict__)
    # An example that does not converge, or divides by zero, is a poor example.
    assert [str(w.message) for w in caught if issubclass(w.category, NOTEWORTHY)] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_resolve(page):
    for link in links(page.read_text()):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)} links to {link}, which does not exist"
        if anchor:
            assert anchor in anchors(target.read_text()), f"{name(page)}: no heading for {link}"


def test_every_page_is_linked_from_the_index():
    named = {link.partition("#")[0] for link in links((ROOT / "docs" / "index.md").read_text())}
    pages = {p.name for p in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages <= named


def test_the_parts_of_the_report_have_the_titles_that_the_guide_names():
    guide = (ROOT / "docs" / "reading-the-report.md").read_text()
    titles = re.findall(r"^\| \*\*(.+?)\*\* \|", guide, re.M)
    assert len(titles) >= 8
    source = "".join(p.read_text() for p in (ROOT / "segboost" / "report").rglob("*.py"))
    assert not [title for title in titles if f'"{title}"' not in source]


def test_the_pre_commit_hooks_are_the_commands_of_make_lint():
    recipe = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    commands = re.findall(r"^\t\$\(BIN\)/(.+)$", recipe, re.M)
    hooks = re.findall(
        r"entry: \.venv/bin/(.+)$", (ROOT / ".pre-commit-config.yaml").read_text(), re.M
    )
    assert hooks == commands
    assert len(commands) >= 4


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_paths_of_the_repository_exist(page):
    folders = "tests|segboost|features|datasets|pipelines|docs|\\.ci"
    found = re.findall(rf"`((?:{folders})/[^`\s*]*)`", page.read_text())
    assert not [path for path in found if "NAME" not in path and not (ROOT / path).exists()]


def test_pages_that_promise_code_have_some():
    for page in ("README.md", "docs/own-task.md", "docs/own-weak-learner.md", "docs/solver.md"):
        assert len(code_blocks((ROOT / page).read_text())) >= 3
