"""Record of the files in an output folder that segboost wrote, so that no others are replaced.

The folder keeps a small record: the digests of files that were written, and the names claimed by
a run that has not finished. A file whose digest differs was changed by the user and counts as
foreign.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from segboost.storage.leftovers import remove_leftovers
from segboost.storage.ownership import ForeignFileError
from segboost.storage.regular_file import file_digest, read_regular
from segboost.storage.whole_file import check_replaceable, write_whole

RECORD = ".segboost.outputs"
FORMAT = "segboost outputs"
LARGEST = 2**28
CLAIMS = ("claimed", "folders")


@dataclass(frozen=True)
class Outputs:
    """The files that a run will write: paths relative to its folder, with ``/`` as separator.

    Parameters
    ----------
    names : tuple of str
    folders : tuple of str
        Folders used only by the run: every file directly in them counts as an output.
    """

    names: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def present(self, folder: Path) -> list[str]:
        """Return the outputs that already exist, as files or anything else."""
        found = [name for name in self.names if os.path.lexists(folder / name)]
        for place in self.folders:
            if (folder / place).is_dir():
                found += [f"{place}/{entry}" for entry in sorted(os.listdir(folder / place))]
        return found


@dataclass
class OutputRecord:
    """The record of a folder, as stored on disk.

    Parameters
    ----------
    folder : Path
    wrote : dict of str to str
        The digest of every file that was written, by name.
    claimed_names, claimed_folders : set of str
        The claims of a run that has not finished, as in `Outputs`.
    """

    folder: Path
    wrote: dict[str, str] = field(default_factory=dict)
    claimed_names: set[str] = field(default_factory=set)
    claimed_folders: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, folder: Path) -> OutputRecord:
        """Return the record of a folder; an empty one if it has no readable record."""
        path = folder / RECORD
        try:
            document = json.loads(read_regular(path, LARGEST))
            if document["format"] != FORMAT:
                return cls(folder)
            wrote = {n: str(digest) for n, digest in document["wrote"].items() if _is_inside(n)}
            claimed, folders = ({n for n in document[k] if _is_inside(n)} for k in CLAIMS)
            return cls(folder, wrote, claimed, folders)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return cls(folder)

    def foreign(self, outputs: Outputs) -> list[str]:
        """Return the existing outputs that were not written by segboost."""
        return [name for name in outputs.present(self.folder) if not self._is_ours(name)]

    def claim(self, outputs: Outputs) -> None:
        """Record that a run is about to write these files."""
        self.claimed_names |= set(outputs.names)
        self.claimed_folders |= set(outputs.folders)
        self._write()

    def settle(self) -> None:
        """Replace the claims with the digests of the files that were written."""
        claims = Outputs(tuple(self.claimed_names), tuple(self.claimed_folders))
        found = [n for n in claims.present(self.folder) if _is_file(self.folder / n)]
        self.wrote |= {n: file_digest(self.folder / n) for n in found}
        self.wrote = {n: d for n, d in self.wrote.items() if _is_file(self.folder / n)}
        self.claimed_names, self.claimed_folders = set(), set()
        self._write()

    def _is_ours(self, name: str) -> bool:
        path = self.folder / name
        if not _is_file(path):
            return False
        if name in self.claimed_names or is_empty(path):
            return True
        if name.rpartition("/")[0] in self.claimed_folders:
            return True
        return name in self.wrote and self.wrote[name] == file_digest(path)

    def _write(self) -> None:
        document = {
            "format": FORMAT,
            "wrote": self.wrote,
            "claimed": sorted(self.claimed_names),
            "folders": sorted(self.claimed_folders),
        }
        text = json.dumps(document, indent=0, sort_keys=True)
        write_whole(self.folder / RECORD, text.encode())


@contextmanager
def recorded_outputs(
    folder: Path, outputs: Outputs, inputs: Iterable[Path] = (), overwrite: bool = False
) -> Iterator[None]:
    """Write outputs within a ``with`` block, after checking that they replace nothing foreign.

    An interrupted run keeps its claim: the next run may replace the files it left.

    Raises
    ------
    ForeignFileError, NotReplaceableError
        See `check_outputs`.
    """
    check_outputs(folder, outputs, inputs, overwrite)
    folder.mkdir(parents=True, exist_ok=True)
    places = {Path(name).parent for name in outputs.names} | set(map(Path, outputs.folders))
    remove_leftovers(folder, *(folder / place for place in places))
    record = OutputRecord.read(folder)
    record.claim(outputs)
    yield
    record.settle()


def check_outputs(
    folder: Path, outputs: Outputs, inputs: Iterable[Path] = (), overwrite: bool = False
) -> None:
    """Raise an error if the outputs would replace inputs, foreign files or special files.

    Parameters
    ----------
    folder : Path
    outputs : Outputs
    inputs : iterable of Path
        Files that the run reads. They are never replaced.
    overwrite : bool
        Whether files that segboost did not write may be replaced.

    Raises
    ------
    ForeignFileError
        For inputs and foreign files; it names the first one and counts the others.
    NotReplaceableError
        If a device, a pipe, a link or a folder has the name of an output.
    """
    check_inputs_stay(inputs, [folder / name for name in outputs.present(folder)])
    for name in outputs.names:
        check_replaceable(folder / name)
    foreign = [] if overwrite else OutputRecord.read(folder).foreign(outputs)
    if foreign:
        refuse_foreign([folder / name for name in foreign])


def check_inputs_stay(inputs: Iterable[Path], targets: Sequence[Path]) -> None:
    """Raise ForeignFileError if a target is one of the inputs, under any name."""
    places = {key: path for path in targets if (key := _identity(path)) is not None}
    if not places:
        return
    for path in inputs:
        key = _identity(path)
        if key is not None and key in places:
            raise ForeignFileError(
                f"{places[key]} is an input and would be overwritten: choose another --output"
            )


def refuse_foreign(paths: Sequence[Path]) -> None:
    """Raise ForeignFileError for files that only ``--overwrite`` may replace."""
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    verb = "were" if more else "was"
    raise ForeignFileError(
        f"{paths[0]}{more} {verb} not written by segboost, or changed since: choose another "
        "--output, or pass --overwrite"
    )


def is_empty(path: Path) -> bool:
    """Whether a file is empty, as after ``touch`` or ``mktemp``: replacing it loses nothing."""
    return path.stat().st_size == 0


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_inside(name: object) -> bool:
    """Whether this is a path that does not leave the folder; the record may have been edited."""
    if not isinstance(name, str):
        return False
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
