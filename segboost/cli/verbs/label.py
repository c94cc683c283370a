"""``segboost label``: paint some of your images in a browser, train, look, paint on."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Any

import typer

from segboost.cli.options import data


def label(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of images.", show_default=False)
    ],
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = 0,
    config: Annotated[
        Path | None, typer.Option(help="A JSON file of settings that models are trained with.")
    ] = None,
    jobs: data.Jobs = None,
) -> None:
    """Paint, train and look in a browser.

    Prints an address of this machine; nobody else can open it. Strokes are kept in
    DIR/segboost-label/masks as they are painted, the model in DIR/segboost-label/model, for
    `segboost segment`. Ctrl-C ends it.
    """
    if not folder.is_dir():
        raise typer.BadParameter(f"there is no folder {folder}: name one with images")
    from segboost.datasets.reading import list_images

    if not list_images(folder)[0]:
        raise typer.BadParameter(f"{folder} holds no image files: name a folder with images")
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise typer.BadParameter(
            "the page needs two more packages: pip install 'segboost[label]'"
        ) from None
    settings = None if config is None else _read_settings(config)
    from segboost.label.serve import serve

    with contextlib.suppress(KeyboardInterrupt):  # the usual end
        tell = lambda address: typer.echo(f"open {address}")  # noqa: E731
        serve(folder, port, data.count_jobs(jobs), tell, settings)


def _read_settings(path: Path) -> dict[str, Any]:
    from segboost.label.project import label_config
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig

    try:
        settings = SegmentationConfig.read(path)
        if label_config(settings).method not in ("structboost", "ssvm"):
            raise ValueError("method must be structboost or ssvm: the page shows a CRF's answers")
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--config") from None
    return settings
