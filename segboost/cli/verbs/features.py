"""``segboost features show IMAGE``: draw superpixels and feature groups."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segboost.cli.options.output import Overwrite
from segboost.cli.options.presets import AllowImport, read_preset
from segboost.cli.options.usage_errors import as_usage_error

if TYPE_CHECKING:
    from segboost.features.image import RGB
    from segboost.features.presets import Preset

app = typer.Typer(no_args_is_help=True, help="Look at superpixels and feature groups.")


@app.callback()
def features() -> None:
    """Look at superpixels and feature groups."""


@app.command()
def show(
    image: Annotated[Path, typer.Argument(help="The image file.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="PNG file to write; NAME.features.png by default."),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(metavar="NAME|FILE", help="Feature groups, as in segboost train."),
    ] = "default",
    overwrite: Overwrite = False,
    allow_import: AllowImport = None,
) -> None:
    """Draw superpixels and a map of each group.

    Shows superpixel borders, boundary lengths and, for each feature group, a heat map of its
    first principal component. Visual words are learned from this image alone.
    """
    target = output or Path(f"{image.stem}.features.png")
    with as_usage_error():
        check_paths(image, target, overwrite)
        rgb, chosen = read_inputs(image, read_preset(preset), allow_import or ())
    count, edges, groups = draw(rgb, image.stem, chosen, target)
    typer.echo(f"{target}: {count} superpixels, {edges} edges, {groups} groups")


def check_paths(image: Path, target: Path, overwrite: bool = False) -> None:
    """Raise a ValueError if a path cannot be used, before any work is done."""
    if not image.is_file():
        raise ValueError(f"image file {image} does not exist")
    if target.suffix.lower() != ".png":
        raise ValueError(f"--output must end in .png, got {target}")
    if not target.parent.is_dir():
        raise ValueError(f"the folder {target.parent} does not exist: create it first")
    if target.is_dir():
        raise ValueError(f"{target} is a folder: give --output a file name")
    if target.exists() and target.samefile(image):
        raise ValueError(f"{target} is the image itself: choose another --output")
    from segboost.features.feature_picture import check_picture

    check_picture(target, overwrite)


def read_inputs(
    image: Path, preset: str | dict[str, Any], allow_import: Collection[str]
) -> tuple[RGB, Preset]:
    """Return the image, and the preset with a codebook if it needs one."""
    from segboost.features import find_preset, learn_codebook, read_image
    from segboost.features.groups.user_groups import refuse_imports

    chosen = find_preset(preset)
    refuse_imports(chosen.to_config()["groups"], allow_import, "the preset")
    rgb = read_image(image)
    return rgb, chosen.with_codebook(learn_codebook([rgb])) if chosen.needs_codebook else chosen


def draw(rgb: RGB, name: str, preset: Preset, target: Path) -> tuple[int, int, int]:
    """Write the picture; return the numbers of superpixels, edges and groups."""
    from segboost.features import extract_features
    from segboost.features.feature_picture import draw_features, save_picture

    computed = extract_features(rgb, preset, name=name)
    save_picture(draw_features(rgb, computed), target)
    return computed.area.size, len(computed.adjacency.edges), len(computed.groups)
