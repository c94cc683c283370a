"""Export the labelled images and their masks to folders for ``segboost train``."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from segboost.label.images import FolderImage
from segboost.label.masks import UNPAINTED, MaskFolder
from segboost.label.project import LabelProject
from segboost.storage.output_record import RECORD, OutputRecord, Outputs
from segboost.storage.whole_file import flush_folder, write_whole

PARTS = ("images", "masks")
UNFINISHED = re.compile(r"\.export-[a-z0-9_]{8}")
"""Names of folders that an export is written to before it is renamed."""


@dataclass(frozen=True)
class Exported:
    """The folders of an export and its number of images."""

    images: Path
    masks: Path
    count: int

    @property
    def command(self) -> str:
        """The command that trains on the export."""
        images, masks = quote_path(self.images), quote_path(self.masks)
        return f"segboost train --images {images} --masks {masks}"


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
        OutputRecord(place).claim(Outputs(folders=PARTS))
        for name in PARTS:
            (place / name).mkdir()
        for image in painted:
            _link(image.path, place / "images" / image.path.name)
            mask = masks.path(image)
            write_whole(place / "masks" / mask.name, mask.read_bytes())
        _record(place)
        place.chmod(0o755)
        _remove_earlier(project.export)
        os.replace(place, project.export)
        flush_folder(project.work)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return Exported(project.export / "images", project.export / "masks", len(painted))


def remove_unfinished(project: LabelProject) -> None:
    """Remove the folders of exports that were killed; the caller holds the lock of the project."""
    if not project.work.is_dir():
        return
    for place in project.work.iterdir():
        if not UNFINISHED.fullmatch(place.name) or place.is_symlink() or not place.is_dir():
            continue
        with contextlib.suppress(OSError, ValueError):  # it holds foreign files: leave it alone
            _remove_earlier(place)


def _record(place: Path) -> None:
    """Keep the digests of what was copied; a link is known by its other name."""
    files = [path for name in PARTS for path in (place / name).iterdir()]
    copied = [p.relative_to(place).as_posix() for p in files if p.lstat().st_nlink == 1]
    record = OutputRecord(place)
    record.claim(Outputs(tuple(copied)))
    record.settle()


def _check_earlier(export: Path) -> None:
    """Raise a ValueError where replacing an export would lose files that are not part of it."""
    if not export.exists():
        return
    foreign = OutputRecord.read(export).foreign(Outputs(folders=PARTS))
    known = {RECORD, *PARTS, *(n for n in foreign if (export / n).lstat().st_nlink > 1)}
    others = [*foreign, *(path.name for path in export.iterdir())]
    lost = [name for name in others if name not in known]
    if lost:
        raise ValueError(
            f"{export / lost[0]} was not written by the export, or changed since: move it out of "
            f"{export}"
        )


def _remove_earlier(export: Path) -> None:
    """Remove an export that `_check_earlier` has accepted, file by file."""
    _check_earlier(export)
    for name in PARTS:
        for path in (export / name).iterdir() if (export / name).is_dir() else ():
            path.unlink()
        with contextlib.suppress(FileNotFoundError):
            (export / name).rmdir()
    (export / RECORD).unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        export.rmdir()


def _link(source: Path, target: Path) -> None:
    """Hard-link a file, or copy it if links are not possible; symbolic links are followed."""
    try:
        os.link(os.path.realpath(source), target)
    except OSError:
        shutil.copyfile(source, target)
