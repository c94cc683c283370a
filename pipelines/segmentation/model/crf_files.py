"""Save and load the CRF of a segmenter, in a sub-folder named by its content."""

from __future__ import annotations

import copy
import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.estimators.crf import CRFStructBoost
from segboost.pipelines.runtime.artefact_key import file_key
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import CRFModel
from segboost.saving.registry import FAMILIES, pack_model, unpack_model
from segboost.storage.folder import (
    DOCUMENT,
    ModelFileError,
    PackedModel,
    pack_folder,
    read_any,
    write_packed,
)
from segboost.storage.ownership import ForeignFileError, read_manifest

CRF_NAME = re.compile(r"crf-([0-9a-f]{64})")
CRF_KINDS = tuple(FAMILIES)


def pack_crf(model: CRFModel) -> PackedModel:
    """Return a CRF of either kind as a document and arrays, without the seconds of its rounds."""
    timeless: Any = copy.copy(model)
    timeless.history_ = [replace(step, seconds=0.0) for step in model.history_]
    return pack_model(timeless)


def unpack_crf(packed: PackedModel, source: object, method: str) -> CRFModel:
    """Return the CRF from the parts that `pack_crf` made.

    Raises
    ------
    ModelFileError
        If the parts are damaged or do not belong to a CRF that this method learns.
    """
    model = unpack_model(packed, source)
    expected = CRFStructuredSVM if method == "ssvm" else CRFStructBoost
    if not isinstance(model, expected):
        found = type(model).__name__
        raise ModelFileError(f"{source} holds a {found}, expected a {expected.__name__}")
    return model


def save_crf(model: CRFModel, folder: Path) -> str:
    """Write the CRF to a sub-folder named by its content; return the name."""
    packed = pack_crf(model)
    files = pack_folder(packed.kind, packed.document, packed.arrays)
    name = f"crf-{hashlib.sha256(files[DOCUMENT]).hexdigest()}"
    if (folder / name).is_symlink():
        raise ForeignFileError(f"{folder / name} is a symbolic link: move it away")
    (folder / name).mkdir(exist_ok=True)
    write_packed(folder / name, files)
    return name


def owned_crf(folder: Path) -> Path | None:
    """Return the sub-folder of a segmenter's CRF; None if it is missing or was changed."""
    document = read_manifest(folder)
    try:
        name = CRF_NAME.fullmatch(document["content"]["crf"]) if document is not None else None
    except (KeyError, TypeError):
        return None
    if name is None or (folder / name[0]).is_symlink():
        return None
    saved = folder / name[0] / DOCUMENT
    return folder / name[0] if saved.is_file() and file_key(saved) == name[1] else None


def load_crf(name: str | None, folder: Path, method: str) -> CRFModel | None:
    """Return the CRF in a sub-folder of a segmenter's folder; None if there is none."""
    if name is None:
        return None
    place = folder / Path(name).name
    if not (place / DOCUMENT).is_file():
        raise ModelFileError(f"{folder} is not complete: its {name} is missing")
    if name != f"crf-{file_key(place / DOCUMENT)}":
        raise ModelFileError(f"{place} was edited or damaged: its checksum does not match")
    return unpack_crf(read_any(place, CRF_KINDS), place, method)
