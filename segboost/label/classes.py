"""The classes of a folder being labelled: names, colours, and the values that masks have on disk.

A class never changes its value. Renaming, recolouring and reordering do not touch the masks. The
value of a removed class is never reused: it reads as void in masks that could not be rewritten
when the class was removed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from segboost._types import ByteArray
from segboost.datasets.base import BACKGROUND, FOREGROUND
from segboost.io.legend import DEFAULT_COLOURS, VOID, ClassLegend, Colour, colour_code
from segboost.storage.whole_file import write_whole

MOST_CLASSES = 60
LONGEST_NAME = 60
_COLOUR = re.compile(r"#[0-9a-f]{6}")
COLOURS: tuple[Colour, ...] = (
    (47, 127, 230),
    (232, 112, 42),
    (0, 158, 115),
    (240, 228, 66),
    (204, 121, 167),
    (120, 94, 240),
    (86, 200, 233),
    (170, 68, 85),
    (153, 153, 51),
    (60, 60, 70),
    (255, 176, 200),
    (0, 90, 90),
)
"""Colours that people with any kind of colour blindness can tell apart, in order of use."""


class PaintedClassError(Exception):
    """Classes to be removed have strokes, and erasing these was not confirmed.

    Parameters
    ----------
    classes : sequence of LabelClass
        The classes that have strokes.
    """

    def __init__(self, classes: Sequence[LabelClass]) -> None:
        names = ", ".join(c.name for c in classes)
        super().__init__(f"All strokes of {names} will become void. This cannot be undone.")
        self.values = [c.value for c in classes]


@dataclass(frozen=True)
class LabelClass:
    """One class.

    Parameters
    ----------
    value : int
        Its value in the masks, 0 … 254.
    name : str
    colour : tuple of 3 ints
    """

    value: int
    name: str
    colour: Colour

    def to_dict(self) -> dict[str, Any]:
        """Return the class as JSON values."""
        return {
            "value": self.value,
            "name": self.name,
            "colour": colour_code(self.colour),
        }


@dataclass(frozen=True)
class ClassList:
    """The classes in the order of the page, and the first value that no class has had yet."""

    classes: tuple[LabelClass, ...]
    unused: int

    @property
    def values(self) -> tuple[int, ...]:
        """The values in increasing order: class k of a model has the k-th of them."""
        return tuple(sorted(c.value for c in self.classes))

    @property
    def ordered(self) -> tuple[LabelClass, ...]:
        """The classes in the order of their values, as models and exports have them."""
        return tuple(sorted(self.classes, key=lambda c: c.value))

    @property
    def legend(self) -> ClassLegend:
        """The names and colours of the classes 0 … K−1 of a model."""
        return ClassLegend(
            tuple(c.name for c in self.ordered), tuple(c.colour for c in self.ordered)
        )

    @property
    def numbered(self) -> ClassList:
        """The classes with the values 0 … K−1, as exports have them."""
        made = [replace(c, value=k) for k, c in enumerate(self.ordered)]
        return ClassList(tuple(made), len(made))

    def legend_file(self) -> bytes:
        """Return the legend file of exported masks, for `segboost train`."""
        rows = [
            {"name": c.name, "index": c.value, "colour": colour_code(c.colour)}
            for c in self.numbered.classes
        ]
        return json.dumps({"classes": rows}, indent=1, ensure_ascii=False).encode()

    def void_table(self) -> ByteArray:
        """Return a table, shape (256,), that maps values without a class to void."""
        table = np.full(256, VOID, np.uint8)
        table[list(self.values)] = self.values
        return table

    def index_table(self) -> ByteArray:
        """Return a table, shape (256,), from values to the classes 0 … K−1 of a model."""
        table = np.full(256, VOID, np.uint8)
        table[list(self.values)] = np.arange(len(self.classes))
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return the list as JSON values."""
        return {"classes": [c.to_dict() for c in self.classes], "unused": self.unused}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the list that `to_dict` wrote; raise a ValueError if it is invalid."""
        if not isinstance(document, Mapping) or not isinstance(document.get("classes"), list):
            raise ValueError("classes: expected an object with a list of classes")
        classes = tuple(_read_class(entry) for entry in document["classes"])
        unused = document.get("unused")
        if not isinstance(unused, int) or not 0 <= unused <= VOID:
            raise ValueError(f"classes: expected unused to be 0 … 255, got {unused!r}")
        _check(classes)
        if any(c.value >= unused for c in classes):
            raise ValueError("classes: a class has a value that is marked as unused")
        return cls(classes, unused)

    def changed(self, entries: Sequence[Any]) -> Self:
        """Return the list with the changes made on the page.

        Parameters
        ----------
        entries : sequence of mappings
            ``value`` (None for a new class), ``name`` and ``colour`` (None for the next free one)
            of all classes, in their order. Classes that are not among them are removed.

        Raises
        ------
        ValueError
            If a class is unknown, or names or colours are invalid.
        """
        unused, classes = self.unused, []
        taken = {_hex(e.get("colour")) for e in entries if isinstance(e, Mapping)}
        for entry in entries:
            if not isinstance(entry, Mapping):
                raise ValueError("a class must be an object")
            made = dict(entry)
            if made.get("value") is None:
                if unused >= VOID:
                    raise ValueError(
                        "too many classes were added and removed: start with another folder"
                    )
                made["value"], unused = unused, unused + 1
            elif made["value"] not in self.values:
                raise ValueError("a class was removed in the meantime: reload the page")
            if made.get("colour") is None:
                made["colour"] = free_colour(taken)
                taken.add(made["colour"])
            classes.append(_read_class(made))
        _check(classes)
        return replace(self, classes=tuple(classes), unused=unused)


DEFAULT = ClassList(
    (
        LabelClass(FOREGROUND, "foreground", COLOURS[0]),
        LabelClass(BACKGROUND, "background", COLOURS[1]),
    ),
    2,
)
"""The initial classes of a folder."""


def read_classes(path: Path) -> ClassList:
    """Return the classes of a folder; `DEFAULT` if they were never changed.

    Raises
    ------
    ValueError
        If the file is damaged.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return DEFAULT
    try:
        return ClassList.from_dict(json.loads(text))
    except ValueError as error:
        raise ValueError(f"{path}: {error}: correct or remove the file") from None


def write_classes(path: Path, classes: ClassList) -> None:
    """Save the classes of a folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(classes.to_dict(), indent=1).encode())


def free_colour(taken: Iterable[str | None]) -> str:
    """Return the first colour that no class has.

    Examples
    --------
    >>> free_colour(["#2f7fe6", "#e8702a"])
    '#009e73'
    """
    used = set(taken)
    for colour in (*COLOURS, *DEFAULT_COLOURS):
        if colour_code(colour) not in used:
            return colour_code(colour)
    raise ValueError("no colour is left")


def _hex(colour: Any) -> str | None:
    return colour.lower() if isinstance(colour, str) else None


def _read_class(entry: Any) -> LabelClass:
    if not isinstance(entry, Mapping):
        raise ValueError("classes: a class must be an object")
    value, name, colour = entry.get("value"), entry.get("name"), _hex(entry.get("colour"))
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < VOID:
        raise ValueError(f"classes: expected a value of 0 … 254, got {value!r}")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ValueError("a class needs a name")
    if len(name.strip()) > LONGEST_NAME:
        raise ValueError(f"the name of a class has at most {LONGEST_NAME} characters")
    if colour is None or not _COLOUR.fullmatch(colour):
        raise ValueError("the colour of a class is written #rrggbb")
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return LabelClass(value, name.strip(), (red, green, blue))


def _check(classes: Sequence[LabelClass]) -> None:
    if not 2 <= len(classes) <= MOST_CLASSES:
        raise ValueError(f"there must be 2 to {MOST_CLASSES} classes")
    for what, found in (
        ("value", [c.value for c in classes]),
        ("name", [c.name.casefold() for c in classes]),
        ("colour", [c.colour for c in classes]),
    ):
        if len(set(found)) < len(found):
            raise ValueError(f"two classes have the same {what}")
