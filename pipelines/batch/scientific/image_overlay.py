"""Overlays of scientific images of one page."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from segboost.io.scientific.sources import open_source
from segboost.pipelines.batch.image_result import encode_png
from segboost.pipelines.batch.output_names import OVERLAYS, SCORES
from segboost.pipelines.batch.overlay import draw_overlay
from segboost.pipelines.batch.scientific.intensity_scale import choose_scale
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.scientific.output_names import has_overlay, mask_name
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter
from segboost.storage.whole_file import write_whole


def write_overlay(
    model: Segmenter,
    path: Path,
    output: Path,
    options: ScientificOptions,
    wanted: frozenset[str],
) -> str:
    """Draw the mask that was written for an image over its first three channels, if wanted.

    Parameters
    ----------
    model : Segmenter
    path : Path
    output : Path
        Holds the mask; the overlay is ``overlays/<stem>.png``.
    options : ScientificOptions
    wanted : frozenset of str
        The requested folders.

    Returns
    -------
    str
        What was not written and why, in one line; empty if everything was.
    """
    said = ["no scores: written only for photographs"] if SCORES in wanted else []
    if OVERLAYS not in wanted:
        return "; ".join(said)
    with open_source(path, options.axes) as source:
        info = source.info
        if not has_overlay(info.pages, info.n_pixels, options):
            said.append("no overlay: drawn only for single pages that are not large")
            return "; ".join(said)
        rows, columns = slice(0, info.height), slice(0, info.width)
        picture = choose_scale(source, model.preset, options)[0](source.read(0, rows, columns))
    with open_source(output / mask_name(path), indices=True) as source:
        mask = source.read(0, rows, columns)[..., 0]
    drawn = draw_overlay(np.ascontiguousarray(picture[..., :3]), mask, model.legend)
    write_whole(output / OVERLAYS / f"{path.stem}.png", encode_png(drawn))
    return "; ".join(said)
