"""The built-in data set: scenes drawn from a seed, the same on every run."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from segboost._types import ByteArray
from segboost.datasets.base import LabelledImage, SegmentationDataset
from segboost.datasets.synthetic.scene import Scene, render_scene

VERSION = 1
"""Part of every key: to be raised whenever the same parameters draw other pixels."""

SMALLEST = 32


@dataclass(frozen=True)
class SceneRecipe:
    """All that a scene depends on."""

    seed: int
    index: int
    height: int
    width: int

    def render(self) -> Scene:
        """Return the scene; each index has a random stream of its own."""
        rng = np.random.default_rng([self.seed, self.index])
        return render_scene(rng, (self.height, self.width))

    def key(self) -> str:
        """Return the SHA-256 of the parameters."""
        text = f"synthetic {VERSION} {sorted(asdict(self).items())}"
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class SceneSource:
    """One side of a scene: its image or its mask, drawn at each call."""

    recipe: SceneRecipe
    side: str
    paths: tuple[Path, ...] = ()

    def load(self) -> ByteArray:
        """Draw the scene."""
        scene = self.recipe.render()
        return scene.image if self.side == "image" else scene.mask

    def key(self) -> str:
        """Return a key of the recipe and the side."""
        return hashlib.sha256(f"{self.side} {self.recipe.key()}".encode()).hexdigest()


def load_synthetic(
    n_train: int = 60, n_test: int = 40, *, seed: int = 0, height: int = 120, width: int = 160
) -> SegmentationDataset:
    """Return the synthetic set: warm striped or checked objects among what resembles them.

    Parameters
    ----------
    n_train, n_test : int
        The training images are the same whatever the number of test images, and vice versa.
    seed : int
        Not negative.
    height, width : int
        In pixels, 32 at least.

    Examples
    --------
    >>> data = load_synthetic(2, 1, seed=3)
    >>> data.train[0].name, data.train[0].image().shape, data.test[0].mask().shape
    ('train_000', (120, 160, 3), (120, 160))
    """
    if n_train < 0 or n_test < 0 or seed < 0:
        raise ValueError(f"n_train, n_test and seed must not be negative: {n_train, n_test, seed}")
    if min(height, width) < SMALLEST:
        raise ValueError(f"height and width must be {SMALLEST} at least, got {height}×{width}")

    def item(part: str, i: int) -> LabelledImage:
        recipe = SceneRecipe(seed, 2 * i + (part == "test"), height, width)
        name = f"{part}_{i:03d}"
        return LabelledImage(name, SceneSource(recipe, "image"), SceneSource(recipe, "mask"))

    return SegmentationDataset(
        name="synthetic",
        train=tuple(item("train", i) for i in range(n_train)),
        test=tuple(item("test", i) for i in range(n_test)),
        notes=(f"drawn from seed {seed}, {width}×{height} pixels",),
    )
