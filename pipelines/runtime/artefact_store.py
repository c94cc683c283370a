"""The artefact store: results of stages on disk, looked up by what they depend on."""

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
    """A folder with one subfolder per stage and one file per artefact, ``<stage>/<key>.npz``.

    Several processes and threads may use one store at the same time. If two make the same
    artefact at once, both do the work and write complete, equal files, of which the last stays.

    Parameters
    ----------
    root : Path
        Created when the first artefact is written.

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
        """Return the path of the artefact, whether or not it exists."""
        return self.root / check_stage(stage) / f"{parts.key(stage)}.npz"

    def has(self, stage: str, parts: KeyParts) -> bool:
        """Whether the artefact exists and is complete; checksums of arrays are not verified."""
        return is_artefact(self.path(stage, parts), stage, parts.key(stage))

    def get(self, stage: str, parts: KeyParts) -> Artefact | None:
        """Return the artefact; None if it is missing, or damaged, which is logged."""
        try:
            return read_artefact(self.path(stage, parts), stage, parts.key(stage))
        except FileNotFoundError:
            return None
        except DamagedArtefactError as error:
            logger.warning("%s; treating it as missing", error)
            return None

    def put(self, stage: str, parts: KeyParts, artefact: Artefact) -> None:
        """Save an artefact, replacing an older one with the same key."""
        write_artefact(self.path(stage, parts), stage, parts.key(stage), artefact)

    def get_or_make(
        self, stage: str, key_parts: KeyParts, make: Callable[[], Artefact]
    ) -> Artefact:
        """Return the artefact from disk, or make and save it.

        A newly made artefact is returned exactly as it would be read, so that later stages do
        not depend on whether it was cached.
        """
        found = self.get(stage, key_parts)
        if found is not None:
            return found
        made = make().as_read()
        self.put(stage, key_parts, made)
        logger.debug("made %s %s", stage, key_parts.key(stage)[:12])
        return made

    def remove_leftovers(self) -> None:
        """Remove temporary files left behind by killed processes."""
        if self.root.is_dir():
            remove_leftovers(*(p for p in self.root.iterdir() if STAGE.fullmatch(p.name)))
