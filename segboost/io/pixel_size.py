"""Physical size of a pixel, as image files record it."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class PixelSize:
    """Width and height of a pixel.

    Parameters
    ----------
    x, y : float
        Positive.
    unit : str
        For example "µm".

    Raises
    ------
    ValueError
        If a size is not positive and finite, or the unit is empty.
    """

    x: float
    y: float
    unit: str

    def __post_init__(self) -> None:
        for name, value in (("x", self.x), ("y", self.y)):
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"pixel size {name}: expected a positive number, got {value}")
        if not self.unit:
            raise ValueError("unit: expected a name such as µm, got nothing")

    @property
    def is_square(self) -> bool:
        """Whether width and height are equal up to rounding."""
        return math.isclose(self.x, self.y, rel_tol=1e-6)
