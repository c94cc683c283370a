"""The names of the files that segmenting an image writes."""

from __future__ import annotations

OVERLAYS, SCORES, PROBABILITIES = "overlays", "scores", "probabilities"
BY_CLASS = (SCORES, PROBABILITIES)
"""Folders with one file for each of several classes."""


def output_names(stem: str, wanted: frozenset[str], n_classes: int) -> list[str]:
    """Return the files of one image, relative to the output folder, the mask first.

    Parameters
    ----------
    stem : str
        Name of the image without its extension.
    wanted : frozenset of str
        Folders written in addition to the mask.
    n_classes : int

    Examples
    --------
    >>> output_names("a", frozenset({"scores"}), 2)
    ['a.png', 'scores/a.png']
    >>> output_names("a", frozenset({"scores"}), 3)
    ['a.png', 'scores/a.0.png', 'scores/a.1.png', 'scores/a.2.png']
    """
    names = [f"{stem}.png"]
    for folder in sorted(wanted):
        names += [f"{folder}/{file}" for file in folder_names(folder, stem, n_classes)]
    return names


def folder_names(folder: str, stem: str, n_classes: int) -> list[str]:
    """Return the files of one image in one folder: one, or one per class in class order."""
    if folder in BY_CLASS and n_classes > 2:
        return [f"{stem}.{k}.png" for k in range(n_classes)]
    return [f"{stem}.png"]
