from __future__ import annotations

import numpy as np

from segboost.boosting.splitting import best_cuts


def test_best_cuts_against_trying_every_cut():
    rng = np.random.default_rng(0)
    histogram = np.stack([rng.normal(size=(5, 3, 256)), rng.uniform(0, 1, (5, 3, 256))], axis=-1)
    # All columns of a node hold the same rows.
    histogram[..., 255, :] -= histogram.sum(axis=2) - histogram[:1].sum(axis=2)
    total, l2, smallest = histogram[0].sum(axis=1), 2.0, 20.0
    best, left = best_cuts(histogram, total, l2, smallest)
    below = np.cumsum(histogram, axis=2)[:, :, :-1]
    above = total[:, None] - below
    gain = sum(part[..., 0] ** 2 / (part[..., 1] + l2) for part in (below, above))
    gain[(below[..., 1] < smallest) | (above[..., 1] < smallest)] = -np.inf
    for node in range(3):
        k, b = np.unravel_index(gain[:, node].argmax(), (5, 255))
        assert best[node].tolist() == [k, b]
        np.testing.assert_allclose(left[node], below[k, node, b], rtol=1e-12)


def test_no_cut_if_nothing_is_gained():
    histogram = np.zeros((1, 1, 256, 2))
    histogram[0, 0, :, 1] = 1.0  # curvature, no gradient
    best, _ = best_cuts(histogram, np.array([[0.0, 256.0]]), 1.0, 1.0)
    assert best.tolist() == [[-1, -1]]
