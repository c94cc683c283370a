"""Sequence labelling: chains with learned transitions, decoded exactly.

    ``F(x, y) = Σ_t s[y_t](x_t) + Σ_{t>1} r[y_{t−1}, y_t]``

with an emission score for every label and a transition score for every ordered pair of labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from segboost._types import AnyArray, FloatArray, IntArray, Slack
from segboost.solver.atoms import Channel, Cuts
from segboost.tasks.examplewise import aggregate, block_of_example, example_weights, n_blocks
from segboost.tasks.viterbi import best_paths

LARGEST = 1e100
"""Largest accepted magnitude of a feature: sums of squares must not overflow."""


class ChainTask:
    """Label the tokens of sequences with 0 … K−1.

    There is one emission channel per label, all on the features of the tokens, and a channel
    "transition" whose atoms are the K² ordered pairs of labels, common to all sequences, with a
    one-hot code as features. The loss counts wrong tokens.

    Parameters
    ----------
    sequences : sequence of ndarray of shape (T_i, d)
    labels : sequence of ndarray of int, shape (T_i,), or None
        None for prediction.
    n_labels : int
        K.
    sample_weight : array-like of shape (m,), optional
        Weights of the sequences; equal by default.
    fit_intercept : bool
        Whether the features of the tokens end with a constant.
    """

    exact = True

    def __init__(
        self,
        sequences: Sequence[npt.ArrayLike],
        labels: Sequence[npt.ArrayLike] | None,
        n_labels: int,
        sample_weight: npt.ArrayLike | None = None,
        fit_intercept: bool = False,
    ) -> None:
        arrays = check_sequences(sequences)
        self.n_labels = n_labels
        self._start = np.concatenate([[0], np.cumsum([len(a) for a in arrays])]).astype(np.intp)
        features = np.concatenate(arrays)
        if fit_intercept:
            features = np.column_stack([features, np.ones(len(features))])
        emissions = [Channel(f"label {k}", features) for k in range(n_labels)]
        pairs = Channel("transition", np.eye(n_labels**2), "binary")
        self._channels = (*emissions, pairs)
        self._weight = example_weights(sample_weight, len(arrays))
        self._owner = np.repeat(np.arange(len(arrays)), np.diff(self._start))
        self._labels = None if labels is None else _joined(labels, arrays, n_labels)
        inner = np.ones(len(features), bool)
        inner[self._start[:-1][np.diff(self._start) > 0]] = False
        self._second = np.flatnonzero(inner)  # the tokens that have a predecessor

    @property
    def channels(self) -> tuple[Channel, ...]:
        """K emission channels, then channel "transition"."""
        return self._channels

    def n_blocks(self, slack: Slack) -> int:
        """Return the number of slack variables for this choice of `slack`."""
        return n_blocks(len(self._weight), slack)

    def separate(self, scores: FloatArray, slack: Slack) -> Cuts:
        """Return the most violated cut of every block, by loss-augmented Viterbi."""
        if self._labels is None:
            raise ValueError("separate needs labels for every sequence")
        emission, transition = self.split(scores)
        wrong = self._labels[:, None] != np.arange(self.n_labels)
        found = best_paths(emission + wrong, transition, self._start)
        m = len(self._weight)
        loss = np.bincount(self._owner, found != self._labels, m).astype(np.float64)
        difference = self._atoms_of(self._labels) - self._atoms_of(found)
        return aggregate(loss, difference, scores, self._weight, block_of_example(m, slack))

    def decode(self, scores: FloatArray) -> list[IntArray]:
        """Return the labels of highest score, shape (T_i,), per sequence."""
        emission, transition = self.split(scores)
        return np.split(best_paths(emission, transition, self._start), self._start[1:-1])

    def split(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the emissions, shape (T, K), and the transitions, shape (K, K)."""
        k, n_tokens = self.n_labels, int(self._start[-1])
        if scores.shape != (k * n_tokens + k * k,):
            raise ValueError(
                f"scores has shape {scores.shape}, expected ({k * n_tokens + k * k},): one per atom"
            )
        emission = np.ascontiguousarray(scores[: k * n_tokens].reshape(k, -1).T)
        return emission, scores[k * n_tokens :].reshape(k, k)

    def _atoms_of(self, path: IntArray) -> sparse.csr_array:
        """Return how often each sequence uses each atom, shape (m, N): ψ of the labels."""
        k, n_tokens = self.n_labels, len(path)
        pairs = path[self._second - 1] * k + path[self._second]
        column = np.concatenate([path * n_tokens + np.arange(n_tokens), k * n_tokens + pairs])
        owner = np.concatenate([self._owner, self._owner[self._second]])
        shape = (len(self._weight), k * n_tokens + k * k)
        # Entries for the same pair of labels add up.
        return sparse.csr_array((np.ones(len(column)), (owner, column)), shape=shape)


def check_sequences(sequences: Sequence[npt.ArrayLike]) -> list[FloatArray]:
    """Return the sequences as float64 arrays; ValueError unless finite and of equal width."""
    if sequences is None:
        raise ValueError("sequences is None: expected a list of arrays")
    arrays = [_numbers(s, number) for number, s in enumerate(sequences)]
    if not arrays:
        raise ValueError("sequences is empty; give at least one")
    for number, array in enumerate(arrays):
        if array.ndim != 2 or array.shape[1:] != arrays[0].shape[1:]:
            raise ValueError(
                f"sequences[{number}] has shape {array.shape}, expected (tokens, features) with "
                "the same number of features in all"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"sequences[{number}] must be finite: it contains NaN or infinity")
        if np.abs(array).max(initial=0.0) > LARGEST:
            raise ValueError(f"sequences[{number}] has values beyond ±{LARGEST:g}: rescale them")
    return arrays


def _numbers(sequence: npt.ArrayLike, number: int) -> FloatArray:
    try:
        found: AnyArray = np.asarray(sequence)
        # NumPy would drop imaginary parts and turn dates into day counts.
        if found.dtype.kind in "cMm":
            raise ValueError(f"got {found.dtype}")
        return found.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sequences[{number}] must hold real numbers: {error}") from None


def _joined(
    labels: Sequence[npt.ArrayLike], arrays: Sequence[FloatArray], n_labels: int
) -> IntArray:
    given: list[AnyArray] = [np.asarray(y) for y in labels]
    if len(given) != len(arrays):
        raise ValueError(f"labels has {len(given)} sequences, expected {len(arrays)}")
    for number, (y, array) in enumerate(zip(given, arrays, strict=True)):
        if y.shape != (len(array),):
            raise ValueError(f"labels[{number}] has shape {y.shape}, expected ({len(array)},)")
    joined = np.concatenate(given).astype(np.intp)
    if joined.size and not (joined.min() >= 0 and joined.max() < n_labels):
        raise ValueError(f"labels must be class indices from 0 to {n_labels - 1}")
    return joined
