"""Small images divided into squares, and masks for them."""

from __future__ import annotations

import numpy as np

from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage


def grid_image(rows=3, columns=4, side=5, mask=None, name="grid", groups=None, seed=0):
    """Return an image of equal square superpixels, numbered row by row."""
    numbers = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    superpixels = np.kron(numbers, np.ones((side, side), dtype=np.int32))
    across = np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()], axis=1)
    down = np.stack([numbers[:-1].ravel(), numbers[1:].ravel()], axis=1)
    edges = np.concatenate([across, down]).astype(np.int64)
    rng = np.random.default_rng(seed)
    centres = np.stack(np.divmod(np.arange(rows * columns), columns), axis=1) * side + side // 2
    image = SuperpixelImage(
        name,
        superpixels,
        np.full(rows * columns, side * side, dtype=np.int64),
        centres.astype(np.int64),
        edges,
        np.full(len(edges), float(side)),
        rng.uniform(0, 50, len(edges)),
        groups or {},
    )
    return image if mask is None else image.with_truth(mask)


def half_mask(rows=3, columns=4, side=5):
    """Return a mask with foreground in the left half."""
    mask = np.zeros((rows * side, columns * side), dtype=np.uint8)
    mask[:, : columns * side // 2] = 1
    return mask


def images_and_scores(n=8, noise=1.5, seed=0):
    """Return images whose left half is foreground, and three noisy scores of their superpixels."""
    rng = np.random.default_rng(seed)
    images = [grid_image(6, 8, 4, half_mask(6, 8, 4), name=f"image {i}", seed=i) for i in range(n)]
    scores = [(2 * im.labels - 1)[:, None] + rng.normal(scale=noise, size=(48, 3)) for im in images]
    return images, scores
