"""Pixels by true and predicted class, and the scores that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from segboost._types import AnyArray, FloatArray, Int64Array
from segboost.io.legend import VOID


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """Pixels by true class (rows) and predicted class (columns); matrices can be added.

    With the pixels n_ab of class a that were predicted as b:

    - `iou` of class k: n_kk / (Σ_b n_kb + Σ_a n_ak − n_kk), NaN if neither present nor predicted;
    - `recall` of class k: n_kk / Σ_b n_kb, NaN if not present;
    - `mean_iou`, `mean_recall`: means over the classes that are present;
    - `accuracy`: Σ_k n_kk / Σ_ab n_ab.

    Parameters
    ----------
    counts : ndarray of int64, shape (K, K)

    Examples
    --------
    >>> matrix = ConfusionMatrix.of_masks([[0, 2], [2, 1]], [[0, 2], [255, 2]], n_classes=3)
    >>> matrix.counts.tolist()
    [[1, 0, 0], [0, 0, 0], [0, 1, 1]]
    >>> matrix.mean_recall, matrix.mean_iou, round(matrix.accuracy, 3)
    (0.75, 0.75, 0.667)
    """

    counts: Int64Array

    @classmethod
    def empty(cls, n_classes: int) -> Self:
        """Return the matrix of no pixels."""
        return cls(np.zeros((n_classes, n_classes), np.int64))

    @classmethod
    def of_masks(cls, prediction: npt.ArrayLike, truth: npt.ArrayLike, n_classes: int) -> Self:
        """Return the matrix of a predicted mask.

        Parameters
        ----------
        prediction : array-like of int, shape (H, W)
            0 … K−1.
        truth : array-like of int, shape (H, W)
            0 … K−1, or 255 for void, which is ignored.
        n_classes : int
        """
        found, mask = np.asarray(prediction), check_classes(truth, n_classes)
        if found.shape != mask.shape:
            raise ValueError(f"prediction has shape {found.shape}, expected {mask.shape}")
        if found.size and not (found.min() >= 0 and found.max() < n_classes):
            raise ValueError(f"prediction must be 0 … {n_classes - 1} everywhere")
        known = mask != VOID
        pairs = mask[known].astype(np.int64) * n_classes + found[known].astype(np.int64)
        flat = np.bincount(pairs, minlength=n_classes * n_classes)
        return cls(flat.reshape(n_classes, n_classes).astype(np.int64))

    @classmethod
    def of_regions(cls, labels: npt.ArrayLike, counts: npt.ArrayLike) -> Self:
        """Return the matrix of regions of one predicted class each.

        Parameters
        ----------
        labels : array-like of int, shape (P,)
        counts : array-like of int, shape (P, K)
            The true pixels of each class in every region (`class_counts`).
        """
        found, true = np.asarray(labels, np.int64), np.asarray(counts, np.int64)
        if true.ndim != 2 or found.shape != true.shape[:1]:
            raise ValueError(f"labels of shape {found.shape} and counts of {true.shape} differ")
        matrix = np.zeros((true.shape[1],) * 2, np.int64)
        np.add.at(matrix.T, found, true)
        return cls(matrix)

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        return ConfusionMatrix(self.counts + other.counts)

    @property
    def n_classes(self) -> int:
        """Number of classes K."""
        return len(self.counts)

    @property
    def pixels(self) -> Int64Array:
        """The true pixels of each class, shape (K,)."""
        total: Int64Array = self.counts.sum(axis=1)
        return total

    @property
    def iou(self) -> FloatArray:
        """Intersection over union of each class, shape (K,)."""
        right = np.diag(self.counts)
        return _ratio(right, self.pixels + self.counts.sum(axis=0) - right)

    @property
    def recall(self) -> FloatArray:
        """Share of each class that was found, shape (K,)."""
        return _ratio(np.diag(self.counts), self.pixels)

    @property
    def mean_iou(self) -> float:
        """Mean of `iou` over the classes that are present; NaN if there are none."""
        return _mean(self.iou, self.pixels)

    @property
    def mean_recall(self) -> float:
        """Mean of `recall` over the classes that are present ("class average")."""
        return _mean(self.recall, self.pixels)

    @property
    def accuracy(self) -> float:
        """Share of the pixels that are right ("global accuracy"); NaN if there are none."""
        total = int(self.counts.sum())
        return int(np.trace(self.counts)) / total if total else float("nan")

    def class_rows(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Return name, index, IoU, recall and true pixels of each class as JSON values."""
        rows = zip(names, self.iou, self.recall, self.pixels, strict=True)
        return [
            {
                "index": index,
                "name": name,
                "iou": _plain(iou),
                "recall": _plain(recall),
                "pixels": int(pixels),
            }
            for index, (name, iou, recall, pixels) in enumerate(rows)
        ]


def class_counts(superpixels: npt.ArrayLike, truth: npt.ArrayLike, n_classes: int) -> Int64Array:
    """Return the pixels of each class in every superpixel, shape (P, K); void is ignored.

    Parameters
    ----------
    superpixels : array-like of int, shape (H, W)
        Labels 0 … P−1.
    truth : array-like of int, shape (H, W)
        0 … K−1, or 255 for void.
    n_classes : int
    """
    regions, mask = np.asarray(superpixels), check_classes(truth, n_classes)
    if regions.shape != mask.shape:
        raise ValueError(f"superpixels has shape {regions.shape}, expected {mask.shape}")
    n_regions = int(regions.max()) + 1 if regions.size else 0
    known = mask != VOID
    places = regions[known].astype(np.int64) * n_classes + mask[known].astype(np.int64)
    flat = np.bincount(places, minlength=n_regions * n_classes)
    return flat.reshape(n_regions, n_classes).astype(np.int64)


def check_classes(truth: npt.ArrayLike, n_classes: int) -> AnyArray:
    """Return the mask as an array; ValueError for other values than 0 … K−1 and 255."""
    mask = np.asarray(truth)
    odd = ~(((mask >= 0) & (mask < n_classes)) | (mask == VOID))
    if odd.any():
        raise ValueError(
            f"a mask of {n_classes} classes has 0 … {n_classes - 1} and {VOID} (void) only, "
            f"got {mask[odd].flat[0]}"
        )
    return mask


def _ratio(part: AnyArray, whole: AnyArray) -> FloatArray:
    out = np.full(len(part), np.nan)
    return np.divide(part, whole, out=out, where=whole > 0)


def _mean(values: FloatArray, pixels: Int64Array) -> float:
    return float(values[pixels > 0].mean()) if (pixels > 0).any() else float("nan")


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
