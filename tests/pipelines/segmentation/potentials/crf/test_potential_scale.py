from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.potentials.crf.potential_scale import PotentialScale


def test_scores_are_divided_by_their_deviation():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 50)
    scores = labels[:, None] + rng.normal(size=(100, 2)) * [0.5, 2.0]
    found = PotentialScale.fit(scores, labels, np.ones(100, dtype=bool))
    np.testing.assert_allclose(found.apply(scores).std(axis=0), 1.0)
    assert found.informative.all()


def test_scores_that_are_lower_on_the_foreground_become_faint():
    labels = np.repeat([0, 1], 50)
    scores = np.column_stack([labels, -labels, np.zeros(100)]).astype(float)
    found = PotentialScale.fit(scores, labels, np.ones(100, dtype=bool))
    assert found.informative.tolist() == [True, False, False]
    faint = found.apply(scores)[:, 1]
    assert 0 < np.abs(faint).max() < 1e-29  # still a candidate, but no weight can use it


def test_void_superpixels_are_ignored():
    labels = np.array([0, 1, 0, 0])
    scores = np.array([[0.0], [1.0], [9.0], [9.0]])
    known = np.array([True, True, False, False])
    assert PotentialScale.fit(scores, labels, known).informative[0]
    assert not PotentialScale.fit(scores, labels, np.ones(4, dtype=bool)).informative[0]


def test_the_identity_leaves_scores_as_they_are():
    scores = np.array([[0.3, -7.0]])
    found = PotentialScale.identity(2)
    np.testing.assert_array_equal(found.apply(scores), scores)
    assert found.informative.all()


def test_a_stored_scale_says_which_potentials_are_informative():
    labels = np.array([0, 0, 1, 1])
    scores = np.column_stack([labels * 3.0, -labels])
    saved = PotentialScale.fit(scores, labels, np.ones(4, dtype=bool))
    found = PotentialScale.from_arrays(saved.to_arrays())
    np.testing.assert_array_equal(found.apply(scores), saved.apply(scores))
    assert found.informative.tolist() == [True, False]


@pytest.mark.parametrize("value", [0.0, -1.0])
def test_a_stored_scale_must_be_positive(value):
    with pytest.raises(ValueError, match="'scale' has values that are not positive"):
        PotentialScale.from_arrays({"scale": np.array([1.0, value])})
