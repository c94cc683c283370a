"""What a weak learner is: the contract that the loop relies on and that users can fulfil.

A weak learner answers one question: given a weight W for every atom, which function φ of an
atom's features maximises ``W·φ = Σ_n W_n φ(x_n)``? It is asked many times about the same
features, so that it is first *bound* to them (binning and the like happen there, once).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy.typing as npt

from segboost._types import FloatArray, Outputs


@runtime_checkable
class Hypothesis(Protocol):
    """A learned function of one atom's features."""

    def predict(self, features: npt.NDArray[Any]) -> FloatArray:
        """Return the answers φ(x), shape (N,), for features of shape (N, d)."""
        ...


@runtime_checkable
class StorableHypothesis(Hypothesis, Protocol):
    """A hypothesis that models can be saved with."""

    kind: ClassVar[str]
    """The name under which files know this class."""

    @classmethod
    def pack(cls, hypotheses: Sequence[Any]) -> dict[str, npt.NDArray[Any]]:
        """Return plain numeric arrays that hold all these hypotheses."""
        ...

    @classmethod
    def unpack(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> list[Any]:
        """Return the hypotheses that `pack` stored; ValueError where the arrays do not fit."""
        ...


@dataclass(frozen=True, eq=False)
class Candidate:
    """A hypothesis that a weak learner proposes as a new column.

    Parameters
    ----------
    hypothesis : Hypothesis
    responses : ndarray of float64, shape (N,)
        Its answers on the atoms the learner is bound to.
    score : float
        ``W·responses`` for the weights it was found with.
    """

    hypothesis: Hypothesis
    responses: FloatArray
    score: float


@runtime_checkable
class BoundLearner(Protocol):
    """A weak learner bound to the features of a channel."""

    @property
    def exact(self) -> bool:
        """Whether `best` returns the maximum over its whole class of functions.

        Global lower bounds are certificates only where it does.
        """
        ...

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return the best hypothesis for each column of `weights`, shape (N, K)."""
        ...


@runtime_checkable
class WeakLearner(Protocol):
    """A class of functions with a way to search it."""

    def bind(self, features: npt.NDArray[Any], outputs: Outputs) -> BoundLearner:
        """Do the work that depends on the features alone; return the bound learner.

        `outputs` says what the hypotheses must answer: from −1 to 1 for ``signed`` (both
        polarities are in the class), from 0 to 1 for ``binary`` (the constant 1 is in the class).
        Stumps and trees answer with the ends of these ranges only.
        """
        ...
