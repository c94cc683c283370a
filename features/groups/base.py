"""The feature group protocol and the built-in groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from segboost._types import Float32Array
from segboost.features.groups import region_context
from segboost.features.groups.colour import colour_columns, colour_histograms
from segboost.features.groups.gist import ORIENTATIONS, SCALES, gist_patches, gist_response
from segboost.features.groups.hog import CHANNELS, hog_patches, hog_response
from segboost.features.groups.lbp import PATTERNS, lbp_patches, lbp_response
from segboost.features.groups.words import Codebook, word_histograms
from segboost.features.image_context import ImageContext
from segboost.features.setting_checks import Number, check_settings

Range = tuple[Float32Array, Float32Array]
"""The minimum and maximum of each column, with shapes that broadcast to (d,)."""


@runtime_checkable
class FeatureGroup(Protocol):
    """A named feature matrix with one row per superpixel."""

    @property
    def name(self) -> str:
        """The name of the group, unique in a preset."""
        ...

    def compute(self, context: ImageContext) -> Float32Array:
        """Return the features of an image, shape (P, d), finite."""
        ...

    def columns(self, width: int) -> tuple[str, ...]:
        """Return the names of the d = `width` columns."""
        ...

    def value_range(self) -> Range | None:
        """Return the range of the columns, or None if it is not known in advance.

        Only groups with a range can be rounded to uint8; it must not depend on the image.
        """
        ...

    def to_config(self) -> dict[str, Any]:
        """Return the group as JSON values."""
        ...


PATCH = Number(4, 1020, whole=True)
"""Sides of patches in pixels."""


def _range(low: float, high: float) -> Range:
    return np.array([low], np.float32), np.array([high], np.float32)


def _cells(names: list[str]) -> tuple[str, ...]:
    return tuple(f"cell ({a},{b}) {name}" for a in range(4) for b in range(4) for name in names)


_HOG_COLUMNS = _cells(
    [f"signed {n:02d}" for n in range(18)]
    + [f"unsigned {n}" for n in range(9)]
    + [f"texture {n}" for n in range(4)]
)
_LBP_COLUMNS = _cells([f"pattern {n:02d}" for n in range(PATTERNS)])
_GIST_COLUMNS = _cells([f"scale {s} turn {t}" for s in range(SCALES) for t in range(ORIENTATIONS)])


@dataclass(frozen=True)
class PatchGroup:
    """HOG, LBP or GIST on square patches of one size, centred on the superpixels.

    Parameters
    ----------
    kind : {"hog", "lbp", "gist"}
    size : int
        The side of the patch in pixels, a multiple of 4: a cell is a quarter of it.
    smallest : int
        The smallest patch of the preset, which determines the sampling step of GIST.
    """

    kind: str
    size: int
    smallest: int

    def __post_init__(self) -> None:
        if self.kind not in ("hog", "lbp", "gist"):
            raise ValueError(f"kind: expected 'hog', 'lbp' or 'gist', got {self.kind!r}")
        check_settings(self, {"size": PATCH, "smallest": PATCH})
        if self.size % 4:
            raise ValueError(f"size: expected a multiple of 4 from 4 to 1020, got {self.size}")

    @property
    def name(self) -> str:
        """The kind and the size, for example ``hog32``."""
        return f"{self.kind}{self.size}"

    def compute(self, context: ImageContext) -> Float32Array:
        """Return the descriptors of the patches around all superpixels."""
        largest = max(context.largest_patch, self.size)
        if self.kind == "hog":
            hog = context.keep_latest(("hog", largest), lambda: hog_response(context.rgb, largest))
            return hog_patches(hog, context.centres, self.size)
        if self.kind == "lbp":
            lbp = context.keep_latest(("lbp", largest), lambda: lbp_response(context.grey, largest))
            return lbp_patches(lbp, context.centres, self.size)
        gist = context.keep_latest(
            ("gist", largest, self.smallest),
            lambda: gist_response(context.grey, largest, self.smallest),
        )
        return gist_patches(gist, context.centres, self.size)

    def columns(self, width: int) -> tuple[str, ...]:
        """Return the cell and the channel of each column."""
        return {"hog": _HOG_COLUMNS, "lbp": _LBP_COLUMNS, "gist": _GIST_COLUMNS}[self.kind]

    def value_range(self) -> Range:
        """Return the bounds of the descriptor; Gabor energies are clipped at 0.5."""
        if self.kind == "hog":
            high = np.full(CHANNELS, 0.4, np.float32)
            high[27:] = 0.2357 * 18 * 0.2
            return np.zeros(16 * CHANNELS, np.float32), np.tile(high, 16)
        return _range(0, 1) if self.kind == "lbp" else _range(0, 0.5)

    def to_config(self) -> dict[str, Any]:
        """Return kind and sizes."""
        return {"kind": self.kind, "size": self.size, "smallest": self.smallest}


@dataclass(frozen=True, eq=False)
class WordGroup:
    """Histograms of visual words over superpixels and their neighbours up to `steps` away.

    The codebook is learned from training images and set by `Preset.with_codebook`.
    """

    steps: int = 2
    codebook: Codebook | None = None

    def __post_init__(self) -> None:
        check_settings(self, {"steps": Number(0, 50, whole=True)}, "words")

    @property
    def name(self) -> str:
        """``words`` for the default of two steps, otherwise with the number of steps."""
        return "words" if self.steps == 2 else f"words{self.steps}"

    def compute(self, context: ImageContext) -> Float32Array:
        """Return the square roots of the word frequencies."""
        if self.codebook is None:
            raise ValueError(
                "codebook: visual words need a codebook; learn one from training images with "
                "segboost.features.learn_codebook(images)"
            )
        return word_histograms(context, self.codebook, self.steps)

    def columns(self, width: int) -> tuple[str, ...]:
        """Return the number of each word."""
        return tuple(f"word {n:03d}" for n in range(width))

    def value_range(self) -> Range:
        """Return the bounds of the square root of a frequency."""
        return _range(0, 1)

    def to_config(self) -> dict[str, Any]:
        """Return the number of steps; the codebook is stored separately, as arrays."""
        return {"kind": "words", "steps": self.steps}


@dataclass(frozen=True)
class BuiltinGroup:
    """A built-in group without parameters: colour, position, neighbourhood, shape or context."""

    kind: str
    function: Callable[[ImageContext], Float32Array] = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    range: Range | None = field(repr=False, compare=False, default=None)

    @property
    def name(self) -> str:
        """The kind."""
        return self.kind

    def compute(self, context: ImageContext) -> Float32Array:
        """Return the features of an image."""
        return self.function(context)

    def columns(self, width: int) -> tuple[str, ...]:
        """Return the names of the columns."""
        return self.names

    def value_range(self) -> Range | None:
        """Return the bounds, or None."""
        return self.range

    def to_config(self) -> dict[str, Any]:
        """Return the kind."""
        return {"kind": self.kind}


COLOUR = BuiltinGroup("colour", colour_histograms, colour_columns(), _range(0, 1))
POSITION = BuiltinGroup("position", region_context.position, region_context.POSITION)
NEIGHBOURHOOD = BuiltinGroup(
    "neighbourhood", region_context.neighbourhood_colour, region_context.NEIGHBOURHOOD
)
SHAPE = BuiltinGroup("shape", region_context.region_shape, region_context.SHAPE)
CONTEXT = BuiltinGroup("context", region_context.larger_context, region_context.CONTEXT)
BUILTIN = {group.kind: group for group in (COLOUR, POSITION, NEIGHBOURHOOD, SHAPE, CONTEXT)}
