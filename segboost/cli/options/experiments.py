"""Options of the verbs of ``segboost reproduce``, and the check and record of their outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from segboost.cli.options.output import check_output_folder

StageCache = Annotated[
    Path | None,
    typer.Option(help="Folder for cached intermediate results; OUTPUT/cache by default."),
]
FitCache = Annotated[
    Path | None, typer.Option(help="Folder for finished fits; OUTPUT/cache by default.")
]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
SplitSeed = Annotated[int, typer.Option(min=0, help="Random seed of the splits.")]
FewImages = Annotated[
    bool,
    typer.Option("--quick", help="Smoke test on a few images; the scores are not meaningful."),
]


def table_outputs(*curves: str) -> tuple[str, ...]:
    """Return the file names of an experiment: its tables, and curves with the given names."""
    tables = ("table.json", "table.md", "table.txt", "choices.json", "times.json")
    return (*tables, *(f"{name}.{ending}" for name in curves for ending in ("png", "svg")))


@contextmanager
def recorded_tables(
    output: Path, names: Sequence[str], overwrite: bool, cache: Path | None = None
) -> Iterator[None]:
    """Check that the output can be written, before hours of work; record it afterwards."""
    check_output_folder(output)
    from segboost.pipelines.runtime.folder_lock import shared_folder
    from segboost.storage.output_record import Outputs, recorded_outputs

    outputs = Outputs(tuple(names))
    with (
        recorded_outputs(output, outputs, overwrite=overwrite),
        shared_folder(cache or output / "cache"),
    ):
        yield
