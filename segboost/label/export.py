"""Export the labelled images and their masks to folders for ``segboost train``."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from segboost.label.images import FolderImage
from segboost.label.masks import UNPAINTED, MaskFolder, encode_mask
from segboost.label.project import C_OF_ONE_IMAGE, LabelProject
from segboost.storage.output_record import RECORD, OutputRecord, Outputs
from segboost.storage.whole_file import flush_folder, write_whole

PARTS = ("images", "masks")
LEGEND = "classes.json"
OUTPUTS = Outputs((LEGEND,), PARTS)
UNFINISHED = re.compile(r"\.export-[a-z0-9_]{8}")
"""Names of folders that an export is written to before it is renamed."""


@dataclass(frozen=True)
class Exported:
    """The folders of an export and its number of images; a legend if there are several classes."""

    images: Path
    masks: Path
    count: int
    legend: Path | None = None

    @property
    def command(self) -> str:
        """The command that trains on the export."""
        images, masks = quote_path(self.images), quote_path(self.masks)
        output = quote_path(Path(f"{self.images.parents[2].name}-model"))
        parts = [f"--images {images}", f"--masks {masks}", "--test-fraction 0"]
        if self.legend is not None:
            parts.append(f"--classes {quote_path(self.legend)}")
        if self.count == 1:  # C is chosen by comparing images
            parts.append(f"--C {C_OF_ONE_IMAGE:g}")
        return f"segboost train {' '.join(parts)} --output {output}"


def segment_command(model: Path) -> str:
    """Return the command that segments other images with a model."""
    return f"segboost segment --model {quote_path(model)} IMAGES --output DIR"


def quote_path(path: Path) -> str:
    """Return a path as a word for the shell; bytes that are not text become ``$'\\xff'``."""
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        # Every byte is written as a number: no character has a meaning to the shell.
        return "$'" + "".join(f"\\x{byte:02x}" for byte in os.fsencode(text)) + "'"
    return shlex.quote(text)


def export_masks(
    project: LabelProject, images: Sequence[FolderImage], masks: MaskFolder
) -> Exported:
    """Write all labelled images and their masks to two folders, replacing an earlier export.

    Raises
    ------
    ValueError
        If nothing is labelled, or if the earlier export holds files that are not part of it.
    """
    painted = [i for i in images if not i.problem and masks.version(i) != UNPAINTED]
    if not painted:
        raise ValueError("nothing is labelled yet, so there are no masks to export")
    project.work.mkdir(parents=True, exist_ok=True)
    _check_earlier(project.export)
    place = Path(tempfile.mkdtemp(prefix=".export-", dir=project.work))
    try:
        # The claim tells the next server which files it may remove if this one is killed.
        OutputRecord(place).claim(OUTPUTS)
        for name in PARTS:
            (place / name).mkdir()
        for image in painted:
            _link(image.path, place / "images" / image.path.name)
            write_whole(place / "masks" / masks.path(image).name, _mask_file(image, masks))
        write_whole(place / LEGEND, masks.classes().legend_file())
        _record(place)
        place.chmod(0o755)
        _remove_earlier(project.export)
        os.replace(place, project.export)
        flush_folder(project.work)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    several = len(masks.classes().classes) > 2
    legend = project.export / LEGEND if several else None
    return Exported(project.export / "images", project.export / "masks", len(painted), legend)


def _mask_file(image: FolderImage, masks: MaskFolder) -> bytes:
    """Return the mask of an image with the class numbers 0 … K−1."""
    classes = masks.classes()
    if classes.values == tuple(range(len(classes.values))):
        return masks.path(image).read_bytes()
    return encode_mask(classes.index_table()[masks.read(image)], classes.numbered)


def remove_unfinished(project: LabelProject) -> None:
    """Remove the folders of interrupted exports; the caller holds the lock of the project."""
    if not project.work.is_dir():
        return
    for place in project.work.iterdir():
        if not UNFINISHED.fullmatch(place.name) or place.is_symlink() or not place.is_dir():
            continue
        with contextlib.suppress(OSError, ValueError):  # it holds foreign files: leave it alone
            _remove_earlier(place)


def _record(place: Path) -> None:
    """Record the digests of copied files; hard links are recognised by their other name."""
    files = [path for name in PARTS for path in (place / name).iterdir()]
    copied = [p.relative_to(place).as_posix() for p in files if p.lstat().st_nlink == 1]
    record = OutputRecord(place)
    record.claim(Outputs((LEGEND, *copied)))
    record.settle()


def _check_earlier(export: Path) -> None:
    """Raise a ValueError if replacing an export would lose files that are not part of it."""
    if not export.exists():
        return
    foreign = OutputRecord.read(export).foreign(OUTPUTS)
    known = {
        RECORD,
        *PARTS,
        *([] if LEGEND in foreign else [LEGEND]),
        *_linked_elsewhere(export, foreign),
    }
    others = [*foreign, *(path.name for path in export.iterdir())]
    lost = [name for name in others if name not in known]
    if lost:
        raise ValueError(
            f"{export / lost[0]} was not written by the export, or changed since: move it out of "
            f"{export}"
        )


def _linked_elsewhere(export: Path, names: Sequence[str]) -> list[str]:
    """Return the files that also have a name outside the export, and so survive its removal."""
    status = {name: (export / name).lstat() for name in names}
    inside = Counter((s.st_dev, s.st_ino) for s in status.values())
    return [n for n, s in status.items() if s.st_nlink > inside[s.st_dev, s.st_ino]]


def _remove_earlier(export: Path) -> None:
    """Remove an export that `_check_earlier` has accepted, file by file."""
    _check_earlier(export)
    for name in PARTS:
        for path in (export / name).iterdir() if (export / name).is_dir() else ():
            path.unlink()
        with contextlib.suppress(FileNotFoundError):
            (export / name).rmdir()
    (export / LEGEND).unlink(missing_ok=True)
    (export / RECORD).unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        export.rmdir()


def _link(source: Path, target: Path) -> None:
    """Hard-link a file, or copy it if links are not possible; symbolic links are followed."""
    try:
        os.link(os.path.realpath(source), target)
    except OSError:
        shutil.copyfile(source, target)
