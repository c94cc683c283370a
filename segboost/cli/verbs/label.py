"""``segboost label``: label images in the browser, train a model and correct its predictions."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import typer

from segboost.cli.options import data
from segboost.cli.options.presets import AllowImport, with_absolute_paths


def label(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of images.", show_default=False)
    ],
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="Port; 0 reuses the folder's last one, or picks a free one."
        ),
    ] = 0,
    config: Annotated[Path | None, typer.Option(help="JSON file of training settings.")] = None,
    jobs: data.Jobs = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    allow_import: AllowImport = None,
) -> None:
    """Label images and train in the browser.

    Opens a page in the browser and prints its address, which only works on this machine. Every
    stroke is saved at once to DIR/segboost-label/masks. The model is saved to
    DIR/segboost-label/model; use it with `segboost segment`. Stop the server with Ctrl-C.
    """
    if not folder.is_dir():
        raise typer.BadParameter(f"folder {folder} does not exist")
    from segboost.io.image_files import list_images

    if not list_images(folder)[0]:
        raise typer.BadParameter(f"{folder} contains no image files")
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise typer.BadParameter(
            "segboost label needs more packages: pip install 'segboost[label]'"
        ) from None
    settings = None if config is None else _read_settings(config, allow_import or ())
    from segboost.label.serve import serve

    with contextlib.suppress(KeyboardInterrupt):  # the normal way to stop

        def on_ready(address: str) -> None:
            typer.echo(f"open {address}")
            if browser:
                open_page(address)

        serve(folder, port, data.count_jobs(jobs), on_ready, settings)


def open_page(address: str) -> None:
    """Open a page in the user's browser without waiting; do nothing without a display."""
    import os
    import sys
    import threading
    import webbrowser

    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not (screen or os.environ.get("BROWSER")):
        return  # only text browsers are left, and this terminal is in use
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _read_settings(path: Path, allow_import: Collection[str]) -> dict[str, Any]:
    from segboost.label.project import label_config
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig

    try:
        settings = SegmentationConfig.read_document(path)
        if isinstance(settings.get("preset"), dict):
            settings["preset"] = with_absolute_paths(settings["preset"], path)
        checked = label_config(settings)
        checked.refuse_imports(allow_import)
        if not checked.learns_crf:
            raise ValueError("method must be structboost or ssvm: the page needs a CRF")
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--config") from None
    return settings
