"""Protocols of weak learners, which the loop relies on and users can implement.

Given a weight W for every atom, a weak learner finds the function φ of an atom's features that
maximises ``W·φ = Σ_n W_n φ(x_n)``. It is queried many times with the same features and is
therefore first *bound* to them, a step that does binning and similar work once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from segboost._types import AnyArray, FloatArray, Outputs


@runtime_checkable
class Hypothesis(Protocol):
    """A learned function of one atom's features."""

    def predict(self, features: AnyArray) -> FloatArray:
        """Return the responses φ(x), shape (N,), for features of shape (N, d)."""
        ...


@runtime_checkable
class StorableHypothesis(Hypothesis, Protocol):
    """A hypothesis that can be saved in a model folder."""

    kind: ClassVar[str]
    """The name of this class in files."""

    @classmethod
    def pack(cls, hypotheses: Sequence[Any]) -> dict[str, AnyArray]:
        """Return the hypotheses as plain numeric arrays."""
        ...

    @classmethod
    def unpack(cls, arrays: Mapping[str, AnyArray]) -> list[Any]:
        """Return the hypotheses that `pack` stored; ValueError if the arrays do not fit."""
        ...


@dataclass(frozen=True, eq=False)
class Candidate:
    """A hypothesis that a weak learner proposes as a new column.

    Parameters
    ----------
    hypothesis : Hypothesis
    responses : ndarray of float64, shape (N,)
        Its responses on the atoms to which the learner is bound.
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

        Global lower bounds are certificates only if it does.
        """
        ...

    def best(self, weights: FloatArray) -> list[Candidate]:
        """Return the best hypothesis for each column of `weights`, shape (N, K)."""
        ...


@runtime_checkable
class SeveralLearner(BoundLearner, Protocol):
    """A bound learner that proposes more than one new column per round."""

    def further(self, weights: FloatArray) -> list[list[Candidate]]:
        """Return more good hypotheses for each column of `weights`, besides that of `best`.

        It is called after `best`, with the same weights.
        """
        ...


@runtime_checkable
class WeakLearner(Protocol):
    """A class of functions and a search over it."""

    def bind(self, features: AnyArray, outputs: Outputs) -> BoundLearner:
        """Do the work that depends only on the features and return the bound learner.

        `outputs` gives the range of the hypotheses: from −1 to 1 for ``signed`` (the class
        contains both polarities), from 0 to 1 for ``binary`` (the class contains the constant 1).
        Stumps and trees return only the ends of these ranges.
        """
        ...
