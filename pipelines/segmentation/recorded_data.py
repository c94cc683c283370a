"""Find the data set of a finished run from the files in its folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from segboost.datasets.base import SegmentationDataset
from segboost.datasets.registry import load_dataset

DRAWN = "synthetic"
"""The key of a run's options that holds number, size and seed of drawn scenes."""
OF_FOLDERS = (
    "images", "masks", "foreground", "mask_suffix", "test_fraction", "train_list", "test_list",
)  # fmt: skip


def recorded_dataset(
    options: Mapping[str, Any], name: str, data_root: str | os.PathLike[str] | None = None
) -> SegmentationDataset:
    """Load the data set of a run.

    Parameters
    ----------
    options : mapping
        The run's ``run.json``.
    name : str
        The data set's name in its ``scores.json``: ``graz02/bike``, for example.
    data_root : path, optional
        Where the data are now; by default the recorded place, else the variable SEGBOOST_DATA.

    Raises
    ------
    ValueError
        If the images no longer exist; the message is one line.
    """
    kind, _, category = name.partition("/")
    if "images" in options:
        return load_dataset("folders", **{k: options[k] for k in OF_FOLDERS if k in options})
    if kind == DRAWN:
        return load_dataset(DRAWN, **options.get(DRAWN, {}))
    root = options.get("data_root") if data_root is None else data_root
    return load_dataset(kind, category=options.get("category", category), data_root=root)
