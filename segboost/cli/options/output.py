"""Options and checks of what the verbs write and print."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Also replace files that segboost did not write."),
]
AsJSON = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def check_output_file(file: Path) -> None:
    """Raise a usage error if the path is a folder, or its own folder does not exist."""
    if file.is_dir():
        raise typer.BadParameter(f"{file} is a folder, not a file", param_hint="--output")
    if not file.absolute().parent.is_dir():
        raise typer.BadParameter(
            f"the parent folder of {file} does not exist", param_hint="--output"
        )


def check_output_folder(folder: Path) -> None:
    """Raise a usage error if the folder neither exists nor can be created, before work begins."""
    for path in (folder, *folder.parents):
        if not os.path.lexists(path):
            continue
        if not path.is_dir():
            kind = "a broken link" if path.is_symlink() and not path.exists() else "a file"
            raise typer.BadParameter(f"{path} is {kind}, not a folder", param_hint="--output")
        return
