"""Predictions for the images of a folder, from the trained model or the live one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from segboost._types import ByteArray, FloatArray
from segboost.io.legend import VOID
from segboost.label.images import FolderImage
from segboost.label.live.learner import LiveLearner, Painting
from segboost.label.masks import UNPAINTED, MaskFolder
from segboost.label.project import LabelProject
from segboost.label.reading import read_pixels
from segboost.pipelines.segmentation.images.working_size import reduce_items, resize_labels
from segboost.pipelines.segmentation.model.large_image import segment_image
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter, load_segmenter


@dataclass(frozen=True, eq=False)
class PredictedImage:
    """The classes of an image, 0 … K−1, and their probabilities.

    Parameters
    ----------
    mask : ndarray of uint8, shape (H, W)
    probability : callable
        Returns the probability of a class k at every pixel, shape (H, W).
    """

    mask: ByteArray
    probability: Callable[[int], FloatArray]

    def with_paint(self, painted: ByteArray) -> PredictedImage:
        """Return the prediction with painted pixels set to their class, with certainty.

        Parameters
        ----------
        painted : ndarray of uint8, shape (H, W)
            0 … K−1, and 255 where nothing is painted.
        """
        known = painted != VOID
        before = self.probability

        def probability(k: int) -> FloatArray:
            return np.where(known, painted == k, before(k)).astype(np.float64)

        return PredictedImage(np.where(known, painted, self.mask).astype(np.uint8), probability)


class PredictionSource(Protocol):
    """Predicts images, one at a time."""

    def __call__(self, image: FolderImage) -> PredictedImage:
        """Return the prediction for an image."""


class TrainedSource:
    """Predicts with the trained model, as `segboost segment` does.

    Parameters
    ----------
    project : LabelProject
    """

    def __init__(self, project: LabelProject) -> None:
        self.model: Segmenter = load_segmenter(project.model, project.config().imports)
        # Classes of the page may have been added or removed since.
        known = project.classes().index_table()
        self._table = known[list(project.model_values())]

    def __call__(self, image: FolderImage) -> PredictedImage:
        """Return the prediction for an image."""
        found = segment_image(self.model, read_pixels(image.path), image.name)
        shares = self.model.probabilities(found.scores)
        if shares.ndim == 2:
            shares = np.stack([1 - shares, shares], axis=-1)

        def probability(k: int) -> FloatArray:
            total: FloatArray = shares[..., np.flatnonzero(self._table == k)].sum(axis=-1)
            return total

        return PredictedImage(self._table[found.mask], probability)


class LiveSource:
    """Predicts with the live model, fitted to the masks on the disk.

    Parameters
    ----------
    project : LabelProject
    images : list of FolderImage
    masks : MaskFolder

    Raises
    ------
    ValueError
        If fewer than two classes are painted.
    """

    def __init__(self, project: LabelProject, images: list[FolderImage], masks: MaskFolder) -> None:
        self.project = project
        self.stage = project.features()
        self.learner = LiveLearner(project, self.stage)
        versions = {i.path.name: masks.version(i) for i in images}
        painted = {name: version for name, version in versions.items() if version != UNPAINTED}
        for name in painted:
            self._describe(name)
        stamps = {i.path.name: i.stamp for i in images}
        painting = Painting(painted, stamps, project.classes().values)
        if not self.learner.update(painting):
            raise ValueError("paint at least two classes before exporting predictions")

    def _describe(self, name: str) -> None:
        side = self.project.config().longest_side
        self.stage.make(reduce_items([self.project.item(name)], side)[0])

    def __call__(self, image: FolderImage) -> PredictedImage:
        """Return the prediction for an image."""
        name = image.path.name
        self._describe(name)
        made = self.learner.predict(name, image.stamp)
        described = self.learner.described(name, image.stamp)
        assert made is not None
        assert described is not None
        regions = resize_labels(described.image.superpixels, image.shape)
        return PredictedImage(made.label[regions], lambda k: made.probability[:, k][regions])
