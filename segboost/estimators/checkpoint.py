"""Checkpoints: the loop's whole state after a step, from which it resumes to the same result."""

from __future__ import annotations

import hashlib
import os
from copy import copy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from segboost._types import FloatArray
from segboost.estimators.ensemble_files import (
    Kinds,
    pack_hypotheses,
    pack_stages,
    unpack_hypotheses,
    unpack_stages,
)
from segboost.solver.atoms import Task
from segboost.solver.loop import ColumnGeneration
from segboost.solver.options import SolverOptions
from segboost.solver.steps import Step
from segboost.storage.folder import DOCUMENT, ModelFileError, read_folder, write_folder
from segboost.storage.npz import part_of

KIND = "checkpoint"

PROBES = (0.0, 1.0, 1.0, 1e3, 1e3, 1e3)
"""Scales of the scores at which separation is probed to identify a task."""


@dataclass(frozen=True)
class Checkpoint:
    """A folder that a run writes after every step and resumes from if it exists.

    Parameters
    ----------
    folder : path
    fingerprint : str
        Digest of the data and options; a run with a different one must not resume from here.
    hypotheses : mapping of kind to class, optional
        Hypothesis classes defined outside the package.
    """

    folder: str | os.PathLike[str]
    fingerprint: str
    hypotheses: Kinds | None = None

    def exists(self) -> bool:
        """Whether there is a state to resume from."""
        return (Path(self.folder) / DOCUMENT).exists()

    def write(self, loop: ColumnGeneration, history: list[Step], stages: list[FloatArray]) -> None:
        """Replace the stored state atomically with the current one."""
        kinds, arrays = pack_hypotheses([c.hypothesis for c in loop.columns])
        state = {f"loop_{key}": value for key, value in loop.dump().items()}
        document = {
            "fingerprint": self.fingerprint,
            "kinds": kinds,
            "history": [asdict(step) for step in history],
        }
        write_folder(self.folder, KIND, document, {**arrays, **pack_stages(stages), **state})

    def read(self, loop: ColumnGeneration) -> tuple[list[Step], list[FloatArray]]:
        """Restore the loop to the stored state; return its history and stages."""
        document, arrays = read_folder(self.folder, KIND)
        if document["fingerprint"] != self.fingerprint:
            raise ModelFileError(
                f"the checkpoint {self.folder} belongs to other data or parameters; "
                "remove it or choose another folder"
            )
        hypotheses = unpack_hypotheses(document["kinds"], arrays, self.hypotheses)
        loop.load(hypotheses, part_of(arrays, "loop_"))
        return [Step(**step) for step in document["history"]], unpack_stages(arrays)


def fingerprint(task: Task, options: SolverOptions, extra: Any) -> str:
    """Return a digest of a run's inputs: features, cuts at probe scores, options and `extra`.

    The number of rounds is left out: raising it continues a run instead of starting a new one.
    """
    digest = hashlib.sha256()
    named = {**asdict(options), "n_iterations": None}
    digest.update(repr((sorted(named.items()), extra)).encode())
    seen: set[int] = set()
    for channel in task.channels:
        digest.update(f"{channel.name}{channel.outputs}{channel.features.shape}".encode())
        if id(channel.features) not in seen:
            seen.add(id(channel.features))
            for part in _parts(channel.features):
                digest.update(np.ascontiguousarray(part).tobytes())
    # Separation reveals the labels and losses: at zero the largest losses, at small scores those
    # near them, at large scores those of any output.
    n_atoms = sum(c.n_atoms for c in task.channels)
    rng = np.random.default_rng(0)
    probe = copy(task)  # separation may depend on earlier calls
    for scale in PROBES:
        cuts = probe.separate(scale * rng.random(n_atoms), options.slack)
        weights = cuts.weights
        for part in (cuts.block, cuts.loss, weights.indptr, weights.indices, weights.data):
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _parts(features: Any) -> tuple[Any, ...]:
    """Return the arrays that make up dense or sparse features."""
    if not sparse.issparse(features):
        return (features,)
    table = sparse.csc_array(features)
    return table.indptr, table.indices, table.data


def stable_text(value: Any) -> str:
    """Return a parameter as text that is the same in every process: no memory addresses."""
    if isinstance(value, np.random.Generator):
        return repr(value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        name, keys, *rest = value.get_state(legacy=True)
        return repr((name, np.asarray(keys).tolist(), rest))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(stable_text(v) for v in value)}]"
    cls: Any = type(value)
    if cls.__repr__ is object.__repr__:
        parts = sorted(getattr(value, "__dict__", {}).items())
        inside = {name: stable_text(part) for name, part in parts}
        return f"{cls.__module__}.{cls.__qualname__} {inside}"
    return repr(value)
