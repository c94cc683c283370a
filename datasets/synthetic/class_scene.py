"""Synthetic scenes of four classes: sky, field, objects, and thin posts in front of all."""

from __future__ import annotations

import numpy as np

from segboost.datasets.synthetic.scene import Scene, draw_object_texture, expose, place_texture
from segboost.datasets.synthetic.shapes import OBJECT_SHAPES, draw_bar, draw_shape
from segboost.datasets.synthetic.textures import draw_texture, paint_texture, smooth_noise
from segboost.io.legend import VOID, ClassLegend

FOUR_CLASSES = ClassLegend(
    ("sky", "field", "object", "post"),
    ((86, 180, 233), (0, 158, 115), (213, 94, 0), (240, 228, 66)),
)
SKY, FIELD, OBJECT, POST = range(4)


def render_class_scene(rng: np.random.Generator, shape: tuple[int, int]) -> Scene:
    """Return a scene of the given height and width, with a mask of four classes.

    Sky above a wavy horizon and field below it have neighbouring hues and may share a pattern;
    objects are warm and patterned and lie in either; posts are thin bars across the image, as
    patterned as objects, but cold. A strip of two pixels along the horizon is void, as borders
    often are in hand-drawn masks.
    """
    height, width = shape
    rows = np.arange(height, dtype=np.float32)[:, None]
    wave = smooth_noise(rng, (1, width), 0.12 * width)
    horizon = height * (rng.uniform(0.3, 0.55) + 0.05 * wave)
    below = np.broadcast_to(rows >= horizon, shape)
    sky = draw_texture(rng, "blotches", rng.uniform(0.5, 0.68))
    field = draw_texture(rng, str(rng.choice(["grain", "blotches"])), rng.uniform(0.18, 0.5))
    image = np.where(
        below[..., None], paint_texture(rng, field, shape), paint_texture(rng, sky, shape)
    )
    mask = np.where(below, FIELD, SKY).astype(np.uint8)
    mask[np.abs(rows - horizon) <= 1] = VOID
    for _ in range(int(rng.integers(1, 4))):
        size = float(rng.uniform(0.16, 0.3) * min(shape))
        outline = draw_shape(rng, str(rng.choice(OBJECT_SHAPES)), shape, size)
        place_texture(rng, image, outline, draw_object_texture(rng))
        mask[outline] = OBJECT
    for _ in range(int(rng.integers(0, 3))):
        bar = draw_bar(rng, shape, rng.uniform(0.03, 0.06) * width)
        texture = draw_texture(rng, str(rng.choice(["stripes", "checks"])), rng.uniform(0.7, 0.85))
        place_texture(rng, image, bar, texture)
        mask[bar] = POST
    return Scene(expose(rng, image), mask)
