"""Check every file of a data set and report what is missing or odd."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

import numpy as np

from segboost._types import ByteArray, Int64Array
from segboost.datasets.base import (
    FOREGROUND,
    DatasetError,
    LabelledImage,
    SegmentationDataset,
    describe_mismatch,
)
from segboost.datasets.findings import CHECKING, Finding, Verification
from segboost.datasets.images.class_masks import ClassMaskReader
from segboost.datasets.images.duplicates import Fingerprint, find_near_duplicates, fingerprint
from segboost.datasets.images.folders import (
    TEST_FRACTION,
    assemble,
    choose_reader,
    pair_files,
)
from segboost.datasets.images.graz02 import OCCLUDED, complete_images, read_indices
from segboost.datasets.images.graz02_files import CATEGORIES, find_graz02
from segboost.datasets.images.masks import AmbiguousMasksError, MaskReader
from segboost.datasets.images.splitting import split_by_fraction
from segboost.io.errors import ImageFileError
from segboost.io.legend import read_legend
from segboost.progress import Progress, Report


@dataclass
class _Seen:
    """Names, parts, keys and fingerprints of the images checked so far."""

    names: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    prints: list[Fingerprint] = field(default_factory=list)


def verify_dataset(
    data: SegmentationDataset,
    progress: Progress | None = None,
    why_empty: Callable[[LabelledImage], str] | None = None,
    frames: bool = False,
) -> Verification:
    """Load every image and mask of a set; check sizes, values and duplicates.

    Parameters
    ----------
    data : SegmentationDataset
    progress : Progress, optional
    why_empty : callable, optional
        Called with an image that has no foreground; returns the message about it.
    frames : bool
        Whether images are frames of videos, of which neighbours within a part look alike.
    """
    findings: list[Finding] = []
    seen = _Seen()
    named = {"train": data.train, "val": data.validation, "test": data.test}
    parts = [(part, item) for part, items in named.items() for item in items]
    counts = np.zeros(data.legend.n_classes, np.int64)
    several = data.legend.n_classes > 2
    for done, (part, item) in enumerate(parts, start=1):
        image, mask = _check_item(item, findings)
        if several and part == "train" and mask is not None:
            counts += np.isin(np.arange(len(counts)), mask)
        elif not several and mask is not None and not (mask == FOREGROUND).any():
            text = "no foreground" if why_empty is None else why_empty(item)
            findings.append(Finding(item.name, "odd", text))
        if image is not None:
            seen.names.append(item.name)
            seen.parts.append(part)
            seen.keys.append(item.image_key())
            seen.prints.append(fingerprint(image))
        if progress is not None:
            progress(Report(CHECKING, done, len(parts)))
    findings += _duplicates(seen, frames)
    findings += _rare_classes(data, counts)
    held = f"{len(data.validation)} validation and " if data.validation else ""
    size = f"{len(data.train)} training, {held}{len(data.test)} test images" if held else ""
    return Verification(
        data.name, len(data.train), len(data.test), tuple(findings), data.notes, size
    )


def verify_graz02(
    root: str | PathLike[str], category: str, progress: Progress | None = None
) -> Verification:
    """Check a category of Graz-02 file by file, and report missing files."""
    try:
        files = find_graz02(root, category)
    except DatasetError as error:
        problems = [Finding(CATEGORIES[category].folder, "missing", str(error))]
        return Verification(f"graz02/{category}", 0, 0, tuple(problems))
    report = verify_dataset(complete_images(files), progress, _why_empty)
    problems = [Finding(files.name(n), "missing", "no image file") for n in files.missing_images()]
    problems += [Finding(files.name(n), "missing", "no mask file") for n in files.missing_masks()]
    known = CATEGORIES[category].unannotated & set(files.images) - set(files.masks)
    problems += [
        Finding(files.name(n), "odd", "never annotated, so left out") for n in sorted(known)
    ]
    found = sorted((*problems, *report.findings), key=lambda finding: finding.name)
    return replace(report, findings=tuple(found))


def verify_folders(
    images: str | PathLike[str],
    masks: str | PathLike[str],
    progress: Progress | None = None,
    classes: str | PathLike[str] | None = None,
) -> Verification:
    """Check a folder of images against a folder of masks, under the default split.

    Parameters
    ----------
    images, masks : path
    progress : Progress, optional
    classes : path, optional
        The legend of masks of several classes.
    """
    legend = None if classes is None else read_legend(classes)
    pairs = pair_files(images, masks)
    problems = [Finding(path.name, "missing", text) for path, text in pairs.problems]
    reader: MaskReader | ClassMaskReader = MaskReader()
    try:
        reader = choose_reader([mask for _, mask in pairs.pairs.values()], legend=legend)
    except AmbiguousMasksError as error:
        problems.append(Finding("masks", "missing", str(error)))
    except ImageFileError:
        pass  # the broken file is reported below, with all other findings
    split = split_by_fraction(list(pairs.pairs), TEST_FRACTION, seed=0)
    data = assemble(Path(images), pairs, split, reader)
    report = verify_dataset(data, progress)
    return replace(report, findings=(*problems, *report.findings))


def _rare_classes(data: SegmentationDataset, counts: Int64Array) -> list[Finding]:
    """Return a finding for every class that fewer than two training images have."""
    if data.legend.n_classes == 2 or not data.train:
        return []
    texts = {0: "no training image has this class", 1: "only one training image has this class"}
    named = zip(data.legend.names, counts.tolist(), strict=True)
    return [Finding(name, "odd", texts[n]) for name, n in named if n in texts]


def _check_item(
    item: LabelledImage, findings: list[Finding]
) -> tuple[ByteArray | None, ByteArray | None]:
    """Return image and mask if they can be read; add findings about them."""
    image = mask = None
    try:
        image = item.image()
    except (ValueError, OSError) as error:
        findings.append(Finding(item.name, "missing", f"image: {error}"))
    try:
        mask = item.mask()
    except (ValueError, OSError) as error:
        findings.append(Finding(item.name, "missing", f"mask: {error}"))
    if image is not None and mask is not None and image.shape[:2] != mask.shape:
        findings.append(Finding(item.name, "missing", describe_mismatch(image, mask)))
    return image, mask


def _why_empty(item: LabelledImage) -> str:
    """Distinguish occluded objects from missing ones in the instance masks of Graz-02."""
    hidden = any((read_indices(path) == OCCLUDED).any() for path in item.mask_source.paths)
    return "no foreground: all of the object is occluded" if hidden else "no foreground"


def _duplicates(seen: _Seen, frames: bool) -> list[Finding]:
    findings = []
    for i, j in find_near_duplicates(seen.prints):
        same, across = seen.keys[i] == seen.keys[j], seen.parts[i] != seen.parts[j]
        if frames and not same and not across:
            continue
        how = "the same file as" if same else "looks the same as"
        where = "across the split (data leak)" if across else f"both in {seen.parts[i]}"
        first, second = (i, j) if seen.names[i] <= seen.names[j] else (j, i)
        text = f"{how} {seen.names[first]}, {where}"
        findings.append(Finding(seen.names[second], "odd", text))
    return findings
