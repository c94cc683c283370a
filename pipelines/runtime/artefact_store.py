"""The store of artefacts: what stages made, on disk, found again by what it depends on."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from segboost.pipelines.runtime.artefact_file import (
    Artefact,
    DamagedArtefactError,
    is_artefact,
    read_artefact,
    write_artefact,
)
from segboost.pipelines.runtime.artefact_key import KeyParts, array_key, check_stage, file_key

__all__ = ["Artefact", "ArtefactStore", "KeyParts", "StageSize", "array_key", "file_key"]

logger = logging.getLogger(__name__)

ABANDONED = 3600.0
"""Seconds after which a temporary file is one that a killed process left behind."""


@dataclass(frozen=True)
class StageSize:
    """How much a stage keeps: the number of its artefacts and their bytes."""

    stage: str
    n_artefacts: int
    n_bytes: int


@dataclass(frozen=True)
class ArtefactStore:
    """A folder with one folder a stage and one file an artefact, ``<stage>/<key>.npz``.

    Several processes and threads may use one store at the same time. Those that make the same
    artefact together each do the work; the files are whole and equal, and the last one stays.

    Parameters
    ----------
    root : Path
        Made when the first artefact is written.

    Examples
    --------
    >>> import numpy as np
    >>> store = ArtefactStore(Path("cache"))
    >>> parts = KeyParts({"n": 3})
    >>> make = lambda: Artefact({"squares": np.arange(3) ** 2})
    >>> store.get_or_make("numbers", parts, make).arrays["squares"].tolist()
    [0, 1, 4]
    >>> store.has("numbers", parts)
    True
    """

    root: Path

    def path(self, stage: str, parts: KeyParts) -> Path:
        """Return where the artefact is or would be."""
        return self.root / check_stage(stage) / f"{parts.key(stage)}.npz"

    def has(self, stage: str, parts: KeyParts) -> bool:
        """Whether the artefact is there and complete; the checksums of arrays are not tried."""
        return is_artefact(self.path(stage, parts), stage, parts.key(stage))

    def get(self, stage: str, parts: KeyParts) -> Artefact | None:
        """Return the artefact; None where it is not there, or damaged, which the log tells."""
        try:
            return read_artefact(self.path(stage, parts), stage, parts.key(stage))
        except FileNotFoundError:
            return None
        except DamagedArtefactError as error:
            logger.warning("%s; it counts as missing", error)
            return None

    def put(self, stage: str, parts: KeyParts, artefact: Artefact) -> None:
        """Keep an artefact, in place of an older one of the same key."""
        write_artefact(self.path(stage, parts), stage, parts.key(stage), artefact)

    def get_or_make(
        self, stage: str, key_parts: KeyParts, make: Callable[[], Artefact]
    ) -> Artefact:
        """Return the artefact from the disk, or make and keep it.

        A made artefact is returned as it would be read, so that what follows does not depend on
        which of the two happened.
        """
        found = self.get(stage, key_parts)
        if found is not None:
            return found
        made = make().as_read()
        self.put(stage, key_parts, made)
        logger.debug("made %s %s", stage, key_parts.key(stage)[:12])
        return made

    def sizes(self) -> list[StageSize]:
        """Return what every stage keeps, by name."""
        sizes = []
        for stage in self._stages():
            bytes_each = [_size(path) for path in sorted(stage.glob("*.npz"))]
            sizes.append(StageSize(stage.name, len(bytes_each), sum(bytes_each)))
        return sizes

    def clean(
        self, stages: Collection[str] | None = None, keep: Collection[str] = frozenset()
    ) -> int:
        """Remove artefacts, and what killed processes left behind; return the bytes freed.

        Parameters
        ----------
        stages : collection of str, optional
            All stages by default.
        keep : collection of str
            Keys of artefacts that stay.
        """
        freed = 0
        for folder in self._stages():
            if stages is None or folder.name in stages:
                old = [path for path in folder.glob("*.npz") if path.stem not in keep]
                freed += sum(_remove(path) for path in [*old, *_abandoned(folder)])
                if not any(folder.iterdir()):
                    folder.rmdir()
        return freed

    def _stages(self) -> list[Path]:
        return sorted(p for p in self.root.iterdir() if p.is_dir()) if self.root.is_dir() else []


def _abandoned(folder: Path) -> Iterator[Path]:
    now = time.time()
    for path in folder.glob(".*.tmp"):
        try:
            if now - path.stat().st_mtime > ABANDONED:
                yield path
        except FileNotFoundError:
            continue


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _remove(path: Path) -> int:
    size = _size(path)
    path.unlink(missing_ok=True)
    return size
