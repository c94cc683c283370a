"""Outlines of synthetic scenes: wheels and frames, blobs, polygons, bars."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from segboost._types import BoolArray, FloatArray

OBJECT_SHAPES = ("wheels", "blob", "polygon")


def draw_shape(
    rng: np.random.Generator, kind: str, shape: tuple[int, int], size: float
) -> BoolArray:
    """Return a mask of one outline at a random place.

    Parameters
    ----------
    rng : Generator
    kind : str
        One of `OBJECT_SHAPES`.
    shape : (int, int)
        Height and width of the mask.
    size : float
        Radius in pixels; wheels with a frame extend about 1.4 times as far.
    """
    height, width = shape
    centre = np.array([rng.uniform(0.12, 0.88) * width, rng.uniform(0.2, 0.85) * height])
    canvas = Image.new("1", (width, height))
    pen = ImageDraw.Draw(canvas)
    if kind == "wheels":
        _wheels(rng, pen, centre, 1.25 * size)
    elif kind == "blob":
        _fill(pen, _blob(rng, centre, size))
    else:
        _fill(pen, _polygon(rng, centre, size))
    return np.array(canvas, dtype=bool)


def draw_bar(rng: np.random.Generator, shape: tuple[int, int], thickness: float) -> BoolArray:
    """Return a mask of a straight bar across the whole image, nearly vertical or horizontal."""
    height, width = shape
    canvas = Image.new("1", (width, height))
    if rng.random() < 0.7:
        low, high = rng.uniform(0.1, 0.9) + rng.normal(0, 0.06, 2)
        line = [(low * width, -2.0), (high * width, height + 2.0)]
    else:
        low, high = rng.uniform(0.3, 0.95) + rng.normal(0, 0.05, 2)
        line = [(-2.0, low * height), (width + 2.0, high * height)]
    ImageDraw.Draw(canvas).line(line, fill=1, width=max(1, round(thickness)))
    return np.array(canvas, dtype=bool)


def _fill(pen: ImageDraw.ImageDraw, points: FloatArray) -> None:
    pen.polygon([(float(x), float(y)) for x, y in points], fill=1)


def _blob(rng: np.random.Generator, centre: FloatArray, radius: float) -> FloatArray:
    """Return a smooth closed curve: a circle with three random harmonics."""
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    around = np.ones_like(angle)
    for k in (2, 3, 4):
        around += rng.normal(0, 0.28 / k) * np.cos(k * angle + rng.uniform(0, 2 * np.pi))
    stretch = np.array([rng.uniform(0.9, 1.35), rng.uniform(0.7, 1.0)])
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return centre + radius * stretch * around.clip(0.3)[:, None] * circle


def _polygon(rng: np.random.Generator, centre: FloatArray, radius: float) -> FloatArray:
    """Return a star-shaped polygon of 4 to 7 corners."""
    n_corners = int(rng.integers(4, 8))
    angle = 2 * np.pi * (np.arange(n_corners) + rng.uniform(-0.3, 0.3, n_corners)) / n_corners
    angle += rng.uniform(0, 2 * np.pi)
    length = radius * rng.uniform(0.75, 1.35, n_corners)
    return centre + length[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def _wheels(
    rng: np.random.Generator,
    pen: ImageDraw.ImageDraw,
    centre: FloatArray,
    half: float,
) -> None:
    """Draw two rings joined by a frame of bars: thin parts with ground between them."""
    tilt = rng.normal(0, 0.15)
    axis = np.array([np.cos(tilt), np.sin(tilt)])
    up = np.array([axis[1], -axis[0]])
    radius, bar = 0.5 * half, max(3, round(0.16 * half))
    left, right = centre - 0.6 * half * axis, centre + 0.6 * half * axis
    pedal = centre - 0.05 * half * axis
    seat = centre - 0.2 * half * axis + rng.uniform(0.6, 0.8) * half * up
    handle = centre + 0.45 * half * axis + rng.uniform(0.65, 0.85) * half * up
    for wheel in (left, right):
        corners = [tuple(wheel - radius), tuple(wheel + radius)]
        pen.ellipse(corners, outline=1, width=bar)
    for start, end in ((left, seat), (left, pedal), (pedal, seat), (pedal, handle), (seat, handle)):
        pen.line([tuple(start), tuple(end)], fill=1, width=bar)
    pen.line([tuple(handle), tuple(right)], fill=1, width=bar)
