"""Find the data set of a finished run from the files in its folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from segboost.datasets.base import SegmentationDataset
from segboost.datasets.images.scientific import (
    READING,
    is_scientific_folder,
    load_scientific,
    parse_reading,
)
from segboost.datasets.registry import load_dataset

DRAWN = "synthetic"
"""The key of a run's options that holds number, size and seed of drawn scenes."""
DRAWN_SETS = (DRAWN, "synthetic-classes")
OF_FOLDERS = (
    "images", "masks", "foreground", "mask_suffix", "test_fraction", "train_list", "test_list",
    "classes",
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
        Where the data are now; by default the recorded path, or else the environment variable
        SEGBOOST_DATA.

    Raises
    ------
    ValueError
        If the images no longer exist; the message is one line.
    """
    kind, _, category = name.partition("/")
    if "images" in options:
        chosen = {k: options[k] for k in OF_FOLDERS if k in options}
        if "masks" not in chosen:
            raise ValueError("the options of the run name images but no masks")
        special = set(READING) & options.keys()
        if special or is_scientific_folder(chosen["images"], chosen["masks"]):
            return load_scientific(reading=parse_reading(options), **chosen)
        return load_dataset("folders", **chosen)
    if kind in DRAWN_SETS:
        return load_dataset(kind, **options.get(DRAWN, {}))
    root = options.get("data_root") if data_root is None else data_root
    part = options.get("category", category)
    return load_dataset(kind, data_root=root, **({"category": part} if part else {}))
