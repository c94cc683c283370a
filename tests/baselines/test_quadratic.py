"""The quadratic programme of the structured SVM against a general solver and its own bounds."""

import numpy as np
import pytest
from scipy.optimize import minimize

from segboost.baselines.quadratic import QuadraticProgramme, solve


def random_programme(rng, n, d, n_blocks, n_nonnegative=0, C=1.0, loss=1.0):
    block = np.concatenate([np.arange(n_blocks), rng.integers(0, n_blocks, n - n_blocks)])
    centre = rng.normal(0, 1, (n_blocks, d))
    normals = centre[block] + 0.2 * rng.normal(0, 1, (n, d))
    nonnegative = np.arange(d) >= d - n_nonnegative
    return QuadraticProgramme(normals, loss * rng.random(n), block, C, nonnegative)


def by_slsqp(p):
    """Return the optimum over (θ, ξ) with all constraints written out."""
    d, n_blocks = p.normals.shape[1], p.block.max() + 1
    select = np.eye(n_blocks)[p.block]
    result = minimize(
        lambda z: 0.5 * z[:d] @ z[:d] + p.C * z[d:].sum(),
        np.concatenate([np.zeros(d), np.full(n_blocks, p.loss.max())]),
        jac=lambda z: np.concatenate([z[:d], np.full(n_blocks, p.C)]),
        bounds=[(0 if j else None, None) for j in p.nonnegative] + [(0, None)] * n_blocks,
        constraints={
            "type": "ineq",
            "fun": lambda z: p.normals @ z[:d] + z[d:][p.block] - p.loss,
            "jac": lambda z: np.hstack([p.normals, select]),
        },
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return result.fun


@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
@pytest.mark.parametrize(
    ("n", "d", "n_blocks", "n_nonnegative"),
    [(1, 1, 1, 0), (8, 3, 1, 0), (12, 4, 3, 2), (6, 15, 1, 0), (6, 15, 2, 4), (10, 4, 4, 4)],
)
def test_equals_a_general_solver(n, d, n_blocks, n_nonnegative, C):
    rng = np.random.default_rng(n + d)
    p = random_programme(rng, n, d, n_blocks, n_nonnegative, C)
    answer = solve(p)
    assert answer.objective == pytest.approx(by_slsqp(p), rel=1e-6, abs=1e-9)
    assert answer.objective - answer.lower_bound <= 1e-9 * answer.objective


def test_bounds_agree_at_every_scale():
    rng = np.random.default_rng(0)
    for _ in range(200):
        d = int(rng.integers(1, 30))
        n_blocks = int(rng.integers(1, 8))
        p = random_programme(
            rng,
            n_blocks + int(rng.integers(0, 40)),
            d,
            n_blocks,
            int(rng.integers(0, d + 1)),
            C=10 ** rng.uniform(-3, 4),
            loss=10 ** rng.uniform(-2, 3),
        )
        answer = solve(p)
        assert answer.lower_bound <= answer.objective * (1 + 1e-12)
        assert answer.objective - answer.lower_bound <= 1e-8 * answer.objective
        assert (answer.theta[p.nonnegative] >= 0).all()
        assert (answer.multipliers >= 0).all()
        assert (np.bincount(p.block, answer.multipliers) <= p.C * (1 + 1e-12)).all()


CYCLING = 340
"""Index of the random programme on which predictor and corrector steps alone cycle."""


def wild_programme(rng):
    """Return a programme of any shape and scale, with repeated and empty cuts."""
    n, d = int(rng.integers(1, 60)), int(rng.integers(1, 40))
    n_blocks = int(rng.integers(1, min(n, 10) + 1))
    n_nonnegative = int(rng.integers(0, d + 1)) * (rng.random() < 0.7)
    centre, block = rng.normal(size=(n_blocks, d)), rng.integers(0, n_blocks, n)
    scale, spread = 10 ** rng.uniform(-4, 4), 10 ** rng.uniform(-3, 0)
    normals = scale * (centre[block] + spread * rng.normal(size=(n, d)))
    loss = 10 ** rng.uniform(-4, 4) * rng.random(n)
    if rng.random() < 0.3:
        normals, loss, block = np.tile(normals, (2, 1)), np.tile(loss, 2), np.tile(block, 2)
    if rng.random() < 0.2:
        normals[0] = 0
    C = 10 ** rng.uniform(-4, 5)
    return QuadraticProgramme(normals, loss, block, C, np.arange(d) >= d - n_nonnegative)


def test_a_programme_on_which_predictor_and_corrector_alone_would_cycle():
    rng = np.random.default_rng(0)
    for _ in range(CYCLING + 1):
        p = wild_programme(rng)
    answer = solve(p)
    assert answer.objective - answer.lower_bound <= 1e-9 * answer.objective


def test_degenerate_programmes():
    free = np.zeros(2, bool)
    none = solve(QuadraticProgramme(np.zeros((0, 2)), np.zeros(0), np.zeros(0, int), 1.0, free))
    assert (none.objective, none.theta.tolist()) == (0.0, [0.0, 0.0])
    idle = solve(QuadraticProgramme(np.ones((1, 2)), np.zeros(1), np.zeros(1, int), 1.0, free))
    assert idle.objective == 0.0
    # A cut that no θ satisfies, and the same cut many times over.
    flat = solve(QuadraticProgramme(np.zeros((3, 2)), np.ones(3), np.zeros(3, int), 2.0, free))
    assert flat.objective == pytest.approx(2.0)
    assert flat.lower_bound == pytest.approx(2.0)
    G = np.tile([[1.0, 2.0]], (9, 1))
    many = solve(QuadraticProgramme(G, np.ones(9), np.zeros(9, int), 100.0, free))
    assert many.theta == pytest.approx([0.2, 0.4], rel=1e-8)


def test_blocks_without_cuts_cost_nothing():
    G = np.array([[1.0, 0.0], [0.0, 1.0]])
    free = np.zeros(2, bool)
    gaps = solve(QuadraticProgramme(G, np.ones(2), np.array([3, 7]), 0.5, free))
    dense = solve(QuadraticProgramme(G, np.ones(2), np.array([0, 1]), 0.5, free))
    assert gaps.objective == pytest.approx(dense.objective, rel=1e-10)
