"""``segboost label``: paint some of your images in a browser, train, look, paint on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from segboost.cli import data


def label(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of images.", show_default=False)
    ],
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = 0,
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
    from segboost.label.serving import serve

    serve(folder, port, data.count_jobs(jobs), lambda address: typer.echo(f"open {address}"))
