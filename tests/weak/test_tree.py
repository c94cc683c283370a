from __future__ import annotations

import numpy as np
import pytest

from segboost.weak.growing import best_variance_cut, best_variance_cut_numpy
from segboost.weak.stump import DecisionStump, Stump
from segboost.weak.tree import ShallowTree, Tree

OUTPUTS = ["signed", "binary"]


def interaction(seed: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((300, 6))
    signal = np.sign(features[:, [0]] * features[:, [1]] + 0.3 * features[:, [2]])
    return features, signal + 0.5 * rng.standard_normal((300, k))


@pytest.mark.parametrize("outputs", OUTPUTS)
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("k", [1, 4, 6])
def test_candidates_predict_and_score_as_stated(outputs, depth, k):
    features, weights = interaction(depth, k)
    found = ShallowTree(depth).bind(features, outputs).best(weights)
    stumps = DecisionStump().bind(features, outputs).best(weights)
    assert len(found) == k
    for candidate, stump, w in zip(found, stumps, weights.T, strict=True):
        np.testing.assert_array_equal(candidate.hypothesis.predict(features), candidate.responses)
        assert set(np.unique(candidate.responses)) <= ({-1, 1} if outputs == "signed" else {0, 1})
        assert candidate.score == pytest.approx(w @ candidate.responses, abs=1e-10)
        assert candidate.score >= stump.score
        if depth > 1:
            assert candidate.score > stump.score


def greedy_tree_score(features, weights, depth, outputs) -> float:
    """Return the score of the greedy tree by its definition, with masks instead of histograms."""

    def leaf(w):
        return abs(w.sum()) if outputs == "signed" else max(w.sum(), 0.0)

    def cuts(x):
        for f in range(x.shape[1]):
            for t in np.unique(x[:, f])[:-1]:
                yield x[:, f] > t

    def gain(w):
        return w.sum() ** 2 / np.abs(w).sum()

    def score(x, w, levels):
        if levels == 1:
            return max([leaf(w), *(leaf(w[m]) + leaf(w[~m]) for m in cuts(x))])
        masks = list(cuts(x))
        best = masks[int(np.argmax([gain(w[m]) + gain(w[~m]) for m in masks]))]
        return score(x[best], w[best], levels - 1) + score(x[~best], w[~best], levels - 1)

    return score(features, weights, depth)


@pytest.mark.parametrize("outputs", OUTPUTS)
@pytest.mark.parametrize("depth", [2, 3])
def test_equals_greedy_definition(outputs, depth):
    rng = np.random.default_rng(11)
    for _ in range(5):
        features, weights = rng.standard_normal((40, 3)), rng.standard_normal((40, 2))
        for candidate, w in zip(
            ShallowTree(depth).bind(features, outputs).best(weights), weights.T, strict=True
        ):
            expected = greedy_tree_score(features, w, depth, outputs)
            stump = DecisionStump().bind(features, outputs).best(w[:, None])[0].score
            assert candidate.score == pytest.approx(max(expected, stump), rel=1e-12)


def test_xor_needs_two_levels():
    features = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
    weights = np.array([[-1.0], [1.0], [1.0], [-1.5]])
    found = ShallowTree(2).bind(features, "signed").best(weights)[0]
    assert found.score == 4.5
    assert isinstance(found.hypothesis, Tree)


def test_falls_back_to_the_stump():
    features = np.arange(6.0)[:, None]
    weights = np.array([[-1.0], [-1.0], [-1.0], [1.0], [1.0], [1.0]])
    found = ShallowTree(2).bind(features, "signed").best(weights)[0]
    assert found.hypothesis == Stump(0, 2.5, 1)


def test_variance_kernel_equals_twin():
    rng = np.random.default_rng(12)
    for _ in range(50):
        n_bins = rng.integers(1, 6, 4)
        codes = np.array([rng.integers(0, b, 12) for b in n_bins])
        w = rng.integers(-3, 4, 12).astype(float)
        sums = np.array([np.bincount(c, w, 5) for c in codes])
        masses = np.array([np.bincount(c, np.abs(w), 5) for c in codes])
        assert best_variance_cut(sums, masses, n_bins) == best_variance_cut_numpy(
            sums, masses, n_bins
        )


@pytest.mark.parametrize("outputs", OUTPUTS)
def test_degenerate_input(outputs):
    for features in (np.zeros((4, 2)), np.zeros((1, 1))):
        bound = ShallowTree(3).bind(features, outputs)
        n = features.shape[0]
        assert bound.best(np.ones((n, 1)))[0].score == n
        assert bound.best(np.zeros((n, 1)))[0].score == 0
        down = bound.best(-np.ones((n, 1)))[0]
        assert down.score == (n if outputs == "signed" else 0)
        np.testing.assert_array_equal(down.hypothesis.predict(features), down.responses)


def test_order_of_rows_does_not_matter():
    features, weights = interaction(13, 3)
    order = np.random.default_rng(0).permutation(300)
    plain = ShallowTree(3).bind(features, "signed").best(weights)
    other = ShallowTree(3).bind(features[order], "signed").best(weights[order])
    for a, b in zip(plain, other, strict=True):
        np.testing.assert_array_equal(a.responses[order], b.responses)


def test_pack_and_unpack():
    features, weights = interaction(14, 5)
    trees = [
        c.hypothesis
        for depth in (2, 3)
        for c in ShallowTree(depth).bind(features, "signed").best(weights)
    ]
    assert all(isinstance(t, Tree) for t in trees)
    again = Tree.unpack(Tree.pack(trees))
    assert [t.depth for t in again] == [2] * 5 + [3] * 5
    for a, b in zip(trees, again, strict=True):
        np.testing.assert_array_equal(a.predict(features), b.predict(features))
    assert Tree.unpack(Tree.pack([])) == []


@pytest.mark.parametrize(
    "change",
    [
        {"depth": np.array([0])},
        {"depth": np.array([60])},
        {"depth": np.array([3])},
        {"feature": np.array([0, 1, -1])},
        {"threshold": np.array([0.0, np.nan, 0.0])},
        {"threshold": np.zeros(2)},
        {"leaves": np.array([1.0, np.inf, 1.0, -1.0])},
        {"leaves": np.array([1, 1, 1, 1])},
    ],
)
def test_refuses_stored_arrays(change):
    tree = Tree(np.array([0, 1, 1]), np.zeros(3), np.array([1.0, -1.0, -1.0, 1.0]))
    with pytest.raises(ValueError, match="stored"):
        Tree.unpack({**Tree.pack([tree]), **change})


def test_feature_shares():
    tree = Tree(np.array([0, 2, 2]), np.array([0.0, 1.0, -np.inf]), np.ones(4))
    assert tree.feature_shares(3).tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("depth", [0, 9])
def test_refuses_depth(depth):
    with pytest.raises(ValueError, match="max_depth must be from 1 to 8"):
        ShallowTree(depth).bind(np.zeros((2, 2)), "signed")
