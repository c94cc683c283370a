"""Atoms, channels and cuts: the structure in which every task is expressed.

An *atom* is what a weak learner is evaluated on: an example, an (example, label code) pair, a
(superpixel, label), an edge, a (frame, box). Atoms are grouped into *channels*; a weak learner
belongs to one channel and is a function of that channel's features. The atoms of all channels,
concatenated in channel order, form one flat axis of length N; `scores`, cut weights and atom
weights are vectors along that axis.

A *cut* is an aggregated weight vector ``a`` over atoms (1/m included) and a loss; it stands for
the inequality ``a·Φw ≥ loss − ξ_block`` of the structured LP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from segboost._types import AnyArray, FloatArray, IntArray, Outputs, Slack


@dataclass(frozen=True, eq=False)
class Channel:
    """A group of atoms that share a feature space and a set of weak learners.

    Parameters
    ----------
    name : str
        Shown in reports; unique within a task.
    features : ndarray of shape (N_c, d)
        One row per atom. Channels may share one array (the classes of a multi-class task do);
        work that depends only on the features is then done once.
    outputs : {"signed", "binary"}
        Range of this channel's weak learners: ±1, or 0 and 1.
    """

    name: str
    features: AnyArray
    outputs: Outputs = "signed"

    @property
    def n_atoms(self) -> int:
        """Number of atoms N_c."""
        return int(self.features.shape[0])


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cuts of several blocks; a separation oracle returns at most one per block.

    Parameters
    ----------
    block : ndarray of int, shape (n_cuts,)
        The slack block that each cut belongs to.
    loss : ndarray of float64, shape (n_cuts,)
        ``Σ_{i∈b} v_i c_i Δ(y_i, y'_i)`` with the normalised example weights v (1/m each).
    weights : csr_array of shape (n_cuts, N)
        ``a``: for every weak learner, ``a·φ = Σ_{i∈b} v_i c_i δψ_i(y'_i)``.
    """

    block: IntArray
    loss: FloatArray
    weights: sparse.csr_array

    def __len__(self) -> int:
        return int(self.loss.shape[0])

    def select(self, mask: AnyArray) -> Cuts:
        """Return the cuts selected by a boolean mask or an index array."""
        return Cuts(self.block[mask], self.loss[mask], self.weights[mask])


@runtime_checkable
class Task(Protocol):
    """Protocol of a structured learning problem together with its data.

    A task holds its data: inputs and labels for training, only inputs for prediction. See
    ``docs/own-task.md`` for a complete example written outside the package.
    """

    exact: bool
    """Whether `separate` always returns the most violated outputs rather than approximations.
    Bounds are certificates only if it does."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The groups of atoms, in the order of the flat atom axis."""
        ...

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables for this choice of `slack`."""
        ...

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Return the most violated cut of every block at the atom scores Φw.

        For block b this is the maximiser over outputs y' and c ∈ {0, 1} of
        ``Σ_{i∈b} v_i c_i [Δ(y_i, y'_i) − w·δψ_i(y'_i)]``. Blocks whose maximum is zero (no
        violated example) may be omitted.
        """
        ...

    def decode(self, scores: FloatArray) -> Any:
        """Return the highest-scoring output of every input, ``argmax_y F(x, y)``."""
        ...


@runtime_checkable
class StatefulTask(Task, Protocol):
    """A task whose separation depends on earlier calls; checkpoints keep its state.

    `separate` must replace its state, not change it in place, so that a shallow copy of the task
    can be probed without affecting the task itself.
    """

    def dump(self) -> dict[str, Any]:
        """Return the state as arrays."""
        ...

    def load(self, arrays: Mapping[str, Any]) -> None:
        """Restore the state returned by `dump`."""
        ...


@runtime_checkable
class Recall(Protocol):
    """A task that remembers outputs its oracle has returned.

    The solver first tries cuts of known outputs and runs inference only if they do not help.
    Upper bounds always come from the oracle.
    """

    def recall(self, scores: FloatArray, slack: Slack) -> Cuts | None:
        """Return the most violated cut of every block over known outputs; None without any."""
        ...


def atom_offsets(channels: tuple[Channel, ...]) -> IntArray:
    """Return the start of each channel on the flat atom axis; the last entry is N."""
    return np.concatenate([[0], np.cumsum([c.n_atoms for c in channels])]).astype(np.intp)
