"""``segboost track``: track an object through a video."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segboost.cli.options import data
from segboost.cli.options.output import AsJSON, Overwrite, check_output_folder

if TYPE_CHECKING:
    from segboost.pipelines.tracking.job import TrackJob, TrackResult

OVERLAYS = ("none", "frames", "video")


def track(
    frames: Annotated[Path | None, typer.Option(help="Folder of frames, or a video file.")] = None,
    box: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,W,H", help="The object's box in the first frame, 0-based pixels."
        ),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(help="Ground-truth boxes to score against: one per line, 1-based, as in OTB."),
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="Data set of the sequence: otb.")] = None,
    sequence: Annotated[
        str | None, typer.Option(help="Sequence of the data set, for example David.")
    ] = None,
    data_root: data.DataRoot = None,
    method: Annotated[
        str,
        typer.Option(
            help="Tracker: structboost, adaboost, struck, struck-linear or fragments; or OpenCV's "
            "mil or boosting."
        ),
    ] = "structboost",
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path(
        "track"
    ),
    overlay: Annotated[
        str,
        typer.Option(
            help="Draw the boxes: frames (images in overlay/), video (overlay.mp4) or none."
        ),
    ] = "none",
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    overwrite: Overwrite = False,
    as_json: AsJSON = False,
) -> None:
    """Track an object through a video.

    Give either --frames and --box, or --dataset otb and --sequence.

    Writes boxes.csv and, if the ground truth is known, scores and a plot.
    """
    given = _box(box) if box is not None else None
    _check(frames, given is not None, dataset, sequence, overlay)
    check_output_folder(output)
    from segboost.pipelines.tracking.methods import METHODS

    if method not in METHODS:
        raise typer.BadParameter(
            f"unknown tracker {method!r}: choose one of {', '.join(METHODS)}", param_hint="--method"
        )
    result = _run(
        _job(frames, given, truth, dataset, sequence, data_root),
        method,
        seed,
        output,
        overlay,
        overwrite,
    )
    typer.echo(json.dumps(result.to_dict(), allow_nan=False) if as_json else result.to_text())


def _box(text: str) -> tuple[float, float, float, float]:
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != 4 or not all(math.isfinite(v) for v in values) or min(values[2:]) <= 0:
        raise typer.BadParameter(
            f"expected four numbers X,Y,W,H with W and H above 0, got {text!r}", param_hint="--box"
        )
    x, y, w, h = values
    return x, y, w, h


def _check(
    frames: Path | None, has_box: bool, dataset: str | None, sequence: str | None, overlay: str
) -> None:
    """Raise a usage error if options contradict each other."""
    if overlay not in OVERLAYS:
        raise typer.BadParameter(f"expected one of {', '.join(OVERLAYS)}", param_hint="--overlay")
    if dataset not in (None, "otb"):
        raise typer.BadParameter(
            f"unknown data set {dataset!r}: choose otb", param_hint="--dataset"
        )
    if (frames is None) == (dataset is None):
        raise typer.BadParameter(
            "give either --frames DIR --box X,Y,W,H or --dataset otb --sequence NAME"
        )
    if frames is not None and sequence is not None:
        raise typer.BadParameter("--sequence goes with --dataset otb, not with --frames")
    if dataset is not None and sequence is None:
        raise typer.BadParameter("--dataset otb needs --sequence NAME")
    if frames is not None and not has_box:
        raise typer.BadParameter("--frames needs --box X,Y,W,H")


def _job(
    frames: Path | None,
    box: tuple[float, float, float, float] | None,
    truth: Path | None,
    dataset: str | None,
    sequence: str | None,
    data_root: Path | None,
) -> TrackJob:
    from segboost.pipelines.tracking.job import job_of_frames, job_of_sequence

    if frames is not None:
        assert box is not None
        return job_of_frames(frames, box, truth)
    from segboost.datasets.registry import find_data_root

    assert sequence is not None
    return job_of_sequence(find_data_root(data_root), sequence, box, truth)


def _run(
    job: TrackJob, method: str, seed: int, output: Path, overlay: str, overwrite: bool
) -> TrackResult:
    from segboost.cli.display.progress import RichProgress
    from segboost.pipelines.tracking.job import run_job

    with RichProgress() as progress:
        options: dict[str, Any] = {"overlay": overlay, "progress": progress, "overwrite": overwrite}
        return run_job(job, method, seed, output, **options)
