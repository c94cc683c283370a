"""Run lengths of polygons against those of the filled page."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from segboost.io.formats import polygon_runs
from segboost.io.formats.polygon_runs import encode_polygons
from segboost.io.formats.polygons import fill_polygons, trace_polygons
from segboost.io.formats.run_lengths import decode_runs, encode_runs


@pytest.mark.parametrize("tolerance", [0.0, 0.5, 1.0, 2.5])
@pytest.mark.parametrize("strip", [60, 2**23])
def test_outlines_of_random_regions(tolerance, strip, monkeypatch):
    monkeypatch.setattr(polygon_runs, "STRIP", strip)
    rng = np.random.default_rng(0)
    for _ in range(60):
        shape = tuple(rng.integers(1, 40, 2).tolist())
        noise = ndimage.gaussian_filter(rng.random(shape), rng.choice([0.0, 1.0, 2.0]))
        region = noise > np.quantile(noise, rng.random())
        polygons = trace_polygons(region, tolerance)
        runs = encode_polygons(polygons, shape)
        assert runs == encode_runs(fill_polygons(polygons, shape))
        if tolerance == 0:
            assert np.array_equal(decode_runs(runs, shape), region)


def test_corners_and_edges_at_pixel_centres_and_beyond_the_page():
    rng = np.random.default_rng(1)
    for _ in range(300):
        corners = rng.integers(-4, 24, (int(rng.integers(3, 8)), 2)) / 2
        hole = rng.integers(4, 12, (3, 2)) / 2
        polygons = [(corners, hole), (corners[::-1] + 3,)]
        shape = (9, 11)
        filled = fill_polygons(polygons, shape)
        assert encode_polygons(polygons, shape) == encode_runs(filled), polygons


@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (5, 1)])
def test_nothing_and_everything(shape):
    assert encode_polygons([], shape) == [shape[0] * shape[1]]
    whole = trace_polygons(np.ones(shape, bool), 0)
    assert encode_polygons(whole, shape) == [0, shape[0] * shape[1]]
