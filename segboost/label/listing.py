"""The list of images on the page: the labels of each, and the choice of the next one to label."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from segboost.io.errors import ImageFileError
from segboost.io.legend import VOID
from segboost.label.images import FolderImage
from segboost.label.masks import UNPAINTED, MaskFolder

COUNTING = 0.3
"""Seconds per state request for counting labelled pixels (at least one mask is counted). The list
must not wait for a hundred masks of 12 megapixels; the page sends another request soon."""

Counts = Mapping[int, int]


class PaintCounts:
    """The number of pixels of each value in each mask, counted once per version.

    Parameters
    ----------
    masks : MaskFolder
    """

    def __init__(self, masks: MaskFolder) -> None:
        self.masks = masks
        self._known: dict[str, tuple[tuple[str, tuple[int, ...]], Counts]] = {}

    def get(self, image: FolderImage, version: str, end: float | None = None) -> Counts | None:
        """Return the pixels by value; None if they would have to be counted after `end`."""
        if version == UNPAINTED:
            return {VOID: 1}
        key = (version, self.masks.classes().values)
        known = self._known.get(image.key)
        if known is None or known[0] != key:
            if end is not None and time.monotonic() >= end:
                return None
            known = key, self._count(image)
            self._known[image.key] = known
        return known[1]

    def _count(self, image: FolderImage) -> Counts:
        try:
            found = np.bincount(self.masks.read(image).ravel(), minlength=256)
        except ValueError:
            return {VOID: 1}  # the error is shown when the image is opened
        return {int(v): int(found[v]) for v in np.flatnonzero(found)}


def list_entry(image: FolderImage, counts: PaintCounts, end: float) -> dict[str, Any]:
    """Return an image's entry in the list, without the state of its features and predictions."""
    entry: dict[str, Any] = {"key": image.key, "name": image.name, "problem": image.problem}
    entry |= {"stamp": image.stamp}
    if image.problem:
        return entry
    try:
        version = counts.masks.version(image)
    except ImageFileError as error:
        return entry | {"problem": str(error)}
    found = counts.get(image, version, end)
    entry |= {"width": image.shown_shape[1], "height": image.shown_shape[0], "version": version}
    if found is None:
        return entry | {"painted": None, "unpainted": None}
    painted = sorted(v for v in found if v != VOID)
    return entry | {"painted": painted, "unpainted": found.get(VOID, 0)}


def choose_next(images: list[dict[str, Any]], offered: str | None = None) -> str | None:
    """Return the key of the image to label next: the offered or the most uncertain unlabelled one.

    Without predictions it is the first one; if all images are labelled, the most uncertain of the
    incomplete ones.

    Parameters
    ----------
    images : list of dict
        Entries of the list.
    offered : str, optional
        The key of the image that the live model offers.
    """
    usable = [i for i in images if not i["problem"]]
    fresh = [i for i in usable if i["version"] == UNPAINTED]
    if any(i["key"] == offered for i in fresh):
        return offered
    # Masks that have not been counted yet have None.
    partial = [i for i in usable if i["unpainted"] != 0 and i["version"] != UNPAINTED]
    for group in (fresh, partial):
        asked = [i for i in group if i["uncertainty"] is not None]
        if asked:
            return str(max(asked, key=lambda i: i["uncertainty"])["key"])
        if group:
            return str(group[0]["key"])
    return None
