"""Fitted estimators as folders of JSON and npz, and back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from segboost.estimators.ensemble_files import Kinds
from segboost.saving.registry import FAMILIES, pack_model, unpack_model
from segboost.storage.folder import read_any, write_folder


def save_model(model: Any, folder: str | os.PathLike[str]) -> Path:
    """Write a fitted StructBoost estimator or baseline to a folder of JSON and npz.

    The JSON holds the schema and package version, the parameters and the class names. The write
    is atomic; an older model in the folder is replaced. Callbacks and checkpoint paths are not
    saved, and a weak learner from outside the package is saved only as text.

    Raises
    ------
    ValueError
        For classes that are not registered, class names that JSON cannot hold, and hypotheses
        that cannot be stored.
    """
    packed = pack_model(model)
    return write_folder(folder, packed.kind, packed.document, packed.arrays)


def load_model(folder: str | os.PathLike[str], hypotheses: Kinds | None = None) -> Any:
    """Return the fitted model that `save_model` wrote; it predicts the same, bit for bit.

    Parameters
    ----------
    folder : path
    hypotheses : mapping of kind to class, optional
        Hypothesis classes from outside the package that the model uses.

    Raises
    ------
    ModelFileError
        If the folder cannot be loaded, with a one-line reason.
    """
    return unpack_model(read_any(folder, tuple(FAMILIES)), folder, hypotheses)
