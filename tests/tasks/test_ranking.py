"""Pairs of the ranking task: their weights, their blocks and invalid input."""

import numpy as np
import pytest

from segboost.tasks.ranking import RankingTask


def table(seed=0, n=12, k=3):
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, (n, 2)), np.concatenate([np.arange(k), rng.integers(0, k, n - k)])


def test_pair_weights_are_products_and_sum_to_one():
    X, ranks = table()
    weight = np.random.default_rng(1).random(len(X))
    cuts = RankingTask(X, ranks, weight).separate(np.zeros(len(X)), "each")
    pairs = [(i, j) for i in range(12) for j in range(12) if ranks[i] > ranks[j]]
    product = np.array([weight[i] * weight[j] for i, j in pairs])
    assert cuts.loss == pytest.approx(product / product.sum(), rel=1e-12)
    dense = cuts.weights.toarray()
    for row, (i, j) in enumerate(pairs):
        expected = np.zeros(12)
        expected[i], expected[j] = cuts.loss[row], -cuts.loss[row]
        assert dense[row] == pytest.approx(expected)


@pytest.mark.parametrize("slack", ["one", "each", 1, 4])
def test_at_zero_every_pair_is_violated(slack):
    X, ranks = table(2)
    cuts = RankingTask(X, ranks).separate(np.zeros(len(X)), slack)
    assert cuts.loss.sum() == pytest.approx(1.0)
    assert cuts.weights.sum() == pytest.approx(0.0, abs=1e-12)


def test_the_loss_at_a_separating_score_is_zero():
    X, ranks = table(3)
    for slack in ("one", "each", 3):
        cuts = RankingTask(X, ranks).separate(ranks.astype(float), slack)
        assert len(cuts) == 0
        assert cuts.weights.shape == (0, len(X))


def test_ranks_need_not_be_consecutive():
    X, ranks = table(4)
    scores = np.random.default_rng(0).normal(0, 1, len(X))
    plain, spread = (RankingTask(X, r).separate(scores, 2) for r in (ranks, 5 * ranks + 2))
    assert plain.loss == pytest.approx(spread.loss)
    assert plain.weights.toarray() == pytest.approx(spread.weights.toarray())


def test_one_rank_has_no_pairs():
    with pytest.raises(ValueError, match="only one class"):
        RankingTask(np.ones((3, 1)), np.zeros(3, int))
    with pytest.raises(ValueError, match="only one class"):
        RankingTask(np.ones((3, 1)), np.array([0, 0, 1]), [1, 1, 0])


def test_shapes_are_checked_and_prediction_needs_no_ranks():
    with pytest.raises(ValueError, match="ranks has shape"):
        RankingTask(np.ones((3, 1)), np.zeros(2, int))
    task = RankingTask(np.ones((3, 1)), None)
    assert task.decode(np.arange(3.0)).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="no ranks"):
        task.separate(np.zeros(3), "one")
