"""StructBoost on a window: its optimum against the full LP, warm against cold."""

import numpy as np
import pytest
from scipy.optimize import linprog

from segboost.solver.window import WindowBoost, WindowOptions
from segboost.solver.window_columns import StumpPool

PLACES, CANDIDATES, FEATURES, CODES = 4, 6, 3, 5
EXACT = WindowOptions(C=3.0, cap=0.3, epsilon_cg=1e-7, memory=0.0, patience=10**6)


def example(rng):
    loss = rng.uniform(0.1, 1, CANDIDATES)
    loss[0] = 0.0
    return rng.integers(0, CODES, (FEATURES, CANDIDATES), dtype=np.uint8), loss


def full_optimum(examples, options, importance=None):
    """Solve the LP with all stumps and all cuts."""
    importance = np.ones(len(examples)) if importance is None else importance
    price = options.C * importance / importance.sum()
    rows, right = [], []
    for i, (codes, loss) in enumerate(examples):
        responses = [
            sign * np.where(codes[f] > cut, 1.0, -1.0)
            for f in range(FEATURES)
            for cut in range(CODES - 1)
            for sign in (1, -1)
        ]
        phi = np.array(responses)
        for y in range(1, CANDIDATES):
            slack = np.zeros(len(examples))
            slack[i] = 1.0
            rows.append(np.concatenate([phi[:, 0] - phi[:, y], slack]))
            right.append(loss[y])
    n = len(phi)
    cost = np.concatenate([np.ones(n), price])
    bounds = [(0, options.cap)] * n + [(0, None)] * len(examples)
    return linprog(cost, -np.array(rows), -np.array(right), bounds=bounds).fun


def solved(examples, options=EXACT, rounds=200):
    window = WindowBoost(PLACES, CANDIDATES, FEATURES, CODES, options)
    for place, (codes, loss) in enumerate(examples):
        window.place(place, codes, loss)
    window.update(rounds)
    return window


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_that_of_the_full_lp(seed):
    rng = np.random.default_rng(seed)
    examples = [example(rng) for _ in range(PLACES)]
    window = solved(examples)
    assert window.gap <= 1e-6
    assert window.objective == pytest.approx(full_optimum(examples, EXACT), abs=1e-6)
    assert window.weights.max() <= EXACT.cap + 1e-9
    assert window.weights.min() >= 0


@pytest.mark.parametrize("seed", range(3))
def test_a_window_that_slides_stays_optimal_at_every_step(seed):
    rng = np.random.default_rng(seed)
    held = [example(rng) for _ in range(PLACES)]
    window = solved(held)
    for step in range(8):
        place = step % PLACES
        held[place] = example(rng)
        window.place(place, *held[place])
        window.update(200)
        assert window.objective == pytest.approx(full_optimum(held, EXACT), abs=1e-6)
        assert window.gap <= 1e-6
        assert len(window.cuts.gone()) == 0


def test_an_example_replaced_twice_between_updates_leaves_nothing_behind():
    rng = np.random.default_rng(5)
    held = [example(rng) for _ in range(PLACES)]
    window = solved(held)
    for _ in range(2):
        held[1] = example(rng)
        window.place(1, *held[1])
    window.update(200)
    assert window.objective == pytest.approx(full_optimum(held, EXACT), abs=1e-6)


def test_importance_sets_the_price_of_slack():
    rng = np.random.default_rng(6)
    held = [example(rng) for _ in range(2)]
    window = WindowBoost(PLACES, CANDIDATES, FEATURES, CODES, EXACT)
    window.place(0, *held[0], importance=3.0)
    window.place(1, *held[1])
    window.update(200)
    expected = full_optimum(held, EXACT, np.array([3.0, 1.0]))
    assert window.objective == pytest.approx(expected, abs=1e-6)


def test_the_first_round_cuts_off_a_new_example_of_small_losses():
    rng = np.random.default_rng(12)
    window = solved([example(rng) for _ in range(PLACES)])
    codes, loss = example(rng)
    window.place(2, np.repeat(codes[:, :1], CANDIDATES, axis=1), 0.05 * loss)
    window.update(1)
    assert (window.cuts.place == 2).any()


def test_an_example_without_importance_counts_like_an_empty_place():
    rng = np.random.default_rng(13)
    held = [example(rng) for _ in range(3)]
    windows = []
    for importances in ({0: 1.0, 1: 0.0, 2: 1.0}, {0: 1.0, 2: 1.0}):
        window = WindowBoost(PLACES, CANDIDATES, FEATURES, CODES, EXACT)
        for place, importance in importances.items():
            window.place(place, *held[place], importance=importance)
        window.update(200)
        assert set(window.cuts.place.tolist()) == {0, 2}
        windows.append(window)
    one, two = windows
    assert one.objective == two.objective
    np.testing.assert_array_equal(one.weights, two.weights)


def test_columns_stay_below_their_limit_and_idle_cuts_go():
    rng = np.random.default_rng(7)
    options = WindowOptions(C=3.0, cap=0.2, max_columns=12, patience=3)
    window = WindowBoost(PLACES, CANDIDATES, FEATURES, CODES, options)
    n_idle = 0
    for step in range(60):
        window.place(step % PLACES, *example(rng))
        window.update(2)
        assert len(window.pool) <= 12
        assert len(window.weights) == len(window.average) == len(window.pool)
        n_idle += len(window.cuts.idle())
        assert len(window.cuts.idle()) <= 0.25 * len(window.cuts)
        assert np.isfinite(window.objective)
    assert n_idle > 0  # below that share they stay


def test_a_full_pool_replaces_an_unused_stump_by_a_new_one():
    rng = np.random.default_rng(14)
    options = WindowOptions(C=3.0, cap=0.5, max_columns=4, columns_per_round=1)
    window = WindowBoost(PLACES, CANDIDATES, FEATURES, CODES, options)
    seen = set()
    for step in range(60):
        window.place(step % PLACES, *example(rng))
        window.update(2)
        pool = window.pool
        stumps = (pool.feature.tolist(), pool.cut.tolist(), pool.polarity.tolist())
        seen |= set(zip(*stumps, strict=True))
        assert len(pool) <= 4
    assert len(seen) > 4


def test_the_same_steps_give_the_same_bytes():
    runs = []
    for _ in range(2):
        rng = np.random.default_rng(8)
        window = WindowBoost(PLACES, CANDIDATES, FEATURES, CODES, WindowOptions())
        for step in range(12):
            window.place(step % PLACES, *example(rng))
            window.update(1)
        runs.append(window.average.tobytes())
    assert runs[0] == runs[1]


def test_memory_averages_the_weights_of_the_updates():
    rng = np.random.default_rng(9)
    options = WindowOptions(C=3.0, memory=0.75, cap=0.3)
    window = WindowBoost(PLACES, CANDIDATES, FEATURES, CODES, options)
    window.place(0, *example(rng))
    window.update(5)
    np.testing.assert_array_equal(window.average, window.weights)
    first = window.average
    window.place(1, *example(rng))
    window.update(5)
    padded = np.append(first, np.zeros(len(window.weights) - len(first)))
    assert np.abs(window.weights - padded).max() > 0.01  # or any memory would do
    np.testing.assert_allclose(window.average, 0.75 * padded + 0.25 * window.weights)


def test_pricing_finds_the_best_stumps_by_brute_force():
    rng = np.random.default_rng(10)
    pool = StumpPool(20, FEATURES, CODES, 10)
    codes = rng.integers(0, CODES, (FEATURES, 20), dtype=np.uint8)
    pool.write(codes, 0)
    right, wrong = rng.integers(0, 20, 8), rng.integers(0, 20, 8)
    multiplier = rng.random(8)
    found = pool.price(right, wrong, multiplier, 1)[0]
    weight = np.zeros(20)
    np.add.at(weight, right, multiplier)
    np.add.at(weight, wrong, -multiplier)
    scores = [
        abs(weight @ np.where(codes[f] > cut, 1, -1))
        for f in range(FEATURES)
        for cut in range(CODES - 1)
    ]
    assert found.score == pytest.approx(max(scores))
