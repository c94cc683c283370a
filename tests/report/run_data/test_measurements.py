from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.metrics.predictions import RegionPrediction
from segboost.report.run_data.measurements import choose_images, measure


@pytest.fixture
def predictions():
    rng = np.random.default_rng(0)
    return {
        f"i{k}": RegionPrediction(rng.normal(size=9), rng.integers(0, 5, 9), rng.integers(0, 5, 9))
        for k in range(5)
    }


def test_counts_of_images_add_up_to_the_scores(predictions):
    found = measure(predictions)
    assert list(found.images) == list(predictions)
    total = sum((c.true_positive for c in found.images.values()), 0)
    wanted = sum(int(a.foreground[a.score > 0].sum()) for a in predictions.values())
    assert total == wanted
    assert found.curve.break_even == pytest.approx(found.scores.break_even)


def test_images_are_ranked_by_their_own_scores(predictions):
    found = measure(predictions)
    alone = [measure({name: predictions[name]}).scores.mean_iou for name in found.ranked()]
    assert alone == sorted(alone)


@pytest.mark.parametrize(("n", "n_shown"), [*enumerate([0, 1, 2, 3, 3, 3, 6, 6, 6, 9, 9, 9, 9, 9])])
def test_no_image_is_shown_twice_and_each_in_its_place(n, n_shown):
    ranked = [f"i{k:02d}" for k in range(n)]
    chosen = choose_images(ranked)
    shown = [name for names in chosen.values() for name in names]
    assert len(shown) == len(set(shown)) == n_shown
    assert shown == sorted(shown)
    if n >= 9:
        assert [len(names) for names in chosen.values()] == [3, 3, 3]
        assert chosen["worst"][0] == ranked[0]
        assert chosen["best"][-1] == ranked[-1]
        middle = np.mean([ranked.index(name) for name in chosen["median"]])
        assert middle == pytest.approx((n - 1) / 2, abs=0.6)
