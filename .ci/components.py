"""The dependencies of segboost, read from the installed packages."""

from __future__ import annotations

import re
from importlib import metadata

from packaging.requirements import Requirement


def normal(name: str) -> str:
    """Return a package name in normalised form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needs(name: str, extras: frozenset[str] = frozenset()) -> list[tuple[str, frozenset[str]]]:
    """Return the requirements of an installed package on this platform, with their extras."""
    found = []
    for text in metadata.distribution(name).requires or []:
        need = Requirement(text)
        wanted = need.marker is None or any(
            need.marker.evaluate({"extra": extra}) for extra in (*extras, "")
        )
        if wanted:
            found.append((normal(need.name), frozenset(need.extras)))
    return found


def closure(root: str, extras: frozenset[str]) -> dict[str, set[str]]:
    """Return the dependency graph of a package, itself included: name to direct dependencies."""
    graph: dict[str, set[str]] = {}
    done: set[tuple[str, frozenset[str]]] = set()
    todo = [(normal(root), extras)]
    while todo:
        package = todo.pop()
        if package in done:
            continue
        done.add(package)
        asked = needs(*package)
        graph.setdefault(package[0], set()).update(name for name, _ in asked)
        todo += asked
    return graph


def read_pins(text: str) -> dict[str, str]:
    """Return the pinned version of every package in a constraints file."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return {normal(line.split("==")[0]): line.split("==")[1] for line in lines if "==" in line}
