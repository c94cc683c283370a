"""Options about output files, shared by the verbs that write them."""

from __future__ import annotations

from typing import Annotated

import typer

Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Also replace files that segboost did not write."),
]
