"""Textures of synthetic scenes: filtered noise, stripes and checks in two colours."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from segboost._types import Float32Array

PATTERNS = ("blotches", "grain", "stripes", "checks")
"""The first two are for grounds, the last two for objects."""


@dataclass(frozen=True)
class Texture:
    """A pattern in two colours.

    Parameters
    ----------
    pattern : str
        One of `PATTERNS`.
    dark, light : tuple of float
        RGB in [0, 1].
    period : float
        Of stripes and checks, and the grain of noise, in pixels.
    angle : float
        Of stripes and checks, in radians.
    """

    pattern: str
    dark: tuple[float, float, float]
    light: tuple[float, float, float]
    period: float
    angle: float


def draw_texture(rng: np.random.Generator, pattern: str, hue: float) -> Texture:
    """Return a texture of a pattern whose two colours lie near a hue (0 and 1 are red)."""
    saturation = rng.uniform(0.25, 0.6)
    value = rng.uniform(0.4, 0.65)
    contrast = rng.uniform(0.14, 0.3)
    dark = _colour(hue + rng.normal(0, 0.02), saturation, value - contrast / 2)
    light = _colour(hue + rng.normal(0, 0.02), saturation * 0.8, value + contrast / 2)
    period = rng.uniform(3.5, 6.0) if pattern in ("stripes", "checks") else rng.uniform(1.0, 3.0)
    return Texture(pattern, dark, light, period, rng.uniform(0, np.pi))


def paint_texture(
    rng: np.random.Generator, texture: Texture, shape: tuple[int, int]
) -> Float32Array:
    """Return the texture over a whole image, float32 RGB in [0, 1], shape (H, W, 3)."""
    if texture.pattern in ("stripes", "checks"):
        level = _grating(rng, texture, shape)
    elif texture.pattern == "blotches":
        level = smooth_noise(rng, shape, 2.0 * texture.period)
    else:
        level = smooth_noise(rng, shape, texture.period)
    mix = 1.0 / (1.0 + np.exp(-2.0 * level))
    dark, light = np.array(texture.dark, np.float32), np.array(texture.light, np.float32)
    return (dark + (light - dark) * mix[..., None]).astype(np.float32)


def smooth_noise(rng: np.random.Generator, shape: tuple[int, int], scale: float) -> Float32Array:
    """Return Gaussian noise blurred over `scale` pixels, mean 0 and variance 1, float32.

    Large scales are drawn on a coarser grid and enlarged: equally smooth, and much faster.
    """
    step = max(1, int(scale / 2))
    coarse = tuple(-(-n // step) + 1 for n in shape)
    field = rng.standard_normal(coarse, dtype=np.float32)
    field = ndimage.gaussian_filter(field, scale / step, mode="wrap", truncate=3.0)
    if step > 1:
        field = ndimage.zoom(field, step, order=1)
    field = field[: shape[0], : shape[1]]
    return (field - field.mean()) / max(float(field.std()), 1e-6)


def _grating(rng: np.random.Generator, texture: Texture, shape: tuple[int, int]) -> Float32Array:
    """Return stripes or checks whose lines waver and whose contrast fades in places."""
    rows, columns = np.indices(shape, dtype=np.float32)
    cos, sin = np.float32(np.cos(texture.angle)), np.float32(np.sin(texture.angle))
    waver = 0.5 * smooth_noise(rng, shape, 10.0)
    turn = np.float32(2 * np.pi / texture.period)
    along = np.sin(turn * (cos * columns + sin * rows) + waver)
    if texture.pattern == "checks":
        along = 1.4 * along * np.sin(turn * (cos * rows - sin * columns) + waver)
    fade = np.clip(0.75 + 0.5 * smooth_noise(rng, shape, 9.0), 0.0, 1.2)
    return (1.6 * fade * along + 0.5 * smooth_noise(rng, shape, 1.0)).astype(np.float32)


def _colour(hue: float, saturation: float, value: float) -> tuple[float, float, float]:
    return colorsys.hsv_to_rgb(hue % 1.0, saturation, min(max(value, 0.05), 0.95))
