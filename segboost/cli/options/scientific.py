"""Options of scientific images: channels, axes, intensities, tiles, objects, other tools' files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from segboost.datasets.base import SegmentationDataset
    from segboost.io.scientific.intensities import IntensityScale
    from segboost.pipelines.batch.scientific.options import ScientificOptions
    from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig

Channels = Annotated[
    str | None,
    typer.Option(help="Channels to use, in order: 0,2,3; the first three become red, green, blue."),
]
Axes = Annotated[
    str | None,
    typer.Option(help="Axes of TIFF files, such as CYX or ZCYX, if those in the files are wrong."),
]
Intensities = Annotated[
    str | None,
    typer.Option(
        help="Values that become black and white: LOW,HIGH; by default percentiles of the "
        "training images. `segment` also takes the word image: percentiles of each image."
    ),
]
MaskKind = Annotated[
    str | None,
    typer.Option(help="auto, classes (indices) or labels (one number per object)."),
]
TileSide = Annotated[
    int | None,
    typer.Option("--tile", help="Side of the tiles of large images in pixels; a multiple of 256."),
]
Objects = Annotated[
    bool, typer.Option("--objects", help="Also write objects.csv and labels/NAME.tif.")
]
MinArea = Annotated[
    float | None, typer.Option(min=0, help="Drop objects with fewer pixels; implies --objects.")
]
FillHoles = Annotated[
    bool, typer.Option("--fill-holes", help="Fill the holes of objects; implies --objects.")
]
Touching = Annotated[
    str | None,
    typer.Option(help="keep (default) or split touching objects; implies --objects."),
]
Annotations = Annotated[
    str | None,
    typer.Option(
        help="Also write outlines of the objects: coco, geojson or labelme, or several separated "
        "by commas."
    ),
]
Tolerance = Annotated[
    float | None, typer.Option(help="Tolerance of the outlines in pixels; 0.5 by default.")
]
Zarr = Annotated[bool, typer.Option("--zarr", help="Write masks as OME-Zarr instead of TIFF.")]

READING_OPTIONS = ("channels", "axes", "intensities", "mask_kind")


def read_scientific_options(options: Mapping[str, Any]) -> ScientificOptions:
    """Return the options of `segboost segment`; raise a usage error if one is invalid."""
    from segboost.pipelines.batch.scientific.options import ScientificOptions
    from segboost.pipelines.objects.finding import ObjectSettings

    given = {key: value for key, value in options.items() if value not in (None, False)}
    found: dict[str, Any] = {
        key: given[key] for key in ("tile", "tolerance", "zarr") if key in given
    }
    try:
        found |= _reading(given)
        if {"objects", "min_area", "fill_holes", "touching"} & given.keys():
            settings = ("min_area", "fill_holes", "touching")
            found["objects"] = ObjectSettings(**{k: given[k] for k in settings if k in given})
        if "annotations" in given:
            found["formats"] = tuple(part.strip() for part in given["annotations"].split(","))
        return ScientificOptions(**found)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def load_scientific_data(
    options: Mapping[str, Any], chosen: dict[str, Any], scale: IntensityScale | None
) -> SegmentationDataset | None:
    """Load two folders by the scientific reader if the files or options need it, else return None.

    Parameters
    ----------
    options : mapping
        All options that were given.
    chosen : dict
        The options of `load_folders`.
    scale : IntensityScale, optional
        The scale of the model to evaluate.
    """
    from dataclasses import replace

    from segboost.datasets.images.scientific import (
        is_scientific_folder,
        load_scientific,
        parse_reading,
    )

    given = {key: options[key] for key in READING_OPTIONS if key in options}
    if not given and scale is None and not is_scientific_folder(chosen["images"], chosen["masks"]):
        return None
    try:
        reading = parse_reading(given)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if scale is not None:
        reading = replace(reading, intensities=scale)
    return load_scientific(chosen.pop("images"), chosen.pop("masks"), reading, **chosen)


def adapt_settings(settings: SegmentationConfig, data: SegmentationDataset) -> SegmentationConfig:
    """Return the settings with the intensities of the data, and a group for further channels."""
    if data.intensities is None:
        return settings
    from dataclasses import replace

    from segboost.features.presets import find_preset

    preset = find_preset(settings.preset).with_intensities(data.intensities)
    return replace(settings, preset=preset.to_config())


def _reading(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return channels, axes and intensities as values.

    Unlike `parse_reading`, this also takes the word image as intensities.
    """
    from segboost.datasets.images.scientific import parse_channels, parse_intensities

    found: dict[str, Any] = {}
    if "axes" in given:
        found["axes"] = given["axes"].upper()
    if "channels" in given:
        found["channels"] = parse_channels(given["channels"])
    if "intensities" in given:
        text = given["intensities"]
        found["intensities"] = text if text == "image" else parse_intensities(text)
    return found
