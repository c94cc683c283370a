"""Segment large images at a smaller size, and scale the result back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from segboost._types import AnyArray, ByteArray
from segboost.features.image import ImageLike, as_rgb
from segboost.pipelines.segmentation.images.training_image import TrainingImage

Shape = tuple[int, int]


def working_shape(shape: Shape, longest_side: int | None) -> Shape:
    """Return height and width, scaled down if a side exceeds `longest_side`.

    Examples
    --------
    >>> working_shape((3000, 4000), 800), working_shape((480, 640), 800)
    ((600, 800), (480, 640))
    """
    if longest_side is None or max(shape) <= longest_side:
        return shape
    scale = longest_side / max(shape)
    return max(1, round(shape[0] * scale)), max(1, round(shape[1] * scale))


def image_shape(image: ImageLike) -> Shape:
    """Return height and width of an image."""
    if isinstance(image, Image.Image):
        return image.height, image.width
    height, width = np.shape(image)[:2]
    return height, width


def reduce_image(image: ImageLike, longest_side: int | None) -> ImageLike:
    """Return the image; if it is too large, scaled down to its working shape as uint8.

    Parameters
    ----------
    image : ndarray or PIL.Image.Image
        Anything that `as_rgb` accepts; arrays with more than three channels keep them.
    longest_side : int or None
    """
    if longest_side is None:
        return image
    shape = image_shape(image)
    height, width = working_shape(shape, longest_side)
    if (height, width) == shape:
        return image
    if isinstance(image, np.ndarray) and image.ndim == 3 and image.shape[2] > 3:
        planes = [_shrink(image[..., n], (width, height)) for n in range(image.shape[2])]
        return np.stack(planes, axis=2)
    return _shrink(to_bytes(image), (width, height))


def _shrink(pixels: ByteArray, size: tuple[int, int]) -> ByteArray:
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    return np.asarray(picture.resize(size, Image.Resampling.BOX))


def to_bytes(image: ImageLike) -> ByteArray:
    """Return an image of any kind as uint8 RGB, shape (H, W, 3)."""
    if isinstance(image, np.ndarray) and image.dtype == np.uint8 and image.ndim == 3:
        return (
            np.ascontiguousarray(image[..., :3]) if image.shape[2] >= 3 else to_bytes(image[..., 0])
        )
    return np.rint(as_rgb(image) * 255).astype(np.uint8)


def resize_labels(labels: AnyArray, shape: Shape) -> AnyArray:
    """Return a label map in another size; each pixel gets the label of the nearest centre.

    Examples
    --------
    >>> resize_labels(np.array([[1, 2], [3, 4]]), (4, 2)).tolist()
    [[1, 2], [1, 2], [3, 4], [3, 4]]
    """
    if labels.shape[:2] == tuple(shape):
        return labels
    rows, columns = (
        ((np.arange(new) + 0.5) * old / new).astype(np.intp)
        for new, old in zip(shape, labels.shape[:2], strict=True)
    )
    return np.ascontiguousarray(labels[rows][:, columns])


@dataclass(frozen=True)
class ReducedImage:
    """A labelled image at its working size.

    Parameters
    ----------
    item : TrainingImage
    longest_side : int
    """

    item: TrainingImage
    longest_side: int

    @property
    def name(self) -> str:
        """The name of the image."""
        return str(self.item.name)

    def image(self) -> ByteArray:
        """Return the pixels, shape (h, w, channels)."""
        return np.asarray(reduce_image(self.item.image(), self.longest_side))

    def mask(self) -> ByteArray:
        """Return the mask, shape (h, w)."""
        mask = self.item.mask()
        small: ByteArray = resize_labels(mask, working_shape(mask.shape, self.longest_side))
        return small

    def image_key(self) -> str:
        """Return a digest of the image and its size."""
        return self._key(self.item.image_key())

    def mask_key(self) -> str:
        """Return a digest of the mask and its size."""
        return self._key(self.item.mask_key())

    def _key(self, key: str) -> str:
        return hashlib.sha256(f"{key} at {self.longest_side}".encode()).hexdigest()


def reduce_items(items: Sequence[TrainingImage], longest_side: int | None) -> list[TrainingImage]:
    """Return labelled images at their working size, or unchanged if there is no limit."""
    if longest_side is None:
        return list(items)
    return [i if isinstance(i, ReducedImage) else ReducedImage(i, longest_side) for i in items]
