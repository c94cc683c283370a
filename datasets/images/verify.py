"""Look at every file of a data set and say what is missing or odd."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from segboost._types import ByteArray
from segboost.datasets.base import (
    FOREGROUND,
    DatasetError,
    LabelledImage,
    SegmentationDataset,
    describe_mismatch,
)
from segboost.datasets.findings import CHECKING, Finding, Verification
from segboost.datasets.images.duplicates import Fingerprint, find_near_duplicates, fingerprint
from segboost.datasets.images.folders import TEST_FRACTION, assemble, pair_files
from segboost.datasets.images.graz02 import OCCLUDED, load_graz02, read_indices
from segboost.datasets.images.graz02_files import CATEGORIES, find_graz02
from segboost.datasets.images.masks import AmbiguousMasksError, Encoding, MaskReader, find_encoding
from segboost.datasets.images.splitting import split_by_fraction
from segboost.io.errors import ImageFileError
from segboost.progress import Progress, Report


@dataclass
class _Seen:
    """What is kept of the images looked at so far."""

    names: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    prints: list[Fingerprint] = field(default_factory=list)


def verify_dataset(
    data: SegmentationDataset,
    progress: Progress | None = None,
    why_empty: Callable[[LabelledImage], str] | None = None,
) -> Verification:
    """Load every image and mask of a set; check sizes, values and duplicates.

    Parameters
    ----------
    data : SegmentationDataset
    progress : Progress, optional
    why_empty : callable, optional
        Called with an image that has no foreground; returns what to say of it.
    """
    findings: list[Finding] = []
    seen = _Seen()
    parts = [("train", item) for item in data.train] + [("test", item) for item in data.test]
    for done, (part, item) in enumerate(parts, start=1):
        image = _check_item(item, findings, why_empty)
        if image is not None:
            seen.names.append(item.name)
            seen.parts.append(part)
            seen.keys.append(item.image_key())
            seen.prints.append(fingerprint(image))
        if progress is not None:
            progress(Report(CHECKING, done, len(parts)))
    findings += _duplicates(seen)
    return Verification(data.name, len(data.train), len(data.test), tuple(findings), data.notes)


def verify_graz02(
    root: str | PathLike[str], category: str, progress: Progress | None = None
) -> Verification:
    """Check a category of Graz-02 file by file, the names that should be there included."""
    try:
        files = find_graz02(root, category)
    except DatasetError as error:
        lost = [Finding(CATEGORIES[category].folder, "missing", str(error))]
        return Verification(f"graz02/{category}", 0, 0, tuple(lost))
    report = verify_dataset(load_graz02(root, category, partial=True), progress, _why_empty)
    lost = [Finding(files.name(n), "missing", "no image file") for n in files.missing_images()]
    lost += [Finding(files.name(n), "missing", "no mask file") for n in files.missing_masks()]
    known = CATEGORIES[category].unannotated & set(files.images) - set(files.masks)
    lost += [Finding(files.name(n), "odd", "never annotated, so left out") for n in sorted(known)]
    found = sorted((*lost, *report.findings), key=lambda finding: finding.name)
    notes = tuple(note for note in report.notes if not note.startswith("incomplete"))
    return replace(report, findings=tuple(found), notes=notes)


def verify_folders(
    images: str | PathLike[str], masks: str | PathLike[str], progress: Progress | None = None
) -> Verification:
    """Check a folder of images against a folder of masks, under the default split."""
    pairs = pair_files(images, masks)
    lost = [Finding(path.name, "missing", text) for path, text in pairs.problems]
    encoding: Encoding = "auto"
    try:
        encoding = find_encoding(mask for _, mask in pairs.pairs.values())
    except AmbiguousMasksError as error:
        lost.append(Finding("masks", "missing", str(error)))
    except ImageFileError:
        pass  # the broken file is reported below, with all the others
    split = split_by_fraction(list(pairs.pairs), TEST_FRACTION, seed=0)
    data = assemble(Path(images), pairs, split, MaskReader(encoding))
    report = verify_dataset(data, progress)
    return replace(report, findings=(*lost, *report.findings))


def _check_item(
    item: LabelledImage,
    findings: list[Finding],
    why_empty: Callable[[LabelledImage], str] | None,
) -> ByteArray | None:
    """Return the image if it can be read; note all that is wrong with it and its mask."""
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
    if mask is not None and not (mask == FOREGROUND).any():
        text = "no foreground" if why_empty is None else why_empty(item)
        findings.append(Finding(item.name, "odd", text))
    return image


def _why_empty(item: LabelledImage) -> str:
    """Tell occluded objects from no object in the instance masks of Graz-02."""
    hidden = any((read_indices(path) == OCCLUDED).any() for path in item.mask_source.paths)
    return "no foreground: all of the object is occluded" if hidden else "no foreground"


def _duplicates(seen: _Seen) -> list[Finding]:
    findings = []
    for i, j in find_near_duplicates(seen.prints):
        how = "the same file as" if seen.keys[i] == seen.keys[j] else "looks the same as"
        across = seen.parts[i] != seen.parts[j]
        where = "across the split: test sees training" if across else f"both in {seen.parts[i]}"
        first, second = (i, j) if seen.names[i] <= seen.names[j] else (j, i)
        text = f"{how} {seen.names[first]}, {where}"
        findings.append(Finding(seen.names[second], "odd", text))
    return findings
