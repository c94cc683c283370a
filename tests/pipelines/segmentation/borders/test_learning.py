"""Discs on grids of square superpixels, which cannot follow the borders of the discs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from segboost.boosting.settings import BoosterSettings
from segboost.datasets.base import ArraySource, LabelledImage
from segboost.pipelines.segmentation.borders.learning import learn_borders
from segboost.pipelines.segmentation.borders.refinement import BorderRefinement, margins
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.superpixel_graphs import grid_image

SIDE = 12
SETTINGS = BorderSettings(refine=True, width=8, pixels_per_image=400, layers=())
BOOSTER = BoosterSettings(n_trees=40, depth=4, learning_rate=0.2, n_columns=12, min_curvature=2.0)
CALIBRATION = Calibration(np.array([-4.0, 0.0, 4.0]), np.array([0.02, 0.4, 0.98]))


def disc(number):
    """Return an image, its mask and noisy scores of its superpixels."""
    rng = np.random.default_rng(number)
    rows, columns = np.indices((6 * SIDE, 8 * SIDE))
    centre, radius = rng.uniform([30, 40], [42, 56]), rng.uniform(16, 24)
    mask = (np.hypot(rows - centre[0], columns - centre[1]) < radius).astype(np.uint8)
    colours = rng.uniform(40, 215, (2, 3))
    noise = rng.normal(scale=8, size=(*mask.shape, 3))
    pixels = np.clip(colours[mask] + noise, 0, 255).astype(np.uint8)
    image = grid_image(6, 8, SIDE, mask, name=f"disc {number}")
    foreground, background = image.truth
    score = 4 * (foreground - background) / (foreground + background)
    return replace(image, pixels=pixels), mask, score + rng.normal(scale=0.3, size=score.shape)


def learn(discs, **changes):
    images, masks, scores = zip(*discs, strict=True)
    items = [
        LabelledImage(i.name, ArraySource(i.pixels), ArraySource(m))
        for i, m in zip(images, masks, strict=True)
    ]
    fold = np.repeat(np.arange(len(images)) % 3, [i.n_superpixels for i in images])
    settings = {"settings": SETTINGS, "booster": BOOSTER, "seed": 0, "n_jobs": 1, **changes}
    return learn_borders(
        images, items, scores, fold, CALIBRATION, progress=QuietProgress(), **settings
    )


@pytest.fixture(scope="module")
def learned():
    return learn([disc(n) for n in range(9)])


def refined_mask(refinement, image, score):
    margin = refinement.margins(score)
    mask = (margin > 0)[image.superpixels]
    band = refinement.band(image, margin)
    mask[band.rows, band.columns] = band.score > 0
    return mask


def test_refined_borders_are_nearer_to_the_truth_on_new_images(learned):
    wrong, before = 0, 0
    for image, mask, score in (disc(n) for n in range(20, 26)):
        before += int(((score > 0)[image.superpixels] != mask).sum())
        wrong += int((refined_mask(learned.refinement, image, score) != mask).sum())
    assert wrong < 0.4 * before


def test_pixels_away_from_the_border_are_not_changed(learned):
    image, _, score = disc(30)
    band = learned.refinement.band(image, learned.refinement.margins(score))
    far = np.ones(image.superpixels.shape, bool)
    far[band.rows, band.columns] = False
    refined = refined_mask(learned.refinement, image, score)
    assert (refined == (score > 0)[image.superpixels])[far].all()
    assert far.any()


def test_probabilities_after_refinement_fit_new_images(learned):
    shares = []
    for image, mask, score in (disc(n) for n in range(40, 46)):
        band = learned.refinement.band(image, learned.refinement.margins(score))
        probability = learned.calibration(band.score)
        shares.append((probability.mean(), mask[band.rows, band.columns].mean()))
    expected, found = np.mean(shares, axis=0)
    assert abs(expected - found) < 0.05


def test_learning_does_not_depend_on_the_jobs_and_survives_storage(learned):
    again = learn([disc(n) for n in range(9)], n_jobs=2)
    arrays = learned.refinement.to_arrays()
    assert all((a == arrays[k]).all() for k, a in again.refinement.to_arrays().items())
    restored = BorderRefinement.from_arrays(arrays, SETTINGS)
    image, _, score = disc(50)
    margin = restored.margins(score)
    found = [r.band(image, margin).score for r in (learned.refinement, restored)]
    assert (found[0] == found[1]).all()


def test_too_few_labelled_pixels_refine_nothing():
    discs = []
    for image, mask, score in (disc(n) for n in range(3)):
        void = np.full_like(mask, 255)
        void[:20, :20] = mask[:20, :20]
        discs.append((image, void, score))
    assert learn(discs) is None


def test_margins_keep_the_sign_where_the_calibration_is_flat():
    flat = Calibration(np.array([-1.0, 1.0]), np.array([0.3, 0.3]))
    found = margins(flat, np.array([-2.0, -1e-9, 0.0, 1e-9, 2.0]))
    assert (found > 0).tolist() == [False, False, False, True, True]
