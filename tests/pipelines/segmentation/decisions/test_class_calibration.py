"""Probabilities of several classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from segboost.pipelines.segmentation.decisions.class_calibration import (
    ClassCalibration,
    fit_class_calibration,
)


def test_scale_and_constants_are_found_again():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 2, (20_000, 3))
    p = softmax(0.7 * scores + [0.5, -0.5, 0.0], axis=1)
    counts = rng.multinomial(1, p)
    found = fit_class_calibration(scores, counts)
    assert found.scale == pytest.approx(0.7, abs=0.03)
    np.testing.assert_allclose(found.constant - found.constant[2], [0.5, -0.5, 0.0], atol=0.08)


def test_frequencies_match_probabilities():
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 3, (5000, 4))
    labels = (scores + rng.gumbel(0, 5, scores.shape)).argmax(axis=1)
    counts = np.eye(4, dtype=np.int64)[labels]
    p = np.exp(fit_class_calibration(scores, counts)(scores))
    np.testing.assert_allclose(p.mean(axis=0), counts.mean(axis=0), atol=0.01)


def test_a_class_without_pixels_stays_finite_and_unlikely():
    rng = np.random.default_rng(2)
    scores = np.column_stack([rng.normal(0, 1, (500, 2)), np.full(500, -3.0)])
    counts = np.zeros((500, 3), np.int64)
    counts[np.arange(500), (scores[:, 1] > scores[:, 0]).astype(int)] = 5
    found = fit_class_calibration(scores, counts)
    assert np.isfinite(found.constant).all()
    assert np.exp(found(scores))[:, 2].max() < 0.05


def test_damaged_arrays_are_refused():
    arrays = ClassCalibration(1.0, np.zeros(3)).to_arrays()
    with pytest.raises(ValueError, match="NaN"):
        ClassCalibration.from_arrays({**arrays, "scale": np.array(np.nan)})
