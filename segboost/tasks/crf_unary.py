"""Unary channels of CRFs with K classes: their atoms, features and label costs.

The cost of class k at node p is the sum of up to three atoms:

- (p, k) of the channel "class k", whose features are ``[U(x^p), 1]``: learners for this class only;
- (p, k) of the channel "shared", whose features are the scores of class k at p: learners that all
  classes share;
- (k) of the channel "bias k", a constant.

A cut puts the same weight on all of them. If U are raw features, each class has separate learners,
as in the first case, except that two classes have only one channel: the cost of class 1 at p, while
class 0 costs nothing.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from segboost._types import FloatArray, IntArray
from segboost.solver.atoms import Channel

Unary = Literal["classwise", "shared", "both", "raw"]
UNARY: tuple[Unary, ...] = ("classwise", "shared", "both", "raw")


class UnaryAtoms:
    """The unary atoms of a task, in the order of the flat atom axis.

    Parameters
    ----------
    potentials : ndarray of shape (P, D)
        U of all nodes. If learners are shared, the columns are groups of scores, one per class.
    classes : ndarray of int, shape (K,)
        The column of each class within a group.
    n_scores : int
        The width of a group; D must be a multiple of it if learners are shared.
    unary : "classwise", "shared", "both" or "raw"
        Separate learners per class; learners that all classes share, plus a bias per class; both
        kinds of learners; or separate learners on raw features.
    fit_intercept : bool
        Whether there is a constant for every class. Raw features are used as they are: stumps,
        trees and ramps contain the constants.
    """

    def __init__(
        self,
        potentials: FloatArray,
        classes: IntArray,
        n_scores: int,
        unary: Unary,
        fit_intercept: bool,
    ) -> None:
        self.n_nodes, self.n_classes = len(potentials), len(classes)
        self.channels: list[Channel] = []
        self._single = unary == "raw" and self.n_classes == 2
        self._own = unary != "shared" and not self._single
        self._shared = unary in ("shared", "both")
        if self._single:
            self.channels.append(Channel("unary", potentials))
        if self._own:
            features = potentials
            if fit_intercept and unary != "raw":
                features = np.column_stack([features, np.ones(self.n_nodes)])
            self.channels += [Channel(f"class {k}", features) for k in range(self.n_classes)]
        if self._shared:
            features = shared_features(potentials, classes, n_scores)
            self.channels.append(Channel("shared", features))
        self._bias = unary == "shared" and fit_intercept
        if self._bias:
            one = np.ones((1, 1))
            self.channels += [Channel(f"bias {k}", one) for k in range(self.n_classes)]
        self.n_atoms = sum(c.n_atoms for c in self.channels)

    def costs(self, scores: FloatArray) -> FloatArray:
        """Return θ, shape (P, K), from the scores of the unary atoms, shape (n_atoms,)."""
        if self._single:
            return np.column_stack([np.zeros(self.n_nodes), scores])
        size = self.n_classes * self.n_nodes
        theta = scores[:size].reshape(self.n_classes, self.n_nodes).T
        if self._own and self._shared:
            theta = theta + scores[size : 2 * size].reshape(self.n_classes, self.n_nodes).T
        if self._bias:
            theta = theta + scores[-self.n_classes :]
        return theta

    def changes(
        self, nodes: IntArray, now: IntArray, before: IntArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return how the unary cost changes if some nodes change their labels.

        Parameters
        ----------
        nodes, now, before : ndarray of int, shape (n,)
            The nodes and their different labels.

        Returns
        -------
        at : ndarray of int
            The position in `nodes` that each entry belongs to.
        atom : ndarray of int
        weight : ndarray of float64
            1 for the atoms of the new labels, −1 for those of the old ones.
        """
        if self._single:
            return np.arange(len(nodes)), nodes, (now - before).astype(np.float64)
        atoms = [*self._atoms(nodes, now), *self._atoms(nodes, before)]
        ones = np.ones(len(atoms) // 2 * len(nodes))
        at = np.tile(np.arange(len(nodes)), len(atoms))
        return at, np.concatenate(atoms), np.concatenate([ones, -ones])

    def _atoms(self, nodes: IntArray, labels: IntArray) -> list[IntArray]:
        """Return the atoms of the cost of a label at each node, one array per kind."""
        place = labels * self.n_nodes + nodes
        found = [place]
        if self._own and self._shared:
            found.append(place + self.n_classes * self.n_nodes)
        if self._bias:
            found.append(self.n_classes * self.n_nodes + labels)
        return found


def renumber_channels(
    channel: IntArray, rank: IntArray, unary: Unary, fit_intercept: bool
) -> IntArray:
    """Return the channels of learners after the classes were renumbered.

    Parameters
    ----------
    channel : ndarray of int, shape (J,)
        The channels of a CRF with K > 2 classes.
    rank : ndarray of int, shape (K,)
        The new number of every class.
    unary, fit_intercept
        As in `UnaryAtoms`.
    """
    if unary == "shared" and not fit_intercept:
        return channel
    start = 1 if unary == "shared" else 0  # of the channels with one class each
    inside = (channel >= start) & (channel < start + len(rank))
    renumbered = channel.copy()
    renumbered[inside] = start + rank[channel[inside] - start]
    return renumbered


def shared_features(potentials: FloatArray, classes: IntArray, n_scores: int) -> FloatArray:
    """Return the scores of class k at node p, shape (K·P, D / n_scores), class by class.

    Raises
    ------
    ValueError
        If the number of potentials is not a multiple of `n_scores`, or a class has no score.
    """
    n_columns = potentials.shape[1]
    if not n_columns or n_columns % n_scores:
        raise ValueError(
            f"unary='shared' needs scores of each of the {n_scores} classes: the number of unary "
            f"potentials must be a multiple of {n_scores}, got {n_columns}; set n_classes if the "
            "training labels do not have all classes"
        )
    if len(classes) and classes.max() >= n_scores:
        raise ValueError(f"class {classes.max()} has no score: there are scores of {n_scores}")
    groups = potentials.reshape(len(potentials), -1, n_scores)[:, :, classes]
    return np.ascontiguousarray(groups.transpose(2, 0, 1).reshape(-1, groups.shape[1]))
