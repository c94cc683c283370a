"""Fragments-based tracking: patches of the first box vote by their grey histograms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from segboost._types import Float32Array, FloatArray, Int64Array
from segboost.features.boxes.channels import FULL, GREY
from segboost.features.boxes.layout import BoxLayout, Places
from segboost.tracking.box_tracker import BoxTracker
from segboost.tracking.learner import Learner
from segboost.tracking.sampling import TrainingBoxes
from segboost.tracking.settings import TrackerSettings
from segboost.tracking.view import Look, TargetView

BINS = 16
QUANTILE = 0.25
"""Fraction of best-matching patches that are scored; the others may be hidden."""


def patches(layout: BoxLayout) -> Int64Array:
    """Return the patches ``y0, x0, y1, x1``, shape (36, 4).

    Vertical patches have half the height of the box, horizontal ones half its width.
    """
    found = []
    for tall, wide, rows, columns in ((1 / 2, 1 / 10, 2, 9), (1 / 10, 1 / 2, 9, 2)):
        for top in np.linspace(0, 1 - tall, rows):
            for left in np.linspace(0, 1 - wide, columns):
                y0, x0 = round(top * layout.height), round(left * layout.width)
                y1 = max(round((top + tall) * layout.height), y0 + 1)
                x1 = max(round((left + wide) * layout.width), x0 + 1)
                found.append((y0, x0, y1, x1))
    return np.array(found, dtype=np.int64)


def patch_histograms(look: Look, cells: Int64Array, offsets: Places) -> Float32Array:
    """Return the normalised grey histograms of the patches of boxes, shape (n · BINS, P)."""
    sums = look.sums[GREY].astype(np.int64)
    grey = sums[1:, 1:] - sums[:-1, 1:] - sums[1:, :-1] + sums[:-1, :-1]
    level = np.minimum(grey * BINS // (FULL + 1), BINS - 1)
    height, width = level.shape
    table = np.zeros((height + 1, width + 1, BINS), np.int32)
    table[1:, 1:] = level[:, :, None] == np.arange(BINS)
    table = table.cumsum(axis=0, dtype=np.int32).cumsum(axis=1, dtype=np.int32)
    out = np.empty((len(cells), BINS, len(offsets)), np.float32)
    i, j = (offsets + look.border).T
    for n, (y0, x0, y1, x1) in enumerate(cells.tolist()):
        count = table[i + y1, j + x1] - table[i + y0, j + x1]
        count += table[i + y0, j + x0] - table[i + y1, j + x0]
        out[n] = count.T / ((y1 - y0) * (x1 - x0))
    return out.reshape(-1, len(offsets))


@dataclass(frozen=True, eq=False)
class FragmentModel:
    """Scores a box by minus the largest distance within its best quarter of patches.

    The distance between histograms is that of their cumulative sums (earth mover's, in bins).
    """

    cells: Int64Array
    template: FloatArray
    unit: float = 1.0

    def scores(self, look: Look, offsets: Places) -> FloatArray:
        """Return the scores of the boxes at these offsets, shape (P,)."""
        n = len(self.cells)
        here = patch_histograms(look, self.cells, offsets).reshape(n, BINS, -1)
        there = self.template.reshape(n, BINS, 1)
        distance = np.abs(np.cumsum(here - there, axis=1)).sum(axis=1)
        return -np.asarray(np.quantile(distance, QUANTILE, axis=0), dtype=np.float64)


class FragmentLearner:
    """Remembers only the first box."""

    def __init__(self, layout: BoxLayout) -> None:
        self._cells = patches(layout)
        self._template: FloatArray | None = None

    def describe(self, look: Look, offsets: Places) -> Float32Array:
        """Return the patch histograms of boxes."""
        return patch_histograms(look, self._cells, offsets)

    def add(self, features: Float32Array, anchor: bool) -> None:
        """Keep the first target."""
        if self._template is None:
            self._template = features[:, 0].astype(np.float64)

    def train(self, first: bool) -> FragmentModel:
        """Return the model that compares patches with those of the first target."""
        assert self._template is not None
        return FragmentModel(self._cells, self._template)


class FragmentsTracker(BoxTracker):
    """Robust fragments-based tracking by integral histograms; it learns nothing after `init`.

    Parameters
    ----------
    random_state : int
        Ignored: this tracker is deterministic.
    settings : TrackerSettings, optional
        Scale search is always off, and every frame is trusted.

    References
    ----------
    A. Adam, E. Rivlin, I. Shimshoni, Robust fragments-based tracking using the integral
    histogram, CVPR 2006.
    """

    def __init__(self, random_state: int = 0, *, settings: TrackerSettings | None = None) -> None:
        fixed = replace(settings or TrackerSettings(), scale_step=None, trust=0.0)
        super().__init__(fixed, random_state)

    def _make_learner(self, view: TargetView, boxes: TrainingBoxes) -> Learner:
        return FragmentLearner(view.layout)
