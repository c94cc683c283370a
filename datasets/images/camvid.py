"""CamVid: road scenes of 11 classes, in the reduced version and the splits of most papers."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from segboost.datasets.base import DatasetError, FileSource, LabelledImage, SegmentationDataset
from segboost.datasets.images.class_masks import ClassMaskReader
from segboost.datasets.images.folders import pair_files
from segboost.datasets.reading import image_source
from segboost.io.legend import ClassLegend

PARTS = ("train", "val", "test")
SIZES = {"train": 367, "val": 101, "test": 233}
"""Images of the official splits."""
VOID_INDEX = 11
CAMVID = ClassLegend(
    (
        "sky", "building", "pole", "road", "pavement", "tree", "sign", "fence", "car",
        "pedestrian", "bicyclist",
    ),
    (
        (128, 128, 128), (128, 0, 0), (192, 192, 128), (128, 64, 128), (60, 40, 222),
        (128, 128, 0), (192, 128, 128), (64, 64, 128), (64, 0, 128), (64, 64, 0), (0, 128, 192),
    ),
)  # fmt: skip
"""The classes with the colours of the data set's authors."""


def load_camvid(root: str | PathLike[str]) -> SegmentationDataset:
    """Return CamVid: ``train``, ``val`` (as `validation`) and ``test`` as published.

    Parameters
    ----------
    root : path
        The folder with train, val and test, or its parent if it is called ``camvid``. Each part
        has ``images`` (JPEG or PNG) and ``masks`` (PNG): class indices, 11 for void.

    Raises
    ------
    DatasetError
        If folders or files are missing.
    """
    folder = find_camvid(root)
    train, val, test = (_part(folder, part) for part in PARTS)
    found = {"train": len(train), "val": len(val), "test": len(test)}
    short = [f"{n} of {SIZES[p]} {p} images" for p, n in found.items() if n != SIZES[p]]
    notes = (f"incomplete: {', '.join(short)}",) if short else ()
    protocol = "official splits, 11 classes; void pixels (index 11) are ignored"
    return SegmentationDataset(
        "camvid", train, test, (protocol, *notes), legend=CAMVID, validation=val
    )


def find_camvid(root: str | PathLike[str]) -> Path:
    """Return the folder that holds the splits."""
    tried = (Path(root) / "camvid", Path(root))
    for folder in tried:
        if (folder / "train" / "images").is_dir():
            return folder
    raise DatasetError(
        f"{tried[0]} has no train/images: put CamVid there (train, val and test, each with images "
        "and masks), or correct --data-root"
    )


def _part(folder: Path, part: str) -> tuple[LabelledImage, ...]:
    found = pair_files(folder / part / "images", folder / part / "masks")
    if found.problems:
        path, text = found.problems[0]
        more = f" (and {len(found.problems) - 1} more)" if len(found.problems) > 1 else ""
        raise DatasetError(f"{path}: {text}{more}: complete the folder")
    reader = ClassMaskReader(CAMVID, VOID_INDEX)
    return tuple(
        LabelledImage(name, image_source(image), FileSource((mask,), reader, reader.rule))
        for name, (image, mask) in found.pairs.items()
    )
