"""LaRank's steps: the invariants after each, and the optimum they reach."""

import numpy as np
import pytest

from segboost.tracking.larank import LaRank, Pattern, gaussian_kernel, linear_kernel


def pattern(rng, n=8, d=5):
    loss = rng.uniform(0.1, 1, n)
    loss[0] = 0.0
    return Pattern(rng.normal(size=(n, d)), loss)


def machine(kernel=None, C=10.0, budget=20):
    return LaRank(kernel or gaussian_kernel(0.2), C, budget, np.random.default_rng(0))


@pytest.mark.parametrize("kernel", [gaussian_kernel(0.2), linear_kernel])
def test_sums_budget_and_signs_hold_after_every_pattern(kernel):
    rng = np.random.default_rng(1)
    svm = machine(kernel, budget=12)
    for _ in range(15):
        svm.add(pattern(rng))
        assert len(svm.betas) <= 12
        assert np.abs(svm.pattern_sums()).max() < 1e-9
        for support in svm._support:
            assert (support.beta > 0) == (support.candidate == 0)
            assert support.beta <= svm.C + 1e-9


def test_stored_gradients_and_gram_matrix_are_correct():
    rng = np.random.default_rng(2)
    svm = machine(budget=12)
    for _ in range(10):
        svm.add(pattern(rng))
    np.testing.assert_allclose(svm._gram, svm.kernel(svm.vectors, svm.vectors), atol=1e-10)
    loss = np.array([s.pattern.loss[s.candidate] for s in svm._support])
    kept = [s.gradient for s in svm._support]
    np.testing.assert_allclose(kept, -loss - svm.scores(svm.vectors), atol=1e-8)


def test_steps_never_lower_the_dual_and_end_where_the_margins_hold():
    rng = np.random.default_rng(3)
    patterns = [pattern(rng) for _ in range(4)]
    svm = machine(C=100.0, budget=10**6)
    values = []
    for p in patterns:
        svm.add(p)
        values.append(svm.dual_value)
    assert (np.diff(values) >= -1e-9).all()
    for _ in range(400):
        svm._process_old()
        svm._optimise()
    assert svm.dual_value >= values[-1] - 1e-9
    for p in patterns:
        scores = svm.scores(p.features)
        assert (scores[0] - scores - p.loss).min() > -0.05


def test_kernels_by_hand():
    a, b = np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [1.0, 0.0]])
    np.testing.assert_allclose(gaussian_kernel(0.2)(a, b), [[np.exp(-1.0), 1.0]])
    np.testing.assert_allclose(linear_kernel(a, b), [[0.0, 1.0]])
