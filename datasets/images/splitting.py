"""Splits of names into training and test parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from segboost.datasets.base import DatasetError
from segboost.io.image_files import IMAGE_ENDINGS


def split_by_fraction(
    names: Sequence[str], test_fraction: float, seed: int
) -> tuple[list[str], list[str]]:
    """Return sorted training and test names, drawn at random; the order of `names` does not matter.

    Neither part is empty if the fraction lies inside (0, 1) and there are at least two names.

    Examples
    --------
    >>> split_by_fraction(["a", "b", "c", "d"], 0.5, seed=0)
    (['b', 'd'], ['a', 'c'])
    """
    if not 0 <= test_fraction <= 1:
        raise ValueError(f"test_fraction must lie in [0, 1], got {test_fraction}")
    ordered = sorted(names)
    n_test = round(test_fraction * len(ordered))
    if 0 < test_fraction < 1 and len(ordered) > 1:
        n_test = min(max(n_test, 1), len(ordered) - 1)
    drawn = np.random.default_rng(seed).permutation(len(ordered))
    chosen = set(drawn[:n_test].tolist())
    test = [name for i, name in enumerate(ordered) if i in chosen]
    return [name for i, name in enumerate(ordered) if i not in chosen], test


def split_by_lists(
    names: Sequence[str],
    train_list: str | PathLike[str] | None,
    test_list: str | PathLike[str] | None,
) -> tuple[list[str], list[str], list[str]]:
    """Return training names, test names and those in neither list, in the order of the lists.

    With only one list, the other part consists of all remaining names.
    """
    train = None if train_list is None else read_list(Path(train_list), names)
    test = None if test_list is None else read_list(Path(test_list), names)
    if train is None:
        train = sorted(set(names) - set(test or ()))
    if test is None:
        test = sorted(set(names) - set(train))
    twice = sorted(set(train) & set(test))
    if twice:
        raise DatasetError(
            f"{_few(twice)} in both {train_list} and {test_list}: keep each name in one"
        )
    return train, test, sorted(set(names) - set(train) - set(test))


def read_list(path: Path, names: Sequence[str]) -> list[str]:
    """Return the names that a text file lists; each must be known and listed once."""
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read as a list of names: {error}") from None
    known = set(names)
    listed = [_without_ending(s, known) for s in lines if s and not s.startswith("#")]
    if not listed:
        raise DatasetError(f"{path} lists no names: write one per line")
    unknown = [name for name in listed if name not in known]
    if unknown:
        raise DatasetError(f"{path} lists {_few(unknown)}, which have no image: correct the list")
    repeated = [name for name, count in Counter(listed).items() if count > 1]
    if repeated:
        raise DatasetError(f"{path} lists {_few(repeated)} more than once: keep each name once")
    return listed


def _without_ending(name: str, known: set[str]) -> str:
    """Return the name itself if known, else without an image's ending."""
    if name not in known and Path(name).suffix.lower() in IMAGE_ENDINGS:
        return Path(name).stem
    return name


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more
