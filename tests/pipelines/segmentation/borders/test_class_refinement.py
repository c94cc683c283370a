"""Pixel refinement of several classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import distance_transform_cdt

from segboost.pipelines.segmentation.borders import class_refinement
from segboost.pipelines.segmentation.borders.class_learning import sample_doubtful
from segboost.pipelines.segmentation.borders.class_refinement import doubtful_pixels
from tests.pipelines.segmentation.tiny_class_models import (
    class_config,
    class_items,
    trained_classes,
)


def prepared(first=95):
    item = class_items(1, first=first)[0]
    model = trained_classes().model
    return model, model.prepare(item.image()), item.mask()


def test_superpixels_away_from_borders_keep_their_scores():
    model, image, _ = prepared()
    nodes = model.node_scores(image)
    doubtful = doubtful_pixels(image, nodes, model.borders.settings.width)
    assert 0 < doubtful.mean() < 1
    refined = model.borders.refine(image, nodes)
    flat = nodes.astype(np.float32)[image.superpixels]
    np.testing.assert_array_equal(refined[~doubtful], flat[~doubtful])
    assert (refined[doubtful] != flat[doubtful]).any()


def test_doubtful_pixels_are_within_the_width_of_another_label():
    _, image, _ = prepared()
    nodes = np.full((image.n_superpixels, 3), np.log(0.01))
    nodes[:, 0] = np.log(0.98)
    assert not doubtful_pixels(image, nodes, 3).any()
    nodes[0] = np.log([0.2, 0.5, 0.3])
    own = image.superpixels == 0
    inside = distance_transform_cdt(own, "chessboard")
    outside = distance_transform_cdt(~own, "chessboard")
    near = ((inside <= 3) & own) | ((outside <= 3) & ~own)
    np.testing.assert_array_equal(doubtful_pixels(image, nodes, 3), near)


def test_refined_scores_are_log_probabilities():
    model, image, _ = prepared()
    refined = model.borders.refine(image, model.node_scores(image))
    np.testing.assert_allclose(np.exp(refined).sum(axis=-1), 1.0, atol=1e-4)


def test_cells_of_large_images_cover_every_doubtful_pixel(monkeypatch):
    """In an image of odd size the last row and column belong to cells that are cut off."""
    model, image, _ = prepared()
    image = replace(image, superpixels=image.superpixels[:59, :79], pixels=image.pixels[:59, :79])
    nodes = np.log(np.full((image.n_superpixels, 4), 0.25))
    monkeypatch.setattr(class_refinement, "MANY_PIXELS", 0)
    everywhere = np.ones((59, 79), dtype=bool)
    monkeypatch.setattr(class_refinement, "doubtful_pixels", lambda *_: everywhere)
    refined = model.borders.refine(image, nodes)
    assert (refined != np.float32(np.log(0.25))).any(axis=-1).all()
    np.testing.assert_array_equal(refined[0, 0], refined[1, 1])


def test_sampled_and_remaining_pixels_add_up_to_the_mask():
    model, image, mask = prepared()
    mask = mask.copy()
    mask[:5] = 255
    settings = replace(class_config().borders, pixels_per_image=100)
    found = sample_doubtful((settings, 0, 4), (0, image, model.node_scores(image), mask))
    assert len(found.labels) == 100
    total = found.away.sum() + round(found.weight * 100)
    assert total == (mask != 255).sum()
