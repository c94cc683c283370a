"""``segboost cache``: show and remove the intermediate results that runs keep."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segboost.cli.options.output import AsJSON

if TYPE_CHECKING:
    from segboost.pipelines.runtime.artefact_cache import CachedFile

app = typer.Typer(no_args_is_help=True, help="Show or remove cached intermediate results.")

DEFAULT = ("models", "demo", "reproduce")
"""Default output folders of the verbs."""

Places = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[DIR...]",
        help="Cache folders, runs or folders of runs; models, demo and reproduce by default.",
        show_default=False,
    ),
]


@app.callback()
def cache() -> None:
    """Show or remove cached intermediate results.

    Training keeps the results of its stages, so that a run can resume and another run can reuse
    them. Models do not need them: after cleaning, training only takes longer.
    """


@app.command()
def show(places: Places = None, as_json: AsJSON = False) -> None:
    """Show the size and age of caches."""
    from segboost.pipelines.runtime.artefact_cache import list_artefacts

    caches = {folder: list_artefacts(folder) for folder in _find(places)}
    if as_json:
        found = [{"folder": str(f), **_summary(files)} for f, files in caches.items()]
        typer.echo(json.dumps({"caches": found}))
        return
    for folder, files in caches.items():
        _print(folder, files)
    _print_none(caches)


@app.command()
def clean(
    places: Places = None,
    older_than: Annotated[
        float, typer.Option(min=0, help="Only remove results older than this many days.")
    ] = 0.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be removed and remove nothing.")
    ] = False,
    as_json: AsJSON = False,
) -> None:
    """Remove cached results.

    Removes only files that segboost wrote as cached results, and leaves models alone. Refuses
    to clean a cache that a run is using.
    """
    from segboost.pipelines.runtime.artefact_cache import clean_cache

    found = []
    for folder in _find(places):
        removed = clean_cache(folder, older_than, dry_run)
        found.append({"folder": str(folder), "files": removed.n_files, "bytes": removed.n_bytes})
        if not as_json:
            verb = "would remove" if dry_run else "removed"
            typer.echo(f"{folder}: {verb} {_count(removed.n_files)}, {_size(removed.n_bytes)}")
    if as_json:
        typer.echo(json.dumps({"dry_run": dry_run, "caches": found}))
    else:
        _print_none(found)


def _find(places: list[Path] | None) -> list[Path]:
    from segboost.pipelines.runtime.artefact_cache import find_caches

    for place in places or ():
        if not place.is_dir():
            raise typer.BadParameter(f"folder {place} does not exist")
    return find_caches(places or [Path(name) for name in DEFAULT])


def _print(folder: Path, files: list[CachedFile]) -> None:
    total = _summary(files)
    age = ""
    if files:
        age = f", {total['youngest_days']:.1f} to {total['oldest_days']:.1f} days old"
    typer.echo(f"{folder}: {_count(total['files'])}, {_size(total['bytes'])}{age}")
    for stage, part in total["stages"].items():
        typer.echo(f"  {stage:16} {_count(part['files']):>12} {_size(part['bytes']):>10}")


def _summary(files: list[CachedFile]) -> dict[str, Any]:
    """Return the number, size and age of artefacts, in total, with number and size by stage."""
    from segboost.pipelines.runtime.artefact_cache import DAY

    stages: dict[str, dict[str, int]] = {}
    for file in files:
        part = stages.setdefault(file.stage, {"files": 0, "bytes": 0})
        part["files"] += 1
        part["bytes"] += file.n_bytes
    ages = [round((time.time() - file.written) / DAY, 3) for file in files]
    return {
        "files": len(files),
        "bytes": sum(file.n_bytes for file in files),
        "youngest_days": min(ages, default=None),
        "oldest_days": max(ages, default=None),
        "stages": stages,
    }


def _print_none(caches: Any) -> None:
    if not caches:
        typer.echo("no caches found: give the folder of a run or of a cache")


def _count(n_files: int) -> str:
    return "1 file" if n_files == 1 else f"{n_files} files"


def _size(n_bytes: int) -> str:
    """Return a size in megabytes, as text.

    Examples
    --------
    >>> _size(2_500_000)
    '2.5 MB'
    """
    return f"{n_bytes / 1e6:.1f} MB"
