"""Settings of single stages: the classifiers of feature groups, and the potentials of the CRF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from segboost.features.network.efficientnet import LAYERS
from segboost.pipelines.segmentation.config.checks import changed_settings

Loss = Literal["superpixels", "pixels"]


@dataclass(frozen=True)
class UnarySettings:
    """How the first-stage classifiers are trained.

    Parameters
    ----------
    n_stumps : int
        Rounds of AdaBoost; 1000 in the paper.
    most_foreground, most_background : int
        Superpixels of either class that one classifier sees at most; drawn at random, and
        weighted so that the classes keep their shares.
    n_folds : int
        Contiguous blocks of training images that the out-of-fold scores leave out in turn.
    """

    n_stumps: int = 1000
    most_foreground: int = 15_000
    most_background: int = 30_000
    n_folds: int = 5


@dataclass(frozen=True)
class PotentialSettings:
    """Which pairwise potentials there are and how the loss counts.

    Parameters
    ----------
    beta : float
        Of ``V1 = exp(−β‖ΔLUV‖)``; 1 in the paper.
    contrasts : tuple of float
        For each β here a potential ``length · exp(−β‖ΔLUV‖)``; the paper has none.
    agreement : bool
        Whether there are potentials of neighbours whose two strong scores agree:
        ``length · exp(−|Δc|)``, ``length · exp(−0.07‖ΔLUV‖ − |Δc|)`` and ``length · exp(−2|Δt|)``
        for context c and trees t.
    loss : "superpixels" or "pixels"
        The Hamming loss counts superpixels, or their labelled pixels.
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
class BorderSettings:
    """How the borders of superpixels are refined pixel by pixel.

    Parameters
    ----------
    refine : bool
        Whether pixels near the border of the foreground are classified one by one.
    width : int
        The distance from the border, in pixels, up to which they are.
    pixels_per_image : int
        How many of them are learned from, per training image.
    layers : tuple of str
        Layers of the built-in network that describe a pixel, beside colours and margins.
    scale : float
        The scale of the image at which the network sees it.
    """

    refine: bool = True
    width: int = 4
    pixels_per_image: int = 1000
    layers: tuple[str, ...] = ("stage3", "stage5")
    scale: float = 2.0

    def __post_init__(self) -> None:
        unknown = [layer for layer in self.layers if layer not in LAYERS]
        if unknown or not self.layers:
            known = ", ".join(LAYERS)
            raise ValueError(f"borders.layers must be of {known}, got {unknown[:1] or 'none'}")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the settings of a JSON document; ValueError for wrong types and ranges."""
        changed: Self = changed_settings(cls(), values, "borders.")
        return changed
