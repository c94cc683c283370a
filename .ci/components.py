"""What segboost depends on, read from the installed packages."""

from __future__ import annotations

import re
from importlib import metadata

from packaging.requirements import Requirement


def normal(name: str) -> str:
    """Return a package's name in its one spelling."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needs(name: str, extras: frozenset[str] = frozenset()) -> list[tuple[str, frozenset[str]]]:
    """Return what an installed package asks for here, each with the extras that it asks for."""
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
    """Return all that a package needs, itself included: names, and whom each needs itself."""
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
    """Return the versions that a constraints file names."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return {normal(line.split("==")[0]): line.split("==")[1] for line in lines if "==" in line}
