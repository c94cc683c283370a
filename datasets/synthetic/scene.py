"""One synthetic scene: textured objects on textured ground, with distractors and noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from segboost._types import BoolArray, ByteArray, Float32Array
from segboost.datasets.synthetic.shapes import OBJECT_SHAPES, draw_bar, draw_shape
from segboost.datasets.synthetic.textures import Texture, draw_texture, paint_texture, smooth_noise

OBJECT_PATTERNS = ("stripes", "checks")
GROUND_PATTERNS = ("blotches", "grain")
OBJECT_HUE, OBJECT_HUE_SPREAD = 0.06, 0.03
"""Objects are warm, orange on average."""
GROUND_HUES = (0.14, 0.75)
"""From yellow to violet; one ground in eight is as warm as an object."""


@dataclass(frozen=True)
class Scene:
    """A rendered scene.

    Parameters
    ----------
    image : ndarray of uint8, shape (H, W, 3)
    mask : ndarray of uint8, shape (H, W)
        1 on the visible parts of objects, else 0; in a scene of several classes, the class or 255.
    """

    image: ByteArray
    mask: ByteArray


def render_scene(rng: np.random.Generator, shape: tuple[int, int]) -> Scene:
    """Return a scene of the given height and width.

    Objects have a warm colour *and* a regular pattern (stripes or checks). Distractors
    have one of the two: patterns in cold colours, or warm colours without a pattern. Contrast
    fades in places, bars hide parts, light changes across the image, and there is noise
    everywhere, so that a small neighbourhood is often ambiguous.
    """
    image = _ground(rng, shape)
    mask = np.zeros(shape, dtype=bool)
    for _ in range(int(rng.integers(1, 4))):
        place_texture(rng, image, _distractor(rng, shape), draw_distractor_texture(rng))
    for _ in range(int(rng.choice([1, 2, 3], p=[0.45, 0.4, 0.15]))):
        outline = draw_shape(rng, str(rng.choice(OBJECT_SHAPES)), shape, _size(rng, shape))
        place_texture(rng, image, outline, draw_object_texture(rng))
        mask |= outline
    for _ in range(int(rng.integers(0, 3))):
        bar = draw_bar(rng, shape, rng.uniform(0.025, 0.06) * shape[1])
        place_texture(rng, image, bar, draw_distractor_texture(rng))
        mask &= ~bar
    return Scene(expose(rng, image), mask.astype(np.uint8))


def draw_object_texture(rng: np.random.Generator) -> Texture:
    """Return a warm regular pattern."""
    hue = rng.normal(OBJECT_HUE, OBJECT_HUE_SPREAD)
    return draw_texture(rng, str(rng.choice(OBJECT_PATTERNS)), hue)


def draw_distractor_texture(rng: np.random.Generator) -> Texture:
    """Return a regular pattern in a cold colour, or a warm colour without a pattern."""
    if rng.random() < 0.6:
        hue, pattern = rng.uniform(0.3, 0.8), str(rng.choice(OBJECT_PATTERNS))
    else:
        hue = rng.normal(OBJECT_HUE, OBJECT_HUE_SPREAD)
        pattern = str(rng.choice(GROUND_PATTERNS))
    return draw_texture(rng, pattern, hue)


def _ground(rng: np.random.Generator, shape: tuple[int, int]) -> Float32Array:
    """Return two grounds that meet at a wavy horizon."""
    parts = []
    for _ in range(2):
        hue = OBJECT_HUE if rng.random() < 1 / 8 else rng.uniform(*GROUND_HUES)
        texture = draw_texture(rng, str(rng.choice(GROUND_PATTERNS)), hue)
        parts.append(paint_texture(rng, texture, shape))
    rows = np.arange(shape[0], dtype=np.float32)[:, None]
    wave = smooth_noise(rng, (1, shape[1]), 0.12 * shape[1])
    horizon = shape[0] * (rng.uniform(0.2, 0.5) + 0.04 * wave)
    return np.where((rows < horizon)[..., None], parts[0], parts[1])


def _distractor(rng: np.random.Generator, shape: tuple[int, int]) -> BoolArray:
    return draw_shape(rng, str(rng.choice(OBJECT_SHAPES)), shape, 0.8 * _size(rng, shape))


def _size(rng: np.random.Generator, shape: tuple[int, int]) -> float:
    return float(rng.uniform(0.2, 0.34) * min(shape))


def place_texture(
    rng: np.random.Generator, image: Float32Array, outline: BoolArray, texture: Texture
) -> None:
    """Paint a texture inside an outline, blended with the layer below where it fades."""
    box = ndimage.find_objects(outline.astype(np.uint8))
    if not box:
        return
    where = box[0]
    inside = outline[where]
    fade = np.clip(0.95 + 0.3 * smooth_noise(rng, inside.shape, 4.0), 0.4, 1.0)
    opacity = (inside * fade)[..., None]
    image[where] += opacity * (paint_texture(rng, texture, inside.shape) - image[where])


def expose(rng: np.random.Generator, image: Float32Array) -> ByteArray:
    """Return the image under uneven light, blurred a little, with noise, as uint8."""
    height, width = image.shape[:2]
    angle, strength = rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 0.45)
    rows = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None]
    columns = np.linspace(-0.5, 0.5, width, dtype=np.float32)[None, :]
    light = 1.0 + strength * (np.sin(angle) * rows + np.cos(angle) * columns)
    light = light + 0.08 * smooth_noise(rng, (height, width), 0.15 * width)
    lit = ndimage.gaussian_filter(image * light[..., None], (0.6, 0.6, 0), truncate=3.0)
    tint = rng.normal(1.0, 0.04, 3).astype(np.float32)
    sensor = rng.standard_normal(image.shape, dtype=np.float32) * rng.uniform(0.03, 0.06)
    return np.clip(np.rint(255.0 * (lit * tint + sensor)), 0, 255).astype(np.uint8)
