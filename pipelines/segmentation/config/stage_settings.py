"""Settings of single stages: group classifiers, potentials of the CRF, border refinement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from segboost.features.network.efficientnet import LAYERS
from segboost.pipelines.segmentation.config.checks import changed_settings

Loss = Literal["superpixels", "pixels", "balanced"]
Measure = Literal["mean_iou", "mean_recall", "accuracy"]


@dataclass(frozen=True)
class UnarySettings:
    """How the first-stage classifiers are trained.

    Parameters
    ----------
    n_stumps : int
        Rounds of AdaBoost; 1000 in the paper.
    most_foreground, most_background : int
        Maximum number of superpixels of each class that one classifier learns from; drawn at
        random, and weighted so that the classes keep their shares.
    n_folds : int
        Number of contiguous blocks of training images that out-of-fold scores leave out in turn.
    """

    n_stumps: int = 1000
    most_foreground: int = 15_000
    most_background: int = 30_000
    n_folds: int = 5


@dataclass(frozen=True)
class PotentialSettings:
    """Which pairwise potentials are used, and how the loss is counted.

    Parameters
    ----------
    beta : float
        β of ``V1 = exp(−β‖ΔLUV‖)``; 1 in the paper.
    contrasts : tuple of float
        Each β adds a potential ``length · exp(−β‖ΔLUV‖)``; the paper has none.
    agreement : bool
        Whether to add potentials of neighbours whose two strong scores agree:
        ``length · exp(−|Δc|)``, ``length · exp(−0.07‖ΔLUV‖ − |Δc|)`` and ``length · exp(−2|Δt|)``
        for context c and trees t.
    loss : "superpixels", "pixels" or "balanced"
        The Hamming loss counts superpixels, or their labelled pixels, or these weighted inversely
        to the number of pixels of their class.
    """

    beta: float = 1.0
    contrasts: tuple[float, ...] = (0.07, 0.02, 0.2)
    agreement: bool = False
    loss: Loss = "superpixels"

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the settings of a JSON document; ValueError for wrong types and ranges."""
        changed: Self = changed_settings(cls(), values, "potentials.")
        return changed


@dataclass(frozen=True)
class LinearSettings:
    """How the linear classifier that replaces the trees learns, and how its labels are smoothed.

    Parameters
    ----------
    regularisation : float
        scikit-learn's C: the weight of the summed loss against the squared norm, on columns of
        unit deviation.
    balanced : int
        With up to this many images, both classes have the same total weight; with more, n, a pixel
        weighs the number of labelled pixels of its class to the power of −balanced / n. 0 counts
        all pixels equally. Meant for strokes: how much of each class is painted says little about
        new images.
    smoothness : float
        If positive, the CRF is not learned but fixed: a border between superpixels costs
        ``smoothness · length · exp(−contrast · ‖ΔLUV‖)`` per side length of a superpixel, against
        −log p per area. Strokes hardly ever label both sides of a border.
    contrast : float
    """

    regularisation: float = 1e-3
    balanced: int = 0
    smoothness: float = 0.0
    contrast: float = 0.3


@dataclass(frozen=True)
class BorderSettings:
    """How the borders of superpixels are refined pixel by pixel.

    Parameters
    ----------
    refine : bool
        Whether pixels near borders between classes are classified one by one.
    width : int
        Maximum distance of these pixels from the border.
    pixels_per_image : int
        Number of these pixels to learn from, per training image.
    layers : tuple of str
        Layers of the built-in network used as pixel features, in addition to colours and margins;
        may be empty.
    scale : float
        Scale of the image given to the network.
    """

    refine: bool = True
    width: int = 4
    pixels_per_image: int = 1000
    layers: tuple[str, ...] = ("stage3", "stage5")
    scale: float = 2.0

    def __post_init__(self) -> None:
        unknown = [layer for layer in self.layers if layer not in LAYERS]
        if unknown:
            known = ", ".join(LAYERS)
            raise ValueError(f"borders.layers must be among {known}, got {unknown[0]!r}")

    @property
    def wanted_maps(self) -> tuple[tuple[float, str], ...]:
        """Scale and layer of the network maps used as pixel features."""
        return tuple((self.scale, layer) for layer in self.layers)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the settings of a JSON document; ValueError for wrong types and ranges."""
        changed: Self = changed_settings(cls(), values, "borders.")
        return changed
