"""All unary potentials of a segmenter, and their arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segboost._types import FloatArray
from segboost.baselines.stump_sum import StumpSum
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.page_view import PageScores
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.model.prefixed_arrays import Arrays, arrays_with_prefix
from segboost.pipelines.segmentation.potentials.context import ContextPotential
from segboost.pipelines.segmentation.potentials.context_features import summarise_page
from segboost.pipelines.segmentation.potentials.crf.potential_scale import PotentialScale
from segboost.pipelines.segmentation.potentials.linear import LinearPotential
from segboost.pipelines.segmentation.potentials.trees import TreePotential


@dataclass(frozen=True, eq=False)
class UnaryModel:
    """All unary potentials: those of the groups and, if used, the two strong ones.

    Parameters
    ----------
    stumps : mapping of group name to StumpSum
    trees : TreePotential or None
    context : ContextPotential or None
        Both or neither.
    scale : PotentialScale
        Brings the T scores to a common scale.
    trees_in_crf : bool
        Whether the trees' score is a potential itself, or only what the context is made from.
    linear : LinearPotential or None
        Replaces trees and context if there were few training images.
    """

    stumps: Mapping[str, StumpSum]
    trees: TreePotential | None
    context: ContextPotential | None
    scale: PotentialScale
    trees_in_crf: bool = True
    linear: LinearPotential | None = None

    def scores(self, image: SuperpixelImage) -> FloatArray:
        """Return the scaled scores F'_t of every superpixel, shape (P, T)."""
        columns = self._first(image)
        if self.context is not None and self.trees is not None:
            context = self.context.scores(image, np.column_stack(columns))
            columns = [*(columns if self.trees_in_crf else columns[:-1]), context]
        if self.linear is not None:
            columns.append(self.linear.scores(image.groups))
        return self.scale.apply(np.column_stack(columns))

    def summarise(self, blocks: Sequence[SuperpixelImage]) -> PageScores:
        """Return what the context needs to know of a large page, from some of its blocks."""
        return summarise_page(blocks, [np.column_stack(self._first(block)) for block in blocks])

    def _first(self, image: SuperpixelImage) -> list[FloatArray]:
        columns = [model.scores(image.groups[g])[:, 0] for g, model in self.stumps.items()]
        if self.trees is not None and self.context is not None:
            columns.append(self.trees.scores(image.groups))
        return columns


def pack_unaries(model: UnaryModel) -> Arrays:
    """Return the arrays of all potentials, each with its own prefix."""
    arrays: Arrays = model.scale.to_arrays()
    for number, stumps in enumerate(model.stumps.values()):
        arrays |= {f"unary{number}_{k}": a for k, a in stumps.pack().items()}
    for prefix, potential in (
        ("trees", model.trees), ("linear", model.linear), ("context", model.context)
    ):  # fmt: skip
        if potential is not None:
            arrays |= {f"{prefix}_{k}": a for k, a in potential.to_arrays().items()}
    return arrays


def restore_unaries(
    document: Mapping[str, Any],
    arrays: Arrays,
    groups: Sequence[str],
    config: SegmentationConfig,
) -> UnaryModel:
    """Return the potentials from the arrays of `pack_unaries`.

    Parameters
    ----------
    document : mapping
        Document of the segmenter.
    arrays : mapping of str to ndarray
    groups : sequence of str
        All feature groups of the preset.
    config : SegmentationConfig
    """
    stumps = {
        name: StumpSum.unpack(arrays_with_prefix(arrays, f"unary{number}_"))
        for number, name in enumerate(document["groups"])
    }
    trees, context, linear = None, None, None
    if document.get("linear", False):
        linear = LinearPotential.from_arrays(groups, arrays_with_prefix(arrays, "linear_"))
    if document["context"]:
        trees = TreePotential.from_arrays(groups, arrays_with_prefix(arrays, "trees_"))
        raw = groups if config.context_raw_columns else ()
        context = ContextPotential.from_arrays(arrays_with_prefix(arrays, "context_"), raw)
    scale = PotentialScale.from_arrays(arrays)
    return UnaryModel(stumps, trees, context, scale, config.trees_in_crf, linear)
