"""Write the mask and the probabilities of a scientific image as PNG, TIFF or OME-Zarr."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from segboost._types import ByteArray
from segboost.io.legend import ClassLegend
from segboost.io.scientific.image_info import ImageInfo
from segboost.io.scientific.tiff_output import write_tiff_stack
from segboost.pipelines.batch.image_result import encode_mask, encode_png
from segboost.pipelines.batch.scientific.output_names import mask_name, zarr_name
from segboost.storage.whole_file import write_whole

Pages = Iterator[Iterator[ByteArray]]
"""The pages of an image, each as bands of rows from top to bottom."""


def write_mask(
    path: Path, output: Path, pages: Pages, info: ImageInfo, legend: ClassLegend, zarr: bool
) -> None:
    """Write class indices as a mask: 255 where foreground, or indices with a palette.

    Parameters
    ----------
    path : Path
        The image.
    output : Path
        A folder.
    pages : iterator of iterator of ndarray of uint8, shape (h, W)
    info : ImageInfo
    legend : ClassLegend
    zarr : bool
        Whether to write OME-Zarr.
    """
    two = legend.n_classes == 2
    shape = (info.pages, info.height, info.width)
    name = mask_name(path)
    if name.endswith(".png") and not zarr:
        write_whole(output / name, encode_mask(np.concatenate(list(next(pages))), legend))
        return
    scaled = ((band * np.uint8(255 if two else 1) for band in page) for page in pages)
    if zarr:
        from segboost.io.scientific.zarr_output import write_ome_zarr

        write_ome_zarr(output / zarr_name(path), scaled, shape, info.pixel_size)
        return
    colours = None if two else legend.colours
    write_tiff_stack(output / name, scaled, shape, np.uint8, info.tags, colours)


def write_probabilities(path: Path, folder: Path, pages: Pages, info: ImageInfo) -> None:
    """Write probabilities in steps of 1/255 as 16-bit values.

    Parameters
    ----------
    path : Path
        The image.
    folder : Path
    pages : iterator of iterator of ndarray of uint8, shape (h, W)
    info : ImageInfo
    """
    folder.mkdir(exist_ok=True)
    wide = ((band.astype(np.uint16) * np.uint16(257) for band in page) for page in pages)
    name = mask_name(path)
    if name.endswith(".png"):
        write_whole(folder / name, encode_png(np.concatenate(list(next(wide)))))
        return
    shape = (info.pages, info.height, info.width)
    write_tiff_stack(folder / name, wide, shape, np.uint16, info.tags)
