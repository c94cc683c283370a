"""Unaries of several classes: trees with or without context, or a linear classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import log_softmax

from segboost._types import AnyArray, FloatArray
from segboost.pipelines.segmentation.images.page_view import PageScores
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.model.prefixed_arrays import arrays_with_prefix
from segboost.pipelines.segmentation.potentials.class_context_features import (
    class_context,
    mean_probability,
)
from segboost.pipelines.segmentation.potentials.class_linear import ClassLinearPotential
from segboost.pipelines.segmentation.potentials.class_trees import ClassTreePotential

PARTS = ("trees", "context", "linear")
SHARE = "context_share"


def mix_log_probabilities(first: FloatArray, second: FloatArray, share: float) -> FloatArray:
    """Return the log-probabilities ``(1 − share) first + share second``, normalised, shape (P, K).

    The context knows what surrounds a superpixel, but also relies on where things were in the
    training scenes. On road scenes from another drive the trees alone are better, on those from
    the same drives the context; the mean of both is nearly as good as the better one.
    """
    if share == 1.0:
        return second
    found: FloatArray = log_softmax((1.0 - share) * first + share * second, axis=1)
    return found


@dataclass(frozen=True, eq=False)
class ClassUnaryModel:
    """Trees over raw features with or without a second stage over context, or a linear classifier.

    Parameters
    ----------
    trees, context : ClassTreePotential or None
    linear : ClassLinearPotential or None
    context_share : float
        The share of the context in the mean of both log-probabilities.
    """

    trees: ClassTreePotential | None = None
    context: ClassTreePotential | None = None
    linear: ClassLinearPotential | None = None
    context_share: float = 1.0

    def scores(self, image: SuperpixelImage) -> FloatArray:
        """Return the log-probabilities of the classes for every superpixel, shape (P, K)."""
        if self.linear is not None:
            return self.linear.scores(image.groups)
        if self.trees is None:
            raise ValueError("the model has neither trees nor a linear classifier")
        first = self.trees.scores(image.groups)
        if self.context is None:
            return first
        second = self.context.scores(image.groups, class_context(image, first))
        return mix_log_probabilities(first, second, self.context_share)

    def summarise(self, blocks: Sequence[SuperpixelImage]) -> PageScores:
        """Return the scores over a large page that the context needs, from some of its blocks."""
        if self.trees is None:
            raise ValueError("the model has no context")
        first = [self.trees.scores(block.groups) for block in blocks]
        return PageScores(mean_probability(blocks, first))

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays of all parts, with the name of the part as a prefix."""
        found: dict[str, AnyArray] = {}
        for part in PARTS:
            potential = getattr(self, part)
            if potential is not None:
                found |= {f"{part}_{name}": a for name, a in potential.to_arrays().items()}
        if self.context is not None:
            found[SHARE] = np.array(self.context_share)
        return found

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, AnyArray], groups: Sequence[str], n_classes: int
    ) -> Self:
        """Return the unaries from the arrays of `to_arrays`; ValueError if they are damaged."""
        kinds = {"linear": ClassLinearPotential}
        # Older models have no share: their scores are those of the context.
        found: dict[str, Any] = {"context_share": float(arrays.get(SHARE, 1.0))}
        if not 0 <= found["context_share"] <= 1:
            raise ValueError(f"the share of the context must be in [0, 1], got {arrays[SHARE]}")
        rest = {name: a for name, a in arrays.items() if name != SHARE}
        for part in PARTS:
            own = arrays_with_prefix(rest, f"{part}_")
            if own:
                found[part] = kinds.get(part, ClassTreePotential).from_arrays(groups, own)
        unaries = cls(**found)
        if unaries.linear is None and unaries.trees is None:
            raise ValueError("the model has neither trees nor a linear classifier")
        for potential in (unaries.trees, unaries.context):
            if potential is not None and potential.booster.n_classes != n_classes:
                raise ValueError(f"the trees of the model must have {n_classes} classes")
        if unaries.linear is not None and len(unaries.linear.bias) != n_classes:
            raise ValueError(f"the linear classifier must have {n_classes} classes")
        return unaries
