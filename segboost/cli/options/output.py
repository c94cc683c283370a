"""Options about output files, shared by the verbs that write them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Also replace files that segboost did not write."),
]


def check_output_folder(folder: Path) -> None:
    """Raise a usage error if the folder neither exists nor can be created, before work begins."""
    for path in (folder, *folder.parents):
        if not os.path.lexists(path):
            continue
        if not path.is_dir():
            kind = "a broken link" if path.is_symlink() and not path.exists() else "a file"
            raise typer.BadParameter(f"{path} is {kind}, not a folder", param_hint="--output")
        return
