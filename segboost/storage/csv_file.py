"""CSV files that are written row by row and appear when they are complete."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from segboost.storage.whole_file import open_whole


@contextmanager
def open_csv(path: Path) -> Iterator[Callable[[Sequence[str]], object]]:
    """Yield a function that writes one row; the file appears at the end of the ``with`` block.

    File names in Unix are bytes: those that are not UTF-8 are written unchanged.
    """
    with open_whole(path) as file:
        text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
        yield csv.writer(text, lineterminator="\n").writerow
        text.detach()  # closing it would close the file, which must be flushed to disk first
