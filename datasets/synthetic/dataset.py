"""The built-in data set: scenes drawn from a seed, the same on every run."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from segboost._types import ByteArray
from segboost.datasets.base import LabelledImage, SegmentationDataset
from segboost.datasets.synthetic.class_scene import FOUR_CLASSES, render_class_scene
from segboost.datasets.synthetic.scene import Scene, render_scene
from segboost.io.legend import TWO_CLASSES, ClassLegend

VERSION = 1
"""Part of every key: increase it whenever the same parameters give different pixels."""

SMALLEST = 32


@dataclass(frozen=True)
class SceneRecipe:
    """The parameters of a scene."""

    seed: int
    index: int
    height: int
    width: int

    def render(self) -> Scene:
        """Return the scene; each index has its own random stream."""
        rng = np.random.default_rng([self.seed, self.index])
        return render_scene(rng, (self.height, self.width))

    def key(self) -> str:
        """Return the SHA-256 of the parameters."""
        text = f"synthetic {VERSION} {sorted(asdict(self).items())}"
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class ClassSceneRecipe(SceneRecipe):
    """The parameters of a scene of four classes."""

    def render(self) -> Scene:
        """Return the scene; each index has its own random stream."""
        rng = np.random.default_rng([self.seed, self.index])
        return render_class_scene(rng, (self.height, self.width))

    def key(self) -> str:
        """Return the SHA-256 of the parameters."""
        return hashlib.sha256(f"classes {super().key()}".encode()).hexdigest()


@dataclass(frozen=True)
class SceneSource:
    """The image or the mask of a scene, drawn at each call."""

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
    """Return the synthetic set: warm striped or checked objects among similar ones.

    Parameters
    ----------
    n_train, n_test : int
        The training images do not depend on the number of test images, and vice versa.
    seed : int
        Not negative.
    height, width : int
        In pixels, at least 32.

    Examples
    --------
    >>> data = load_synthetic(2, 1, seed=3)
    >>> data.train[0].name, data.train[0].image().shape, data.test[0].mask().shape
    ('train_000', (120, 160, 3), (120, 160))
    """
    return _dataset("synthetic", SceneRecipe, TWO_CLASSES, (n_train, n_test), seed, height, width)


def load_synthetic_classes(
    n_train: int = 40, n_test: int = 20, *, seed: int = 0, height: int = 120, width: int = 160
) -> SegmentationDataset:
    """Return synthetic scenes of four classes: sky, field, object and post.

    Parameters
    ----------
    n_train, n_test, seed, height, width : int
        As for `load_synthetic`.

    Examples
    --------
    >>> data = load_synthetic_classes(2, 1)
    >>> data.legend.names, data.train[0].mask().shape
    (('sky', 'field', 'object', 'post'), (120, 160))
    """
    sizes = n_train, n_test
    return _dataset("synthetic-classes", ClassSceneRecipe, FOUR_CLASSES, sizes, seed, height, width)


def _dataset(
    name: str,
    recipe: type[SceneRecipe],
    legend: ClassLegend,
    sizes: tuple[int, int],
    seed: int,
    height: int,
    width: int,
) -> SegmentationDataset:
    n_train, n_test = sizes
    if n_train < 0 or n_test < 0 or seed < 0:
        raise ValueError(f"n_train, n_test and seed must not be negative: {n_train, n_test, seed}")
    if min(height, width) < SMALLEST:
        raise ValueError(f"height and width must be at least {SMALLEST}, got {height}×{width}")

    def item(part: str, i: int) -> LabelledImage:
        made = recipe(seed, 2 * i + (part == "test"), height, width)
        return LabelledImage(
            f"{part}_{i:03d}", SceneSource(made, "image"), SceneSource(made, "mask")
        )

    return SegmentationDataset(
        name=name,
        train=tuple(item("train", i) for i in range(n_train)),
        test=tuple(item("test", i) for i in range(n_test)),
        notes=(f"drawn from seed {seed}, {width}×{height} pixels",),
        legend=legend,
    )
