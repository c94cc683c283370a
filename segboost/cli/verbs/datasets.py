"""``segboost datasets list | info NAME | verify NAME``: list, describe and check data sets."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from segboost.cli.options.output import AsJSON

if TYPE_CHECKING:
    from segboost.datasets.findings import Verification
    from segboost.progress import Progress, Report

app = typer.Typer(no_args_is_help=True, help="List, describe and verify data sets.")

Name = Annotated[str, typer.Argument(help="A data set from `segboost datasets list`.")]


@app.callback()
def datasets() -> None:
    """List, describe and verify data sets."""


@app.command("list")
def list_(as_json: AsJSON = False) -> None:
    """List the known data sets."""
    from segboost.datasets.registry import dataset_info, list_datasets

    known = [dataset_info(name) for name in list_datasets(None)]
    if as_json:
        typer.echo(
            json.dumps({"datasets": [{"name": i.name, "summary": i.summary} for i in known]})
        )
        return
    for info in known:
        typer.echo(f"{info.name:18} {info.summary}")


@app.command()
def info(name: Name, as_json: AsJSON = False) -> None:
    """Describe a data set: its options, layout and source."""
    _check_name(name)
    from segboost.datasets.registry import dataset_info

    found = dataset_info(name)
    facts = {
        "name": found.name,
        "summary": found.summary,
        "categories": list(found.categories),
        "needs": [f"--{option.replace('_', '-')}" for option in found.needs],
        "details": found.details,
    }
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    for title, value in facts.items():
        if value:
            typer.echo(f"{title:11} {', '.join(value) if isinstance(value, list) else value}")


@app.command()
def verify(
    name: Name,
    category: Annotated[
        str | None,
        typer.Option(
            help="For graz02: bike, car or people; for libsvm: one of its sets. All by default."
        ),
    ] = None,
    data_root: Annotated[
        Path | None, typer.Option(help="Folder of the data sets; $SEGBOOST_DATA by default.")
    ] = None,
    images: Annotated[Path | None, typer.Option(help="For folders: folder of the images.")] = None,
    masks: Annotated[
        Path | None, typer.Option(metavar="DIR", help="For folders: folder of the masks.")
    ] = None,
    classes: Annotated[
        Path | None, typer.Option(help="For folders: names and colours of the classes.")
    ] = None,
    as_json: AsJSON = False,
) -> None:
    """Check every file of a data set.

    The exit status is 0 if the data set is usable, 1 if files are missing or broken.
    """
    _check_name(name)
    _check_options(name, category, images, masks)
    if classes is not None and name != "folders":
        raise typer.BadParameter(f"data set {name} does not take --classes")
    checks = _plan(name, category, data_root, images, masks, classes)
    reports = [_run(label, check) for label, check in checks]
    if as_json:
        typer.echo(json.dumps(_as_json(reports), ensure_ascii=False))
    else:
        for report in reports:
            _show(report)
    if not all(report.usable for report in reports):
        raise typer.Exit(1)


def _check_name(name: str) -> None:
    from segboost.datasets.registry import list_datasets

    if name not in list_datasets(None):
        choices = ", ".join(list_datasets(None))
        raise typer.BadParameter(f"unknown data set {name!r}: choose one of {choices}")


def _check_options(
    name: str, category: str | None, images: Path | None, masks: Path | None
) -> None:
    """Raise a usage error if an option is missing, unknown or belongs to another data set."""
    from segboost.datasets.registry import dataset_info

    known = dataset_info(name)
    given = {"category": category, "images": images, "masks": masks}
    for option, value in given.items():
        wanted = option in known.needs
        if value is not None and not wanted:
            raise typer.BadParameter(f"data set {name} does not take --{option}")
        if value is None and wanted and option != "category":
            raise typer.BadParameter(f"data set {name} needs --images DIR and --masks DIR")
    if category is not None and category not in known.categories:
        choices = ", ".join(known.categories)
        raise typer.BadParameter(f"unknown category {category!r}: choose one of {choices}")


def _plan(
    name: str,
    category: str | None,
    data_root: Path | None,
    images: Path | None,
    masks: Path | None,
    classes: Path | None,
) -> list[tuple[str, Callable[[Progress], Verification]]]:
    """Return the checks to run, each with a label."""
    from functools import partial

    from segboost.datasets.images import verify as checks
    from segboost.datasets.registry import dataset_info, find_data_root, load_dataset

    if name in ("libsvm", "sun8", "otb"):
        return _plan_others(name, category, find_data_root(data_root))
    if name == "graz02":
        root = find_data_root(data_root)
        chosen = (category,) if category else dataset_info(name).categories
        return [(f"graz02/{c}", partial(checks.verify_graz02, root, c)) for c in chosen]
    if images is not None and masks is not None:
        return [(name, partial(checks.verify_folders, images, masks, classes=classes))]
    if name == "camvid":
        videos = load_dataset(name, data_root=find_data_root(data_root))
        return [(name, partial(checks.verify_dataset, videos, frames=True))]
    return [(name, partial(checks.verify_dataset, load_dataset(name)))]


def _plan_others(
    name: str, category: str | None, root: Path
) -> list[tuple[str, Callable[[Progress], Verification]]]:
    """Return the checks of data sets other than images with masks."""
    from functools import partial

    from segboost.datasets.images.verify_scenes import verify_sun8
    from segboost.datasets.tables.verify import find_sets, verify_libsvm

    if name == "sun8":
        return [(name, partial(verify_sun8, root))]
    if name == "otb":
        return _plan_tracks(root)
    chosen = (category,) if category else find_sets(root)
    return [(f"libsvm/{c}", partial(verify_libsvm, root, c)) for c in chosen]


def _plan_tracks(root: Path) -> list[tuple[str, Callable[[Progress], Verification]]]:
    """Return the checks of all video sequences."""
    from functools import partial

    from segboost.datasets.tracks.otb import list_sequences, sequence_folder
    from segboost.datasets.tracks.verify import verify_sequence

    names = list_sequences(root)
    if not names:
        raise ValueError(f"no sequences (NAME/groundtruth_rect.txt) in {sequence_folder(root)}")
    return [(f"otb/{name}", partial(verify_sequence, root, name)) for name in names]


def _run(label: str, check: Callable[[Progress], Verification]) -> Verification:
    """Run a check, with a progress bar if standard error is a terminal."""
    from segboost.progress import QuietProgress

    if not sys.stderr.isatty():
        return check(QuietProgress())
    with typer.progressbar(length=1, label=label, file=sys.stderr, show_pos=True) as bar:

        def progress(report: Report, /) -> None:
            bar.length = report.total
            bar.update(1)

        return check(progress)


def _as_json(reports: list[Verification]) -> dict[str, object]:
    from dataclasses import asdict

    parts = [{**asdict(report), "usable": report.usable} for report in reports]
    return {"usable": all(report.usable for report in reports), "datasets": parts}


def _show(report: Verification) -> None:
    for finding in report.findings:
        typer.echo(f"{finding.level:8} {finding.name}: {finding.text}")
    for note in report.notes:
        typer.echo(f"note     {note}")
    missing = sum(finding.level == "missing" for finding in report.findings)
    odd = len(report.findings) - missing
    state = "usable" if report.usable else "not usable"
    typer.echo(
        f"{report.dataset}: {report.size}, {missing} missing or broken, {odd} suspicious: {state}"
    )
