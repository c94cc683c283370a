"""Scientific images and their masks: any depth and channels, stacks, other tools' annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import FloatArray
from segboost.datasets.base import DatasetError, FileSource, LabelledImage, SegmentationDataset
from segboost.datasets.images.folders import TEST_FRACTION, pair_files, summarise
from segboost.datasets.images.scientific_masks import check_masks, find_kind
from segboost.datasets.images.scientific_pages import (
    MOST_CROPS,
    Crop,
    CropMask,
    CropReader,
    cut_crops,
    spread_crops,
)
from segboost.datasets.images.splitting import split_by_fraction, split_by_lists
from segboost.datasets.reading import image_source
from segboost.io.errors import ImageFileError
from segboost.io.formats.coco import read_coco
from segboost.io.image_files import list_images
from segboost.io.legend import TWO_CLASSES, ClassLegend, read_legend
from segboost.io.scientific.image_info import ImageInfo
from segboost.io.scientific.intensities import (
    IntensityScale,
    check_channels,
    describe_values,
    learn_scale,
    sample_pixels,
)
from segboost.io.scientific.sources import open_source, read_info

SIDE, LARGEST_PIXELS = 1024, 2048 * 2048
"""Side of the crops of large pages, and the largest page that stays whole, in pixels."""
READING = ("channels", "axes", "intensities", "mask_kind")
"""Options that only scientific images have."""


@dataclass(frozen=True)
class ScientificReading:
    """Options for reading the files.

    Parameters
    ----------
    channels : tuple of int, optional
    axes : str, optional
    mask_kind : {"auto", "classes", "labels"}
    intensities : IntensityScale or (float, float), optional
        A known scale, or the values that become black and white.
    """

    channels: tuple[int, ...] | None = None
    axes: str | None = None
    mask_kind: str = "auto"
    intensities: IntensityScale | tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.mask_kind not in ("auto", "classes", "labels"):
            raise ValueError(f"mask_kind: expected auto, classes or labels, got {self.mask_kind!r}")


def parse_reading(options: Mapping[str, Any]) -> ScientificReading:
    """Return the reading options for values in the form of the command line.

    Parameters
    ----------
    options : mapping
        ``channels`` ("0,2,3"), ``axes`` ("CYX"), ``intensities`` ("LOW,HIGH"), ``mask_kind``; all
        are optional.

    Raises
    ------
    ValueError
        If an option is invalid.
    """
    channels, intensities = options.get("channels"), options.get("intensities")
    axes = options.get("axes")
    try:
        chosen = None if channels is None else tuple(int(n) for n in str(channels).split(","))
        scale = None
        if intensities is not None:
            low, high = (float(v) for v in str(intensities).split(","))
            scale = (low, high)
    except ValueError:
        raise ValueError("expected --channels as 0,2,3 and --intensities as LOW,HIGH") from None
    return ScientificReading(
        chosen, None if axes is None else str(axes).upper(), options.get("mask_kind", "auto"), scale
    )


def is_scientific_folder(images: str | PathLike[str], masks: str | PathLike[str]) -> bool:
    """Whether images are not all photographs, or masks are not image files."""
    if Path(masks).suffix.lower() == ".json" or _labelme_files(Path(masks)):
        return True
    if not Path(images).is_dir() or not Path(masks).is_dir():
        return False
    return any(_is_scientific(path) for path in list_images(Path(images))[0])


def load_scientific(
    images: str | PathLike[str],
    masks: str | PathLike[str],
    reading: ScientificReading | None = None,
    *,
    test_fraction: float = TEST_FRACTION,
    seed: int = 0,
    train_list: str | PathLike[str] | None = None,
    test_list: str | PathLike[str] | None = None,
    foreground: int | None = None,
    mask_suffix: str = "",
    classes: str | PathLike[str] | ClassLegend | None = None,
) -> SegmentationDataset:
    """Return scientific images with their masks; see `load_folders` for the other parameters.

    Every page of a stack is an image. Unless all files are photographs, pages above 2048×2048
    pixels are represented by crops with labels, and the scale of intensities is learned from the
    training images.

    Parameters
    ----------
    images : path
        A folder.
    masks : path
        A folder of mask images, of label images, or of LabelMe files; or a COCO file.
    reading : ScientificReading, optional

    Raises
    ------
    DatasetError, ImageFileError
        One line that names the file.
    """
    reading = reading or ScientificReading()
    given = read_legend(classes) if isinstance(classes, str | PathLike) else classes
    pairs, kind, notes = _pair(Path(images), Path(masks), mask_suffix)
    infos = {name: read_info(pair[0], reading.axes) for name, pair in pairs.items()}
    known = reading.intensities if isinstance(reading.intensities, IntensityScale) else None
    plain = reading.channels is None and known is None
    plain = plain and all(info.photograph for info in infos.values())
    if not plain:
        _check_alike(infos, pairs, known)
    if train_list is None and test_list is None:
        train, test = split_by_fraction(list(pairs), test_fraction, seed)
    else:
        train, test, left_out = split_by_lists(list(pairs), train_list, test_list)
        notes += [f"in neither list: {', '.join(left_out)}"] if left_out else []
    notes += [f"{name}: {note}" for name, info in infos.items() for note in info.notes]
    scale = None
    if not plain:
        used = [pairs[n][0] for n in train or test]
        scale, said = _find_scale(used, infos, reading)
        notes += said
    wanted = (reading.mask_kind, given, foreground)
    pages = {name: info.pages for name, info in infos.items()}
    legend, found_kind, more = find_kind(pairs, pages, kind, wanted, (SIDE, LARGEST_PIXELS))
    more += check_masks(pairs, infos, found_kind, legend)
    parts = []
    for names in (train, test):
        items: list[LabelledImage] = []
        for name in names:
            kept = (legend, pairs[name][0].name, foreground, pages[name])
            reader = CropMask(Crop(0, 0, 0, 0), found_kind, *kept)
            made, said = _items(name, pairs[name], infos[name], (scale, reading.axes), reader)
            items += made
            more += said
        parts.append(tuple(items))
    return SegmentationDataset(
        Path(images).resolve().name,
        parts[0],
        parts[1],
        tuple(notes + more),
        legend=TWO_CLASSES if foreground is not None else legend,
        intensities=scale,
    )


def _pair(
    images: Path, masks: Path, mask_suffix: str
) -> tuple[dict[str, tuple[Path, Path]], str, list[str]]:
    """Return image and mask by name, the kind of the masks, and notes on images left out."""
    if masks.suffix.lower() == ".json":
        known = read_coco(masks).images
        files = {path.stem: path for path in list_images(images)[0]}
        missing = [path.name for path in files.values() if path.name not in known]
        notes = [f"not in {masks.name} and left out: {', '.join(missing)}"] if missing else []
        pairs = {name: (path, masks) for name, path in files.items() if path.name in known}
        if not pairs:
            raise DatasetError(f"{masks} lists no image of {images}: the file names must match")
        return pairs, "coco", notes
    labelme = _labelme_files(masks)
    if labelme:
        files = {path.stem: path for path in list_images(images)[0]}
        missing = sorted(set(files) - set(labelme))
        notes = [f"without a LabelMe file and left out: {', '.join(missing)}"] if missing else []
        both = sorted(set(files) & set(labelme))
        if not both:
            raise DatasetError(f"{masks} has no LabelMe file named like an image in {images}")
        return {name: (files[name], labelme[name]) for name in both}, "labelme", notes
    found = pair_files(images, masks, mask_suffix)
    if found.problems:
        raise DatasetError(summarise(found.problems))
    return found.pairs, "image", list(found.notes)


def _labelme_files(masks: Path) -> dict[str, Path]:
    if not masks.is_dir() or list_images(masks)[0]:
        return {}
    return {path.stem: path for path in sorted(masks.glob("*.json"))}


def _is_scientific(path: Path) -> bool:
    try:
        return not read_info(path).photograph
    except ImageFileError:
        return False  # reported when it is read


def _check_alike(
    infos: dict[str, ImageInfo], pairs: dict[str, tuple[Path, Path]], known: IntensityScale | None
) -> None:
    """Refuse images of different channels or types, which cannot share one scale."""
    first = next(iter(infos))
    for name, info in infos.items():
        for what, own, other in (
            ("channels", info.channels, infos[first].channels),
            ("values", info.dtype, infos[first].dtype),
        ):
            if own != other:
                raise DatasetError(
                    f"{pairs[name][0]} has {own} {what}, {pairs[first][0].name} has {other}: make "
                    "all images alike"
                )
    if known is not None:
        _check_fit(pairs[first][0], infos[first], known)


def _check_fit(path: Path, info: ImageInfo, scale: IntensityScale) -> None:
    """Refuse images to which the scale of a model does not apply."""
    if info.channels != scale.file_channels:
        raise DatasetError(
            f"{path}: {info.channels} channels, but the training images of the model had "
            f"{scale.file_channels}"
        )
    if info.dtype == np.uint8 and max(scale.high) > 255:
        raise DatasetError(f"{path}: 8 bits, but the training images of the model had more")


def _find_scale(
    paths: Sequence[Path], infos: dict[str, ImageInfo], reading: ScientificReading
) -> tuple[IntensityScale, list[str]]:
    """Return the scale of intensities, and notes on unusual values."""
    info = next(iter(infos.values()))
    chosen = tuple(range(info.channels)) if reading.channels is None else reading.channels
    check_channels(chosen, info.channels)
    if isinstance(reading.intensities, IntensityScale):
        return reading.intensities, []
    samples, notes = [], []
    for path in paths:
        found, said = _samples(path, reading.axes, chosen)
        samples += found
        notes += [f"{path.name}: {line}" for line in said]
    if reading.intensities is not None:
        (low, high), n = reading.intensities, len(chosen)
        return IntensityScale(info.channels, chosen, (low,) * n, (high,) * n), notes
    return learn_scale(samples, info.dtype, chosen), notes


def _samples(
    path: Path, axes: str | None, channels: Sequence[int]
) -> tuple[list[FloatArray], list[str]]:
    """Return sampled pixels of an image, and notes; large pages are read crop by crop."""
    samples, notes = [], []
    with open_source(path, axes) as source:
        crops = cut_crops(source.info, SIDE, LARGEST_PIXELS)
        for crop in crops[:: max(1, len(crops) // MOST_CROPS)]:
            values = source.read(crop.page, crop.rows, crop.columns)
            samples.append(sample_pixels(values))
            notes += describe_values(values, channels)
    return samples, list(dict.fromkeys(notes))


def _items(
    name: str,
    pair: tuple[Path, Path],
    info: ImageInfo,
    scaling: tuple[IntensityScale | None, str | None],
    mask: CropMask,
) -> tuple[list[LabelledImage], list[str]]:
    """Return the pages or labelled crops of an image."""
    scale, axes = scaling
    # Photographs stay whole here: training crops large ones, or scales them down.
    crops, notes = cut_crops(info, SIDE, LARGEST_PIXELS if scale else info.n_pixels), []
    if len(crops) > info.pages:
        labelled = [c for c in crops if (replace(mask, crop=c)((pair[1],)) != 255).any()]
        used = spread_crops(labelled)
        notes.append(f"{name}: {len(used)} of {len(crops)} crops are used")
        crops = used
    items = []
    for crop in crops:
        place = "" if len(crops) == 1 else f"_{crop.page}_{crop.top}_{crop.left}"
        image = image_source(pair[0])
        if scale is not None:
            reader = CropReader(crop, scale, axes)
            image = FileSource((pair[0],), reader, repr(reader))
        own = replace(mask, crop=crop)
        items.append(LabelledImage(f"{name}{place}", image, FileSource((pair[1],), own, repr(own))))
    return items, notes
