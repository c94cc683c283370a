"""Feature options: presets, and the functions and folders that a preset or model may use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

AllowImport = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-import",
        metavar="MODULE:FUNCTION|DIR",
        help="Function to import, or folder of features, that the model or preset may use; "
        "repeatable.",
    ),
]


def read_preset(name: str) -> str | dict[str, Any]:
    """Return the name of a preset, or the content of the JSON file that describes one."""
    from segboost.features.presets import PRESETS
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig

    if name in PRESETS:
        return name
    path = Path(name)
    if not path.is_file() and path.suffix != ".json":
        raise typer.BadParameter(
            f"preset must be {', '.join(PRESETS)} or a JSON file, got {name!r}",
            param_hint="--preset",
        )
    try:
        return with_absolute_paths(SegmentationConfig.read_document(path), path)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--preset") from None


def with_absolute_paths(preset: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a preset with absolute paths of its networks and folders.

    In the file, they are relative to the folder of the file.
    """

    def absolute(group: Any) -> Any:
        if not isinstance(group, dict):
            return group
        named = {k: group[k] for k in ("file", "folder") if isinstance(group.get(k), str)}
        return {**group, **{k: os.path.realpath(path.parent / v) for k, v in named.items()}}

    groups = preset.get("groups")
    if not isinstance(groups, list):
        return preset
    return {"name": path.stem, **preset, "groups": [absolute(group) for group in groups]}
