"""Restore the preset of a model folder: its codebook, its network files, older formats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from segboost.features.groups.user_groups import refuse_imports
from segboost.features.groups.words import Codebook
from segboost.features.presets import Preset, preset_from_config
from segboost.pipelines.segmentation.model.prefixed_arrays import Arrays, arrays_with_prefix
from segboost.storage.folder import ModelFileError


def restore_preset(
    config: Mapping[str, Any], arrays: Arrays, folder: Path, allow_import: Collection[str]
) -> Preset:
    """Return the preset of a model folder; ModelFileError for imports that are not allowed."""
    try:
        refuse_imports(config["groups"], allow_import, "the model")
    except ValueError as error:
        raise ModelFileError(str(error)) from None
    method = config["superpixels"]
    if method["kind"] == "graph":  # older folders have one number for images of all sizes
        method = {"count_limit": method["max_count"], **method}
    groups = [_find_network(group, folder) for group in config["groups"]]
    preset = preset_from_config({**config, "superpixels": method, "groups": groups})
    if preset.needs_codebook:
        preset = preset.with_codebook(Codebook.from_arrays(arrays_with_prefix(arrays, "codebook_")))
    return preset


def _find_network(group: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """Return a group, with the copy of its network file in the model folder if there is one.

    The file must have the checksum that the group names.
    """
    file = group.get("file")
    if group.get("kind") != "network" or file is None:
        return group
    if not isinstance(group.get("sha256"), str):
        raise ModelFileError(f"{folder} does not say which network file it needs")
    beside = folder / Path(str(file)).name
    return {**group, "file": str(beside)} if beside.is_file() else group
