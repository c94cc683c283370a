"""Charts as inline SVG; shapes carry CSS classes, and the style sheet sets the colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np
import numpy.typing as npt

from segboost._types import FloatArray


@dataclass
class Chart:
    """A chart with axes.

    Parameters
    ----------
    x, y : tuple of two floats
        The ranges of the axes; empty ranges are widened.
    title : str
        Description for screen readers; not drawn.
    size : tuple of two floats
        Width and height in SVG units.
    margin : tuple of four floats
        Left, top, right and bottom.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    title: str
    size: tuple[float, float] = (480, 320)
    margin: tuple[float, float, float, float] = (64, 14, 14, 44)
    _parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.x, self.y = _widened(self.x), _widened(self.y)

    def place(self, xs: npt.ArrayLike, ys: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the SVG coordinates of data points."""
        left, top, right, bottom = self.margin
        width, height = self.size
        u = (np.asarray(xs, float) - self.x[0]) / (self.x[1] - self.x[0])
        v = (np.asarray(ys, float) - self.y[0]) / (self.y[1] - self.y[0])
        return left + u * (width - left - right), height - bottom - v * (height - top - bottom)

    def line(self, xs: npt.ArrayLike, ys: npt.ArrayLike, kind: str) -> Chart:
        """Draw a polyline."""
        px, py = self.place(xs, np.clip(np.asarray(ys, float), *self.y))
        self._parts.append(f'<polyline class="{kind}" points="{_points(px, py)}"/>')
        return self

    def band(self, xs: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike, kind: str) -> Chart:
        """Fill the area between two curves."""
        x = np.asarray(xs, float)
        both = np.concatenate([np.asarray(low, float), np.asarray(high, float)[::-1]])
        px, py = self.place(np.concatenate([x, x[::-1]]), np.clip(both, *self.y))
        self._parts.append(f'<polygon class="{kind}" points="{_points(px, py)}"/>')
        return self

    def bars(self, edges: npt.ArrayLike, heights: npt.ArrayLike, kind: str) -> Chart:
        """Draw columns between edges, shape (B + 1,), from the bottom of the y axis."""
        px, _ = self.place(edges, np.zeros(np.asarray(edges).size))
        _, py = self.place(np.zeros(np.asarray(heights).size), heights)
        floor = self.size[1] - self.margin[3]
        shapes = [
            f"M{a:.1f} {floor:.1f}V{h:.1f}H{b:.1f}V{floor:.1f}Z"
            for a, b, h in zip(px[:-1], px[1:], py, strict=True)
            if floor - h > 0.05
        ]
        self._parts.append(f'<path class="{kind}" d="{"".join(shapes)}"/>')
        return self

    def dots(self, xs: npt.ArrayLike, ys: npt.ArrayLike, kind: str, radius: float = 4.0) -> Chart:
        """Draw a dot at every point."""
        for px, py in zip(*self.place(xs, ys), strict=True):
            self._parts.append(f'<circle class="{kind}" cx="{px:.1f}" cy="{py:.1f}" r="{radius}"/>')
        return self

    def axes(
        self,
        x_label: str = "",
        y_label: str = "",
        x_ticks: Sequence[float] | None = None,
        n_ticks: int = 5,
        percent: bool = False,
        x_names: Sequence[str] | None = None,
    ) -> Chart:
        """Draw grid, ticks and labels below everything drawn so far."""
        xs = round_ticks(*self.x, n_ticks) if x_ticks is None else list(x_ticks)
        ys = round_ticks(*self.y, n_ticks)
        names = [_number(v, percent) for v in xs] if x_names is None else list(x_names)
        left, top, right, bottom = self.margin
        width, height = self.size
        floor, parts = height - bottom, []
        for value in ys:
            _, (py,) = self.place([0], [value])
            parts.append(
                f'<line class="grid" x1="{left}" x2="{width - right}" y1="{py:.1f}" y2="{py:.1f}"/>'
            )
            parts.append(_text(left - 7, py + 4, _number(value, percent), "tick", "end"))
        for value, name in zip(xs, names, strict=True):
            (px,), _ = self.place([value], [0])
            parts.append(_text(px, floor + 17, name, "tick", "middle"))
        parts.append(
            f'<line class="axis" x1="{left}" x2="{width - right}" y1="{floor}" y2="{floor}"/>'
        )
        if x_label:
            parts.append(_text((left + width - right) / 2, height - 7, x_label, "label", "middle"))
        if y_label:
            middle = (top + floor) / 2
            parts.append(
                f'<text class="label" text-anchor="middle" transform="translate(13 {middle:.1f}) '
                f'rotate(-90)">{escape(y_label)}</text>'
            )
        self._parts[:0] = parts
        return self

    def svg(self) -> str:
        """Return the SVG element."""
        width, height = self.size
        return (
            f'<svg class="chart" viewBox="0 0 {width:g} {height:g}" role="img" '
            f'aria-label="{escape(self.title)}">{"".join(self._parts)}</svg>'
        )


def round_ticks(low: float, high: float, n: int = 5) -> list[float]:
    """Return about `n` round numbers within a range.

    Examples
    --------
    >>> round_ticks(0.0, 1.0, 5)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> round_ticks(-3.2, 3.2, 4)
    [-2.0, 0.0, 2.0]
    """
    if not high > low:
        return [low]
    rough = (high - low) / max(1, n)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]


def _widened(ends: tuple[float, float]) -> tuple[float, float]:
    low, high = ends
    if high > low:
        return low, high
    half = max(abs(low) * 0.05, 0.5)
    return low - half, high + half


def _number(value: float, percent: bool) -> str:
    if percent:
        return f"{100 * value:g}"
    return f"{value:g}".replace("-", "−")


def _text(x: float, y: float, text: str, kind: str, anchor: str) -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _points(px: FloatArray, py: FloatArray) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(px, py, strict=True))
