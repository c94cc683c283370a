"""The names and colours of classes, and the files that list them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import ByteArray

Colour = tuple[int, int, int]

VOID = 255
"""The value of mask pixels that have no class."""
MOST_CLASSES = 255
"""Number of classes that fit in a mask of bytes, besides void: 0 … 254."""
LONGEST_NAME = 80
LARGEST_FILE = 2**20

_CODES = bytes.fromhex(
    "5a5a5a 56b4e9 e69f00 009e73 f0e442 0072b2 d55e00 cc79a7 9010f0 301070 701010 10f070 "
    "d0f0d0 9070f0 b09050 501030 901070 d0b0b0 1010b0 d010b0 b01010 105030 103050 90d090 "
    "90f0f0 f010f0 f070d0 507030 7030b0 f05070 505090 b0b050 50d030 b01050 709010 b0d0f0 "
    "705010 1010f0 f0f0b0 b010d0 f0b0d0 907050 70b090 b050d0 707090 b070d0 90f090 509090 "
    "f0d070 501010 1050f0 d0d050 509030 901030 f09070 103090 105070 d0d0b0 f01070 b070b0"
)
DEFAULT_COLOURS: tuple[Colour, ...] = tuple(
    zip(_CODES[::3], _CODES[1::3], _CODES[2::3], strict=True)
)
"""Grey, the colours of Okabe and Ito, then one by one the colour that is farthest from all before
it, for normal vision and each of the three kinds of colour blindness."""


@dataclass(frozen=True)
class ClassLegend:
    """The names and colours of the classes 0 … K−1.

    Parameters
    ----------
    names : tuple of str
        One per class, at least two, all different.
    colours : tuple of (int, int, int)
        RGB, one per class, all different.
    void : (int, int, int), optional
        The colour of pixels without a class, in masks that are stored in colours.

    Raises
    ------
    ValueError
        If the names or colours are invalid; the message says why.
    """

    names: tuple[str, ...]
    colours: tuple[Colour, ...]
    void: Colour | None = None

    def __post_init__(self) -> None:
        _check_names(self.names)
        if len(self.colours) != len(self.names):
            raise ValueError(f"classes: {len(self.names)} names, {len(self.colours)} colours")
        given = [*self.colours, *([] if self.void is None else [self.void])]
        for colour in given:
            _check_colour(colour)
        if len(set(given)) < len(given):
            twice = next(c for c in given if given.count(c) > 1)
            raise ValueError(f"classes: two of them have the colour {colour_code(twice)}")

    @property
    def n_classes(self) -> int:
        """Number of classes K."""
        return len(self.names)

    @property
    def palette(self) -> ByteArray:
        """The colours as an array of uint8, shape (K, 3)."""
        return np.array(self.colours, dtype=np.uint8)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        plain: dict[str, Any] = {
            "names": list(self.names),
            "colours": [list(colour) for colour in self.colours],
        }
        return plain if self.void is None else {**plain, "void": list(self.void)}

    @classmethod
    def from_dict(cls, values: Any) -> ClassLegend:
        """Return the legend that `to_dict` described; ValueError if it is invalid."""
        if not isinstance(values, Mapping) or not {"names", "colours"} <= set(values):
            raise ValueError('classes: expected an object with "names" and "colours"')
        names, colours = values["names"], values["colours"]
        if not isinstance(names, Sequence) or not isinstance(colours, Sequence):
            raise ValueError('classes: expected lists as "names" and "colours"')
        void = values.get("void")
        return cls(
            tuple(names),
            tuple(_colour(colour) for colour in colours),
            None if void is None else _colour(void),
        )


def default_legend(n_classes: int) -> ClassLegend:
    """Return a legend of numbered classes, with colours that the colour-blind can tell apart.

    Parameters
    ----------
    n_classes : int
        From 2 to 60, the number of default colours.

    Examples
    --------
    >>> default_legend(3).names
    ('class 0', 'class 1', 'class 2')
    """
    if n_classes > len(DEFAULT_COLOURS):
        raise ValueError(
            f"{n_classes} classes are more than {len(DEFAULT_COLOURS)}, the number of default "
            "colours: give a legend with a colour for each"
        )
    names = tuple(f"class {k}" for k in range(n_classes))
    return ClassLegend(names, DEFAULT_COLOURS[:n_classes])


def read_legend(path: str | PathLike[str]) -> ClassLegend:
    """Read a legend: JSON or CSV with a name, an index and a colour for each class.

    JSON is a list of objects such as ``{"name": "road", "index": 3, "colour": "#804080"}``, or an
    object with that list as ``classes``. CSV has the columns name, index and colour (or red, green
    and blue). Without indices, classes count from 0; without colours, they get default ones. The
    index 255 gives the colour of void.

    Raises
    ------
    ValueError
        Names the file and says what is wrong.
    """
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise ValueError(f"larger than {LARGEST_FILE} bytes: not a legend")
        text = file.read_text(encoding="utf-8-sig")
        rows = _csv_rows(text) if file.suffix.lower() == ".csv" else _json_rows(text)
        return _legend(rows)
    except FileNotFoundError:
        raise ValueError(f"{file}: there is no such file") from None
    except OSError as error:
        raise ValueError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{file}: not UTF-8 text: save the legend as JSON or CSV") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def colour_code(colour: Sequence[int]) -> str:
    """Return a colour as ``#rrggbb``."""
    return "#" + "".join(f"{int(value):02x}" for value in colour)


def _json_rows(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise ValueError("not JSON: write a list of classes, or name a CSV file .csv") from None
    rows = found.get("classes") if isinstance(found, dict) else found
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError('expected a list of objects with "name", "index" and "colour"')
    return rows


def _csv_rows(text: str) -> list[dict[str, Any]]:
    try:
        table = csv.DictReader(io.StringIO(text), skipinitialspace=True)
        names = [(name or "").strip().lower() for name in table.fieldnames or ()]
        if "name" not in names:
            raise ValueError("no column name: the first line must be name,index,colour")
        table.fieldnames = names
        return [{k: v.strip() for k, v in row.items() if k and v and v.strip()} for row in table]
    except csv.Error as error:
        raise ValueError(f"not CSV: {error}") from None


def _legend(rows: list[dict[str, Any]]) -> ClassLegend:
    by_index: dict[int, tuple[str, Colour | None]] = {}
    for place, row in enumerate(rows):
        index = _index(row.get("index", place))
        if index in by_index:
            raise ValueError(f"two classes have the index {index}")
        if "name" not in row:
            raise ValueError(f"the class with index {index} has no name")
        by_index[index] = (row["name"], _row_colour(row))
    void = by_index.pop(VOID, ("", None))[1]
    count = len(by_index)
    missing = next((k for k in range(count) if k not in by_index), None)
    if missing is not None:
        raise ValueError(f"indices must be 0 … {count - 1} without a gap: {missing} is missing")
    ordered = [by_index[k] for k in range(count)]
    taken = {colour for _, colour in ordered} | {void}
    spare = (colour for colour in DEFAULT_COLOURS if colour not in taken)
    colours = [colour if colour is not None else next(spare, None) for _, colour in ordered]
    if None in colours:
        raise ValueError(f"give a colour to each of {count} classes")
    return ClassLegend(tuple(n for n, _ in ordered), tuple(c for c in colours if c), void)


def _index(value: Any) -> int:
    try:
        index = int(value)
        if isinstance(value, bool) or (isinstance(value, float) and value != index):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"an index must be a whole number, got {value!r}") from None
    if not 0 <= index <= VOID:
        raise ValueError(
            f"an index must be 0 … {MOST_CLASSES - 1}, or {VOID} for void, got {index}"
        )
    return index


def _row_colour(row: Mapping[str, Any]) -> Colour | None:
    given = row.get("colour", row.get("color"))
    if given is not None:
        return _colour(given)
    parts = [row.get(long, row.get(long[0])) for long in ("red", "green", "blue")]
    return None if None in parts else _colour(parts)


def _colour(value: Any) -> Colour:
    """Return a colour given as ``#rrggbb``, as text of three numbers or as a list of them."""
    try:
        if isinstance(value, str):
            code = value.strip()
            if code.startswith("#"):
                value = list(bytes.fromhex(code[1:]))
            else:
                value = [int(part) for part in code.replace(",", " ").split()]
        red, green, blue = (int(part) for part in value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"a colour must be #rrggbb or three numbers, got {value!r}") from None
    _check_colour((red, green, blue))
    return red, green, blue


def _check_colour(colour: Any) -> None:
    if not (
        isinstance(colour, tuple)
        and len(colour) == 3
        and all(type(value) is int and 0 <= value <= 255 for value in colour)
    ):
        raise ValueError(f"a colour must be three numbers from 0 to 255, got {colour!r}")


def _check_names(names: Sequence[Any]) -> None:
    if len(names) < 2:
        raise ValueError(f"classes: expected at least two, got {len(names)}")
    if len(names) > MOST_CLASSES:
        raise ValueError(f"classes: {len(names)} are more than the {MOST_CLASSES} that masks hold")
    for name in names:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise ValueError(f"classes: a name must be a printable text, got {name!r}")
        if len(name) > LONGEST_NAME:
            raise ValueError(f"classes: names have at most {LONGEST_NAME} characters: {name!r}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise ValueError(f"classes: two of them have the name {twice!r}")


TWO_CLASSES = ClassLegend(("background", "foreground"), ((232, 112, 42), (47, 127, 230)))
"""The legend of masks that mark one kind of object."""
