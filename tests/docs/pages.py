"""The documentation pages, with their code blocks, links and anchors."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
PAGES = [*(ROOT / name for name in TOP), *sorted((ROOT / "docs").glob("*.md"))]

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
_CODE = re.compile(r"^```.*?^```|^ {4}.*?$", re.S | re.M)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.M)


def code_blocks(text: str) -> list[tuple[int, str]]:
    """Return the Python blocks of a page and the lines where they start."""
    return [(text.count("\n", 0, m.start(1)), m.group(1)) for m in _BLOCK.finditer(text)]


def links(text: str) -> list[str]:
    """Return the link targets of a page, ignoring code."""
    return _LINK.findall(_CODE.sub("", text))


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as code hosts generate them."""
    found = set()
    for heading in _HEADING.findall(_CODE.sub("", text)):
        plain = re.sub(r"[`*]", "", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found
