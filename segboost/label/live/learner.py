"""The live model of a folder: reads masks and features, refits and predicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from segboost._types import ByteArray, Float32Array, FloatArray, Int64Array
from segboost.datasets.images.masks import read_values
from segboost.label.live.fitting import fit_painted, probabilities, smooth
from segboost.label.live.linear_model import LinearModel
from segboost.label.live.offering import MOST_IMAGES, offer_gain
from segboost.label.live.painted import (
    DescribedImage,
    PaintedRows,
    RecentCache,
    class_counts,
    image_counts,
    painted_rows,
)
from segboost.label.prediction import Prediction, mean_entropy
from segboost.label.project import LabelProject
from segboost.pipelines.segmentation.images.working_size import reduce_items, resize_labels
from segboost.pipelines.segmentation.stages.features import FeatureStage


@dataclass(frozen=True)
class Painting:
    """The painted images and the classes.

    Parameters
    ----------
    masks : mapping of str to str
        The version of the mask of every painted image, by file name.
    stamps : mapping of str to str
        The stamps of all usable images.
    values : tuple of int
        The values of the classes in masks, in increasing order.
    """

    masks: Mapping[str, str]
    stamps: Mapping[str, str]
    values: tuple[int, ...]


class _PaintedKey(NamedTuple):
    """What the painted superpixels of an image depend on."""

    name: str
    stamp: str
    mask_version: str
    values: tuple[int, ...]


class LiveLearner:
    """Keeps features, painted superpixels and the last weights in memory.

    Parameters
    ----------
    project : LabelProject
    stage : FeatureStage
    """

    def __init__(self, project: LabelProject, stage: FeatureStage) -> None:
        self.project = project
        self.stage = stage
        self.model: LinearModel | None = None
        self._longest_side = project.config().longest_side
        self._values: tuple[int, ...] = ()
        self._seen = np.zeros(0, bool)
        self._images = RecentCache[tuple[str, str], DescribedImage]()
        self._means: dict[tuple[str, str], Float32Array] = {}
        self._rows: dict[_PaintedKey, PaintedRows] = {}

    def update(self, painting: Painting, check: Callable[[], Any] = lambda: None) -> bool:
        """Refit the model; return whether there is one: two classes must be painted.

        Images whose features are not in the store yet are left out.
        """
        if painting.values != self._values:
            self.model, self._values = None, painting.values
        rows: dict[_PaintedKey, PaintedRows] = {}
        for name in sorted(painting.masks):
            check()
            stamp = painting.stamps.get(name, "")
            key = _PaintedKey(name, stamp, painting.masks[name], painting.values)
            found = self._rows.get(key) or self._paint(key)
            if found is not None and len(found.node):
                rows[key] = found
        self._rows = rows
        shown = {key.name: part for key, part in rows.items()}
        self._seen = image_counts(shown, len(painting.values)) > 0
        if self._seen.sum() < 2:
            self.model = None
            return False
        self.model = fit_painted(list(shown.values()), len(painting.values), self.model, check)
        return True

    def predict(self, name: str, stamp: str, mask_version: str = "") -> Prediction | None:
        """Return the prediction for an image; None without a model or without its features."""
        found = self.described(name, stamp)
        if found is None or self.model is None:
            return None
        logits = self.logits(found)
        painted: Int64Array | None = None
        if mask_version:
            painted = self._counts(found, name)
        label = smooth(found.image, logits, painted)
        share = probabilities(logits)
        return Prediction(label.astype(np.uint8), share, mean_entropy(share, found.image.area))

    def uncertainty(self, name: str, stamp: str) -> float | None:
        """Return the mean entropy of an image, without smoothing."""
        found = self.described(name, stamp)
        if found is None or self.model is None:
            return None
        self._mean(name, stamp)  # while its features are in memory
        return mean_entropy(probabilities(self.logits(found)), found.image.area)

    def offer(self, painting: Painting, unsure: Mapping[str, float]) -> str | None:
        """Return the name of the unpainted image to label next; None if there is none.

        Parameters
        ----------
        painting : Painting
        unsure : mapping of str to float
            The uncertainties of the images with features.
        """
        free = sorted((n for n in unsure if n not in painting.masks), key=lambda n: -unsure[n])
        if not free:
            return None
        painted = [n for n in unsure if n in painting.masks]
        names = [*free[:MOST_IMAGES], *painted[:MOST_IMAGES]]
        means = np.stack([self._mean(n, painting.stamps[n]) for n in names])
        known = np.array([n in painting.masks for n in names])
        gain = offer_gain(means, np.array([unsure[n] for n in names]), known)
        best = int(np.argmax(gain))
        return names[best] if not known[best] else free[0]

    def _mean(self, name: str, stamp: str) -> Float32Array:
        key = (name, stamp)
        if key not in self._means:
            found = self.described(name, stamp)
            assert found is not None
            self._means[key] = found.table.mean(axis=0, dtype=np.float64).astype(np.float32)
        return self._means[key]

    def logits(self, found: DescribedImage) -> FloatArray:
        """Return the logits of the superpixels; −inf for classes that are painted nowhere."""
        assert self.model is not None
        return np.where(self._seen, self.model.logits(found.table), -np.inf)

    def described(self, name: str, stamp: str) -> DescribedImage | None:
        """Return an image with its features; None if they are not in the store."""
        return self._images.get((name, stamp), lambda: self._read(name))

    def _read(self, name: str) -> DescribedImage | None:
        item = reduce_items([self.project.item(name)], self._longest_side)[0]
        if not self.stage.has(item):
            return None
        groups: Sequence[Any] = [self.stage.group(item, g.name) for g in self.stage.preset.groups]
        if any(g.dtype != np.uint8 for g in groups):
            groups = [g.astype(np.float32) for g in groups]
        return DescribedImage(self.stage.graph(item, with_truth=False), np.concatenate(groups, 1))

    def _paint(self, key: _PaintedKey) -> PaintedRows | None:
        found = self.described(key.name, key.stamp)
        if found is None:
            return None
        return painted_rows(found, self._mask(found, key.name), len(self._values))

    def _counts(self, found: DescribedImage, name: str) -> Int64Array:
        mask = self._mask(found, name)
        area = found.image.area
        return class_counts(found.image.superpixels, mask, len(self._values), len(area))

    def _mask(self, found: DescribedImage, name: str) -> ByteArray:
        """Return the mask of an image with class numbers, at the size of its superpixels."""
        values = read_values(self.project.mask_path(name)).values
        table = np.full(256, 255, np.uint8)
        table[list(self._values)] = np.arange(len(self._values))
        return resize_labels(table[values], found.image.superpixels.shape).astype(np.uint8)
