"""Scientific images and their masks: any depth and channels, stacks, other tools' annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import FloatArray
from segboost.datasets.base import DatasetError, FileSource, LabelledImage, SegmentationDataset
from segboost.datasets.images.folders import TEST_FRACTION
from segboost.datasets.images.scientific_masks import MaskRequest, check_masks, find_mask_kind
from segboost.datasets.images.scientific_pages import (
    MOST_CROPS,
    Crop,
    CropMask,
    CropReader,
    MaskKind,
    cut_crops,
    spread_crops,
)
from segboost.datasets.images.scientific_pairs import labelme_files, pair_scientific_files
from segboost.datasets.images.splitting import split_by_fraction, split_by_lists
from segboost.datasets.reading import image_source
from segboost.io.errors import ImageFileError
from segboost.io.image_files import list_images
from segboost.io.legend import TWO_CLASSES, VOID, ClassLegend, read_legend
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

    @property
    def known_scale(self) -> IntensityScale | None:
        """The scale of a model; None if the images determine it."""
        return self.intensities if isinstance(self.intensities, IntensityScale) else None


@dataclass(frozen=True)
class _Readers:
    """How the images and masks of a set are read; see `CropReader` and `CropMask`."""

    scale: IntensityScale | None
    axes: str | None
    kind: MaskKind
    legend: ClassLegend
    foreground: int | None

    def of_mask(self, crop: Crop, image: str, pages: int) -> CropMask:
        """Return the reader of a crop of the mask of an image."""
        return CropMask(crop, self.kind, self.legend, image, self.foreground, pages)


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
    return ScientificReading(
        None if channels is None else parse_channels(str(channels)),
        None if axes is None else str(axes).upper(),
        options.get("mask_kind", "auto"),
        None if intensities is None else parse_intensities(str(intensities)),
    )


def parse_channels(text: str) -> tuple[int, ...]:
    """Return the channels in the value of ``--channels``: "0,2,3"."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"--channels: expected numbers such as 0,2,3, got {text!r}") from None


def parse_intensities(text: str) -> tuple[float, float]:
    """Return the two numbers in the value of ``--intensities``: "LOW,HIGH"."""
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"--intensities: expected two numbers LOW,HIGH, got {text!r}") from None
    return low, high


def is_scientific_folder(images: str | PathLike[str], masks: str | PathLike[str]) -> bool:
    """Whether images are not all photographs, or masks are not image files."""
    if Path(masks).suffix.lower() == ".json" or labelme_files(Path(masks)):
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
    files = pair_scientific_files(Path(images), Path(masks), mask_suffix)
    pairs, notes = files.pairs, list(files.notes)
    infos = {name: read_info(image, reading.axes) for name, (image, _) in pairs.items()}
    scaled = _needs_scale(infos, reading)
    if scaled:
        _check_alike(infos, pairs, reading.known_scale)
    if train_list is None and test_list is None:
        train, test = split_by_fraction(list(pairs), test_fraction, seed)
    else:
        train, test, left_out = split_by_lists(list(pairs), train_list, test_list)
        notes += [f"in neither list: {', '.join(left_out)}"] if left_out else []
    notes += [f"{name}: {note}" for name, info in infos.items() for note in info.notes]
    scale = None
    if scaled:
        scale, scale_notes = _find_scale([pairs[n][0] for n in train or test], infos, reading)
        notes += scale_notes
    pages = {name: info.pages for name, info in infos.items()}
    request = MaskRequest(reading.mask_kind, given, foreground)
    sizes = (SIDE, LARGEST_PIXELS)
    legend, kind, kind_notes = find_mask_kind(pairs, pages, files.storage, request, sizes)
    notes += [*kind_notes, *check_masks(pairs, infos, kind, legend)]
    readers = _Readers(scale, reading.axes, kind, legend, foreground)
    train_items, train_notes = _read_part(train, pairs, infos, readers)
    test_items, test_notes = _read_part(test, pairs, infos, readers)
    return SegmentationDataset(
        Path(images).resolve().name,
        train_items,
        test_items,
        (*notes, *train_notes, *test_notes),
        legend=TWO_CLASSES if foreground is not None else legend,
        intensities=scale,
    )


def _is_scientific(path: Path) -> bool:
    try:
        return not read_info(path).photograph
    except ImageFileError:
        return False  # reported when it is read


def _needs_scale(infos: Mapping[str, ImageInfo], reading: ScientificReading) -> bool:
    """Whether intensities must be scaled to bytes: not if all files are photographs."""
    if reading.channels is not None or reading.known_scale is not None:
        return True
    return not all(info.photograph for info in infos.values())


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
        own_samples, own_notes = _samples(path, reading.axes, chosen)
        samples += own_samples
        notes += [f"{path.name}: {note}" for note in own_notes]
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


def _read_part(
    names: Sequence[str],
    pairs: Mapping[str, tuple[Path, Path]],
    infos: Mapping[str, ImageInfo],
    readers: _Readers,
) -> tuple[tuple[LabelledImage, ...], list[str]]:
    """Return the labelled images of the training or the test part, and notes on crops."""
    items, notes = [], []
    for name in names:
        own_items, own_notes = _items(name, pairs[name], infos[name], readers)
        items += own_items
        notes += own_notes
    return tuple(items), notes


def _items(
    name: str, pair: tuple[Path, Path], info: ImageInfo, readers: _Readers
) -> tuple[list[LabelledImage], list[str]]:
    """Return the pages or labelled crops of an image, and a note if crops are left out."""
    image, mask = pair
    # Photographs stay whole here: training crops large ones, or scales them down.
    crops = cut_crops(info, SIDE, LARGEST_PIXELS if readers.scale else info.n_pixels)
    mask_readers = {crop: readers.of_mask(crop, image.name, info.pages) for crop in crops}
    notes = []
    if len(crops) > info.pages:
        used = spread_crops([crop for crop in crops if _has_labels(mask_readers[crop], mask)])
        notes.append(f"{name}: {len(used)} of {len(crops)} crops are used")
        crops = used
    items = []
    for crop in crops:
        place = "" if len(crops) == 1 else f"_{crop.page}_{crop.top}_{crop.left}"
        pixels = image_source(image)
        if readers.scale is not None:
            read_image = CropReader(crop, readers.scale, readers.axes)
            pixels = FileSource((image,), read_image, repr(read_image))
        read_mask = mask_readers[crop]
        classes = FileSource((mask,), read_mask, repr(read_mask))
        items.append(LabelledImage(f"{name}{place}", pixels, classes))
    return items, notes


def _has_labels(read_mask: CropMask, mask: Path) -> bool:
    """Whether a crop of a mask has a pixel with a class."""
    return bool((read_mask((mask,)) != VOID).any())
