"""Taxonomy files: nested JSON or a list of parents, checked before a tree is built."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Hashable, Sequence
from os import PathLike
from typing import Any

from segboost.datasets.base import DatasetError
from segboost.datasets.tables.packed_files import read_packed
from segboost.tasks.taxonomy import Taxonomy

MOST_BYTES = 16 << 20
MOST_NODES = 100_000
MOST_LEVELS = 100
"""Deeper trees are refused: they are mistakes, and would exhaust the recursion limit."""


class TaxonomyFileError(DatasetError):
    """A taxonomy file that cannot be used; the message is one line that names it."""


def read_taxonomy(path: str | PathLike[str]) -> Taxonomy:
    """Return the tree that a file describes.

    One of

    - nested JSON, ``{"scenes": {"indoor": ["kitchen", "bath"], "outdoor": ["park"]}}``;
    - JSON of parents, ``{"kitchen": "indoor", "indoor": "scenes", …}`` or pairs
      ``[["kitchen", "indoor"], …]``;
    - text, one ``child,parent`` per line, separated by a comma, semicolon or tab; lines that begin
      with ``#`` are comments.

    Names of nodes are text here; `match_classes` turns leaves into class numbers.

    Raises
    ------
    TaxonomyFileError
        For a cycle, more than one root, a node with two parents, a tree of one node, and for files
        in none of the three formats.
    TableFileError
        If the file is missing or cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("tree.csv").write_text("kitchen,indoor\\nindoor,all\\npark,all\\n")
    >>> read_taxonomy("tree.csv").leaves
    ['kitchen', 'park']
    """
    try:
        text = read_packed(path, MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TaxonomyFileError(f"{path}: expected UTF-8 text") from None
    try:
        if text.lstrip()[:1] in ("{", "["):
            parents = _parents_of_json(text)
        else:
            parents = _parents_of_lines(text)
        _check_shape(parents)
        return Taxonomy(parents)
    except RecursionError:
        raise TaxonomyFileError(f"{path}: more than {MOST_LEVELS} levels") from None
    except ValueError as error:
        raise TaxonomyFileError(f"{path}: {error}") from None


def match_classes(taxonomy: Taxonomy, classes: Sequence[Hashable]) -> Taxonomy:
    """Return the tree with its leaves replaced by the matching classes.

    Names in files are text; the class 3 of a table matches the leaf "3". Leaves without a class
    stay as they are: a table need not hold every class.

    Raises
    ------
    ValueError
        If a class is not a leaf; the message names leaves without a class, which may be misspelt.
    """
    by_text: dict[str, Hashable] = {str(name): name for name in classes}
    leaves = {str(leaf) for leaf in taxonomy.leaves}
    missing = [name for name in by_text if name not in leaves]
    if missing:
        inner = [name for name in missing if name in {str(n) for n in taxonomy.parents.values()}]
        spare = sorted(leaves - set(by_text))
        hint = f"; leaves without rows: {_list(spare)}" if spare else ""
        why = " (an inner node, expected a leaf)" if inner else ""
        raise ValueError(f"the taxonomy has no leaf for the classes {_list(missing)}{why}{hint}")
    return Taxonomy(
        {
            (by_text.get(str(n), n) if str(n) in leaves else n): p
            for n, p in taxonomy.parents.items()
        }
    )


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def _parents_of_json(text: str) -> dict[Hashable, Hashable | None]:
    try:
        found = json.loads(text, object_pairs_hook=_no_twins)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: not JSON: {error.msg}") from None
    if isinstance(found, list):
        return _parents_of_pairs(found)
    if any(isinstance(value, (dict, list)) for value in found.values()):
        return _parents_of_nested(found)
    return {name: _name(parent) for name, parent in found.items()}


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dictionary; refuse repeated names, of which JSON would keep the last."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} is named twice; every node has one parent")
    return made


def _parents_of_nested(nested: dict[str, Any]) -> dict[Hashable, Hashable | None]:
    parents: dict[Hashable, Hashable | None] = {}
    waiting: list[tuple[Any, str | None]] = [(nested, None)]
    while waiting:
        below, parent = waiting.pop()
        for name, rest in _children(below, parent):
            if name in parents:
                raise ValueError(f"{name!r} is named twice; every node has one parent")
            parents[name] = parent
            if rest is not None:
                waiting.append((rest, name))
    return parents


def _children(below: Any, parent: str | None) -> list[tuple[str, Any]]:
    if isinstance(below, dict):
        return list(below.items())
    if not isinstance(below, list):
        raise ValueError(f"below {parent!r}: expected an object or list, got {str(below)[:40]!r}")
    found: list[tuple[str, Any]] = []
    for child in below:
        if isinstance(child, dict):
            found += child.items()
        else:
            name = _name(child)
            if name is None:
                raise ValueError(f"below {parent!r}: expected a name, got null")
            found.append((name, None))
    return found


def _parents_of_pairs(pairs: list[Any]) -> dict[Hashable, Hashable | None]:
    parents: dict[Hashable, Hashable | None] = {}
    for number, pair in enumerate(pairs, start=1):
        if not isinstance(pair, list) or len(pair) != 2:
            raise ValueError(f"entry {number}: expected [child, parent], got {str(pair)[:40]}")
        _put(parents, _name(pair[0]), _name(pair[1]), f"entry {number}")
    return parents


def _parents_of_lines(text: str) -> dict[Hashable, Hashable | None]:
    parents: dict[Hashable, Hashable | None] = {}
    first = next((line for line in text.splitlines() if line.partition("#")[0].strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            names = [cell.strip() for cell in cells]
            if not any(names) or names[0].startswith("#"):
                continue
            place = f"line {reader.line_num}"
            if len(names) != 2 or not names[0]:
                raise ValueError(f"{place}: expected child,parent, got {delimiter.join(cells)!r}")
            _put(parents, names[0], names[1] or None, place)
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None
    return parents


def _put(
    parents: dict[Hashable, Hashable | None], child: str | None, parent: str | None, place: str
) -> None:
    if child is None:
        raise ValueError(f"{place}: expected a name of a node, got null")
    if child in parents:
        raise ValueError(f"{place}: {child!r} has two parents; every node has one")
    parents[child] = parent


def _name(value: Any) -> str | None:
    """Return a node's name; numbers are converted to text, null means no parent."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ValueError(f"expected the name of a node, got {str(value)[:40]}")


def _check_shape(parents: dict[Hashable, Hashable | None]) -> None:
    """Refuse trees of one node, too many nodes or levels, and cycles, in linear time."""
    if len(parents) > MOST_NODES:
        raise ValueError(f"{len(parents)} nodes, expected at most {MOST_NODES}")
    if parents and all(parent is None for parent in parents.values()) and len(parents) == 1:
        raise ValueError(f"{next(iter(parents))!r} is the only node: expected classes below a root")
    for node in parents:
        climbed = 0
        seen: Hashable | None = node
        while seen is not None and seen in parents:
            seen = parents[seen]
            climbed += 1
            if seen == node:
                raise ValueError(f"a cycle through {node!r}: every path up must end at the root")
            if climbed > MOST_LEVELS:
                # A cycle above this node is found from inside it, unless this node comes first.
                kind = "a cycle" if _is_cycle(parents, seen) else f"more than {MOST_LEVELS} levels"
                raise ValueError(f"{kind} above {node!r}")


def _is_cycle(parents: dict[Hashable, Hashable | None], start: Hashable | None) -> bool:
    seen: set[Hashable] = set()
    node = start
    while node is not None and node in parents:
        if node in seen:
            return True
        seen.add(node)
        node = parents[node]
    return False
