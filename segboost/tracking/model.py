"""Box scorers, the result of training: the protocol and the sum of stumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from segboost._types import FloatArray, Int64Array
from segboost.features.boxes.layout import BoxLayout, Places, stump_scores
from segboost.tracking.view import Look


class Scorer(Protocol):
    """Scores boxes; `unit` is the margin by which the target should beat a far box."""

    @property
    def unit(self) -> float:
        """The scale of score differences."""
        ...

    def scores(self, look: Look, offsets: Places) -> FloatArray:
        """Return F of the boxes at these offsets, shape (P,)."""
        ...


@dataclass(frozen=True, eq=False)
class StumpModel:
    """``F(box) = Σ_j w_j (+1 if code[feature_j] > cut_j, else −1)``, w_j of either sign."""

    cells: Places
    gain: FloatArray
    cut: Int64Array
    weight: FloatArray
    unit: float = 1.0

    @classmethod
    def of_stumps(
        cls,
        layout: BoxLayout,
        feature: Int64Array,
        cut: Int64Array,
        weight: FloatArray,
        unit: float = 1.0,
    ) -> StumpModel:
        """Return the model of the stumps with non-zero weight."""
        used = np.flatnonzero(weight)
        feature = feature[used]
        return cls(
            layout.cells[feature],
            layout.gain[feature],
            cut[used].astype(np.int64),
            weight[used],
            unit,
        )

    def scores(self, look: Look, offsets: Places) -> FloatArray:
        """Return F of the boxes at these offsets, shape (P,)."""
        return stump_scores(
            look.sums, self.cells, self.gain, self.cut, self.weight, offsets + look.border
        )
