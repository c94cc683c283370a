"""A cache of the outputs that a separation oracle has returned for each example.

Inference is the costly part of learning a CRF. A labelling that was found earlier may be violated
again at other weights, and checking that takes only a product of sparse vectors. The idea is that
of multi-plane block-coordinate Frank-Wolfe (Shah, Kolmogorov and Lampert, 2015).

With one slack per example, the master itself holds the cuts of the last labellings; the cache then
only brings back those that were purged. With a single slack, or few blocks, every cut is a sum over
examples, and the cache combines old labellings into new cuts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from segboost._types import FloatArray, Slack
from segboost.solver.atoms import Channel, Cuts, StatefulTask
from segboost.storage.npz import part_of
from segboost.tasks.examplewise import aggregate, block_of_example

Found = tuple[FloatArray, sparse.csr_array]
"""Δ(y_i, y'_i) of every example, shape (m,), and δψ_i(y'_i), shape (m, N)."""


class ExamplewiseTask(Protocol):
    """A task whose oracle works example by example."""

    exact: bool
    example_weight: FloatArray

    @property
    def channels(self) -> tuple[Channel, ...]:
        """As in `Task`."""
        ...

    def n_blocks(self, slack: Slack) -> int:
        """As in `Task`."""
        ...

    def decode(self, scores: FloatArray) -> Any:
        """As in `Task`."""
        ...

    def most_violated(self, scores: FloatArray) -> Found:
        """Return loss and feature difference of the most violated output of every example."""
        ...


class CachedTask:
    """A task that remembers the last outputs of its oracle; see `segboost.solver.atoms.Recall`.

    Parameters
    ----------
    task : ExamplewiseTask
    size : int
        The number of outputs to keep for every example.

    Raises
    ------
    ValueError
        If `size` is not a whole number of at least 1.
    """

    def __init__(self, task: ExamplewiseTask, size: int) -> None:
        if not isinstance(size, (int, np.integer)) or isinstance(size, bool) or size < 1:
            raise ValueError(f"labelling_cache must be None or a whole number ≥ 1, got {size!r}")
        self.task, self.size, self.exact = task, int(size), task.exact
        # All kept outputs as one matrix, those of the latest call last: m rows per call.
        self._kept: Found | None = None

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of the task."""
        return self.task.channels

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables for this choice of `slack`."""
        return self.task.n_blocks(slack)

    def decode(self, scores: FloatArray) -> Any:
        """Return the highest-scoring output of every input."""
        return self.task.decode(scores)

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Call the oracle, keep its outputs and return their cuts."""
        found = self.task.most_violated(scores)
        self._kept = self._extended(found)
        return self._cuts(found, scores, slack)

    def _extended(self, found: Found) -> Found:
        if self._kept is None:
            return found
        m = len(found[0])
        spare = max(0, len(self._kept[0]) // m + 1 - self.size) * m
        loss, rows = self._kept[0][spare:], self._kept[1][spare:]
        stacked = sparse.csr_array(sparse.vstack([rows, found[1]], format="csr"))
        return np.concatenate([loss, found[0]]), stacked

    def recall(self, scores: FloatArray, slack: Slack) -> Cuts | None:
        """Return the most violated cut of every block over the kept outputs, or None if empty."""
        if self._kept is None:
            return None
        loss, rows = self._kept
        m = len(self.task.example_weight)
        violation = (loss - rows @ scores).reshape(-1, m)
        best = violation.argmax(axis=0) * m + np.arange(m)
        return self._cuts((loss[best], sparse.csr_array(rows[best])), scores, slack)

    def dump(self) -> dict[str, Any]:
        """Return the kept outputs, and the state of the task if it has one, as arrays."""
        state: dict[str, Any] = {}
        if self._kept is not None:
            loss, rows = self._kept
            parts = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr}
            state = {"loss": loss} | parts
        own = self.task.dump() if isinstance(self.task, StatefulTask) else {}
        return state | {f"own_{name}": array for name, array in own.items()}

    def load(self, arrays: Mapping[str, Any]) -> None:
        """Restore the state returned by `dump`."""
        self._kept = None
        if "loss" in arrays:
            parts = tuple(arrays[name] for name in ("data", "indices", "indptr"))
            shape = (len(arrays["loss"]), sum(c.n_atoms for c in self.channels))
            self._kept = arrays["loss"], sparse.csr_array(parts, shape=shape)
        if isinstance(self.task, StatefulTask):
            self.task.load(part_of(arrays, "own_"))

    def _cuts(self, found: Found, scores: FloatArray, slack: Slack) -> Cuts:
        weight = self.task.example_weight
        return aggregate(*found, scores, weight, block_of_example(len(weight), slack))
