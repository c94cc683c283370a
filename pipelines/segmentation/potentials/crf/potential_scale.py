"""The divisors of unary scores before the CRF, and which scores are uninformative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from segboost._types import AnyArray, BoolArray, FloatArray, Int64Array
from segboost.weak.checks import read_array

ATTENUATION = 1e30
"""The divisor of an uninformative potential.

Large enough that no weight of a linear CRF can make up for it and that the potential takes no part
in pairwise potentials, which compare strong scores. It is not a zero: the potential remains a
candidate of StructBoost, because the knots of ramps are values of the potential itself, so its
ramps have the same outputs as before, up to rounding."""


@dataclass(frozen=True, eq=False)
class PotentialScale:
    """Brings unary scores to a common scale: ``F'_t = F_t / divisors_t``.

    Parameters
    ----------
    divisors : ndarray of shape (T,)
    informative : ndarray of bool, shape (T,)
        Whether the scores were higher on the foreground, out of fold.
    """

    divisors: FloatArray
    informative: BoolArray

    @classmethod
    def identity(cls, n_potentials: int) -> PotentialScale:
        """Return the scale that changes nothing; all potentials count as informative."""
        return cls(np.ones(n_potentials), np.ones(n_potentials, dtype=bool))

    @classmethod
    def fit(cls, scores: FloatArray, labels: Int64Array, known: BoolArray) -> PotentialScale:
        """Return the scale that divides by deviations, and attenuates what is uninformative.

        A classifier whose out-of-fold scores are not higher on the foreground has learned nothing
        that generalises to new images. A linear CRF might invert it and be wrong where the final
        classifier is right.

        Parameters
        ----------
        scores : ndarray of shape (N, T)
            Out of fold.
        labels : ndarray of int, shape (N,)
        known : ndarray of bool, shape (N,)
        """
        foreground = scores[known & (labels == 1)].mean(axis=0)
        background = scores[known & (labels == 0)].mean(axis=0)
        informative = foreground > background
        deviation = np.maximum(scores.std(axis=0), 1e-12)
        return cls(np.where(informative, deviation, ATTENUATION), informative)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> PotentialScale:
        """Return the scale stored by `to_arrays`; divisors alone say what is informative."""
        divisors = read_array(arrays, "scale", "f", (None,))
        if not (divisors > 0).all():
            raise ValueError("the stored array 'scale' has values that are not positive")
        return cls(divisors, divisors < ATTENUATION)

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the divisors, under the name they have in model folders."""
        return {"scale": self.divisors}

    def apply(self, scores: FloatArray) -> FloatArray:
        """Return the scaled scores, shape (N, T)."""
        scaled: FloatArray = scores / self.divisors
        return scaled
