"""The store of artefacts: what stages made, on disk, found again by what it depends on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from segboost.pipelines.runtime.artefact_file import (
    Artefact,
    DamagedArtefactError,
    is_artefact,
    read_artefact,
    write_artefact,
)
from segboost.pipelines.runtime.artefact_key import (
    STAGE,
    KeyParts,
    array_key,
    check_stage,
    file_key,
)
from segboost.storage.leftovers import remove_leftovers

__all__ = ["Artefact", "ArtefactStore", "KeyParts", "array_key", "file_key"]

logger = logging.getLogger(__name__)


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

    def remove_leftovers(self) -> None:
        """Remove what killed processes left behind."""
        if self.root.is_dir():
            remove_leftovers(*(p for p in self.root.iterdir() if STAGE.fullmatch(p.name)))
