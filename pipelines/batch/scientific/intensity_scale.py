"""The choice of an image's intensity scale."""

from __future__ import annotations

import numpy as np

from segboost._types import AnyArray
from segboost.features.presets import Preset
from segboost.io.errors import ImageFileError
from segboost.io.scientific.image_info import ImageInfo
from segboost.io.scientific.intensities import (
    EXTREMES,
    IntensityScale,
    check_channels,
    describe_range,
    describe_values,
    learn_scale,
    sample_pixels,
)
from segboost.io.scientific.sources import ImageSource
from segboost.pipelines.batch.scientific.options import ScientificOptions

SAMPLED, SAMPLED_PAGES = 512, 8
"""Side of the sampled parts of large pages, and the maximum number of sampled pages."""


def choose_scale(
    source: ImageSource, preset: Preset, options: ScientificOptions
) -> tuple[IntensityScale, list[str]]:
    """Return the scale from the values of an image to the input of a model, and notes.

    Raises
    ------
    ImageFileError
        If the image does not have the channels that the model was trained with, or has 8 bits
        and the training images had more.
    """
    info, learned = source.info, preset.intensities
    chosen = _chosen_channels(info, preset, options)
    samples = _samples(source)
    notes = [note for page in samples for note in describe_values(page, chosen)]
    notes = list(dict.fromkeys(notes))
    if isinstance(options.intensities, tuple):
        low, high = options.intensities
        n = len(chosen)
        return IntensityScale(info.channels, chosen, (low,) * n, (high,) * n), notes
    if learned is not None and options.intensities is None:
        if info.dtype == np.uint8 and max(learned.high) > 255:
            raise ImageFileError(
                "it has 8 bits, but the training images had more: use --intensities 0,255 or "
                "--intensities image"
            )
        scale = IntensityScale(info.channels, chosen, learned.low, learned.high)
        return scale, notes + describe_range([sample_pixels(page) for page in samples], scale)
    if info.dtype == np.uint8 and options.intensities is None:
        n = len(chosen)
        return IntensityScale(info.channels, chosen, (0.0,) * n, (255.0,) * n), notes
    pixels = [sample_pixels(page) for page in samples]
    # Not the type of the file: with --intensities image, 8-bit images are scaled, too.
    kind = np.dtype(np.float64)
    if learned is None:  # a model of photographs, whose colours must be kept
        scale = learn_scale(pixels, kind, chosen, EXTREMES, joint=True)
    else:
        scale = learn_scale(pixels, kind, chosen)
    pairs = zip(scale.low, scale.high, strict=True)
    ranges = ", ".join(dict.fromkeys(f"{low:g} to {high:g}" for low, high in pairs))
    return scale, [*notes, f"intensities scaled by percentiles of the image itself: {ranges}"]


def _chosen_channels(
    info: ImageInfo, preset: Preset, options: ScientificOptions
) -> tuple[int, ...]:
    learned = preset.intensities
    if options.channels is not None:
        check_channels(options.channels, info.channels)
        wanted = {1, 3} if learned is None else {len(learned.channels)}
        if len(options.channels) not in wanted:
            raise ImageFileError(
                f"{len(options.channels)} channels are chosen, but the model was trained with "
                f"{' or '.join(map(str, sorted(wanted)))}"
            )
        return options.channels
    if learned is not None:
        if info.channels != learned.file_channels:
            raise ImageFileError(
                f"{info.channels} channels, but the training images had {learned.file_channels}: "
                "choose channels with --channels"
            )
        return learned.channels
    if info.channels not in (1, 3):
        raise ImageFileError(
            f"{info.channels} channels, but the model was trained on photographs: choose one or "
            "three with --channels"
        )
    return tuple(range(info.channels))


def _samples(source: ImageSource) -> list[AnyArray]:
    """Return parts of some pages: whole pages if they are small, otherwise a grid of parts."""
    info = source.info
    step = max(1, -(-info.pages // SAMPLED_PAGES))
    found = []
    for page in range(0, info.pages, step):
        for rows in _parts(info.height):
            for columns in _parts(info.width):
                found.append(source.read(page, rows, columns))
    return found


def _parts(size: int) -> list[slice]:
    if size <= 4 * SAMPLED:
        return [slice(0, size)]
    starts = np.linspace(0, size - SAMPLED, 4).astype(int)
    return [slice(int(s), int(s) + SAMPLED) for s in starts]
