"""Class hierarchies: a checked tree with its label codes and its tree loss."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from segboost._types import FloatArray


class Taxonomy:
    """A rooted tree whose leaves are the classes.

    Parameters
    ----------
    parents : mapping of node to its parent
        Every node except the root; the root may be given with the parent None.

    Raises
    ------
    ValueError
        For a cycle, more than one root or an empty tree.

    Examples
    --------
    >>> tree = Taxonomy.from_nested({"all": {"indoor": ["kitchen", "bath"], "outdoor": ["park"]}})
    >>> tree.leaves
    ['kitchen', 'bath', 'park']
    >>> tree.loss(["kitchen", "bath", "park"])
    array([[0., 1., 2.],
           [1., 0., 2.],
           [2., 2., 0.]])
    """

    def __init__(self, parents: Mapping[Hashable, Hashable | None]) -> None:
        named = {node: parent for node, parent in parents.items() if parent is not None}
        roots = {p for p in parents.values() if p is not None and p not in named}
        roots |= {node for node, parent in parents.items() if parent is None}
        if not parents:
            raise ValueError("taxonomy is empty; give at least a root and one class")
        if not roots:
            raise ValueError("taxonomy has no root: every node has a parent, so there is a cycle")
        if len(roots) > 1:
            names = ", ".join(repr(r) for r in sorted(roots, key=str))
            raise ValueError(f"taxonomy has {len(roots)} roots ({names}); join them under one")
        self.root: Hashable = roots.pop()
        self.parents: dict[Hashable, Hashable] = named
        for node in named:
            self._path(node)

    @classmethod
    def from_nested(cls, nested: Mapping[Hashable, Any]) -> Taxonomy:
        """Return the tree of nested mappings whose leaves are lists of classes (or None)."""
        parents: dict[Hashable, Hashable | None] = {}

        def visit(node: Hashable, below: Any, parent: Hashable | None) -> None:
            if node in parents:
                raise ValueError(f"taxonomy contains {node!r} twice; every node has one parent")
            parents[node] = parent
            for child, rest in _children(node, below):
                visit(child, rest, node)

        for node, below in nested.items():
            visit(node, below, None)
        return cls(parents)

    @classmethod
    def make(cls, description: Taxonomy | Mapping[Hashable, Any]) -> Taxonomy:
        """Return the taxonomy of a nested mapping or a mapping from node to parent."""
        if isinstance(description, Taxonomy):
            return description
        if not isinstance(description, Mapping):
            raise ValueError(
                "taxonomy must be nested mappings or a mapping from node to parent, "
                f"got {type(description).__name__}"
            )
        # A set cannot be a node name, so it counts as nested, and `from_nested` refuses it.
        nested = any(isinstance(v, (Mapping, list, tuple, set)) for v in description.values())
        return cls.from_nested(description) if nested else cls(description)

    @cached_property
    def nodes(self) -> list[Hashable]:
        """All nodes except the root, whose code entry would be the same for every class."""
        return list(self.parents)

    @cached_property
    def leaves(self) -> list[Hashable]:
        """The nodes without children, in the given order."""
        inner = set(self.parents.values())
        return [node for node in self.parents if node not in inner]

    def codes(self, classes: Sequence[Hashable]) -> FloatArray:
        """Return Γ, shape (k, Q): 1 if the node is the class or one of its ancestors."""
        self.check_classes(classes)
        column = {node: q for q, node in enumerate(self.nodes)}
        gamma = np.zeros((len(classes), len(self.nodes)))
        for row, name in enumerate(classes):
            gamma[row, [column[node] for node in self._path(name) if node != self.root]] = 1.0
        return gamma

    def loss(self, classes: Sequence[Hashable]) -> FloatArray:
        """Return Δ(y, y'), shape (k, k): the height of the lowest common ancestor."""
        self.check_classes(classes)
        paths = [self._path(name) for name in classes]
        return np.array(
            [[self._heights[next(n for n in a if n in set(b))] for b in paths] for a in paths],
            dtype=np.float64,
        )

    def check_classes(self, classes: Sequence[Hashable]) -> None:
        """Raise ValueError if a class is not a leaf of the tree."""
        unknown = [name for name in classes if name not in set(self.leaves)]
        if unknown:
            shown = ", ".join(repr(name) for name in unknown[:5])
            raise ValueError(
                f"taxonomy has no leaf for the class(es) {shown}; every class must be a leaf"
            )

    @cached_property
    def _heights(self) -> dict[Hashable, int]:
        """The length of the longest path down to a leaf, for every node."""
        heights: dict[Hashable, int] = {}
        for leaf in self.leaves:
            for height, node in enumerate(self._path(leaf)):
                heights[node] = max(heights.get(node, 0), height)
        return heights

    def _path(self, node: Hashable) -> list[Hashable]:
        """Return the node and its ancestors up to the root; ValueError on a cycle."""
        path = [node]
        while path[-1] != self.root:
            path.append(self.parents[path[-1]])
            if path[-1] in path[:-1]:
                raise ValueError(f"taxonomy has a cycle through {path[-1]!r}")
        return path


def _children(node: Hashable, below: Any) -> list[tuple[Hashable, Any]]:
    if below is None:
        return []
    if isinstance(below, Mapping):
        return list(below.items())
    if isinstance(below, (set, frozenset)):
        raise ValueError(f"taxonomy has a set below {node!r}, whose order may change: give a list")
    if isinstance(below, (list, tuple)):
        found: list[tuple[Hashable, Any]] = []
        for child in below:
            if not isinstance(child, (Mapping, Hashable)):
                raise ValueError(
                    f"taxonomy has {child!r} in the list below {node!r}, "
                    "expected a name or a mapping"
                )
            found += child.items() if isinstance(child, Mapping) else [(child, None)]
        return found
    raise ValueError(f"taxonomy has {below!r} below {node!r}, expected a mapping or a list")
