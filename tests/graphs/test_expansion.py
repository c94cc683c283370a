"""Expansions and swaps against exhaustive search, the proven factor and the LP bound."""

import numpy as np
import pytest

from segboost.graphs.expansion import expand, expand_all, expansion_marginals, move_terms
from segboost.graphs.graph import Graph
from segboost.graphs.label_persistency import fix_labels_numpy, reduce
from segboost.graphs.labelling import is_metric, make_energy, potts
from segboost.graphs.min_marginals import min_marginals
from segboost.graphs.mincut import minimise
from segboost.graphs.relaxation import relaxation_bound
from segboost.graphs.swap import swap
from tests.graphs.random_labels import Labelling, random_labelling, random_metric

SQUARED = (np.arange(4)[:, None] - np.arange(4)) ** 2.0


def draw(seed, number, n_labels=None, metric=False, integer=False):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        k = int(rng.integers(2, 5)) if n_labels is None else n_labels
        e = random_labelling(rng, int(rng.integers(1, 9 if k < 4 else 8)), k, integer)
        factor = random_metric(rng, k) if metric else None
        yield Labelling(e.graph, e.theta, e.capacity, factor)


def test_expansions_find_the_minimum_of_almost_all_of_200_graphs():
    equal = []
    for e in draw(0, 200):
        least = e.all_values()[1].min()
        found = e.value(expand(*e.terms))
        assert least - 1e-9 <= found <= 2 * least + 1e-9
        equal.append(found <= least + 1e-9)
    assert np.mean(equal) >= 0.95


def test_expansions_with_a_metric_stay_within_the_proven_factor():
    equal = []
    for e in draw(1, 100, metric=True):
        off = e.factor[~np.eye(len(e.factor), dtype=bool)]
        least = e.all_values()[1].min()
        found = e.value(expand(*e.terms, e.factor))
        assert least - 1e-9 <= found <= 2 * off.max() / off.min() * least + 1e-9
        equal.append(found <= least + 1e-9)
    assert np.mean(equal) >= 0.9


def test_no_expansion_and_no_swap_improves_the_result():
    """Checked by enumerating all moves: a local minimum need not be the global one."""
    for e in draw(2, 40):
        labellings, values = e.all_values()
        y = expand(*e.terms)
        for alpha in range(e.theta.shape[1]):
            moves = ((labellings == y) | (labellings == alpha)).all(axis=1)
            assert values[moves].min() >= e.value(y) - 1e-9
        y = swap(*e.terms)
        pairs = [(a, b) for a in range(e.theta.shape[1]) for b in range(a)]
        for a, b in pairs:
            free = (y == a) | (y == b)
            moves = np.where(free, (labellings == a) | (labellings == b), labellings == y)
            assert values[moves.all(axis=1)].min() >= e.value(y) - 1e-9


def test_two_labels_are_exact():
    for e in draw(3, 60, n_labels=2):
        least = e.value(minimise(*e.terms))
        assert e.value(expand(*e.terms)) == pytest.approx(least, abs=1e-9)
        assert e.value(swap(*e.terms)) == pytest.approx(least, abs=1e-9)


def test_swaps_take_factors_that_are_not_metrics():
    assert not is_metric(SQUARED)
    equal = []
    for e in draw(4, 60, n_labels=4):
        e = Labelling(e.graph, e.theta, e.capacity, SQUARED)
        least = e.all_values()[1].min()
        found = e.value(swap(*e.terms, SQUARED))
        assert found >= least - 1e-9
        equal.append(found <= least + 1e-9)
    assert np.mean(equal) >= 0.8
    with pytest.raises(ValueError, match="metric for expansions"):
        expand(*e.terms, SQUARED)


def test_the_relaxation_bounds_the_minimum_and_is_mostly_tight():
    tight = []
    for e in draw(5, 40):
        bound, least = relaxation_bound(*e.terms), e.all_values()[1].min()
        assert bound <= least + 1e-7
        tight.append(bound >= least - 1e-7)
    assert np.mean(tight) >= 0.8
    # A frustrated triangle has no integral solution: every node forbids one label.
    triangle = Graph(3, [[0, 1], [1, 2], [2, 0]])
    theta = np.array([[9.0, 0, 0], [0, 9, 0], [0, 0, 9]])
    assert relaxation_bound(triangle, theta, np.ones(3)) == pytest.approx(1.5)
    loop = Labelling(triangle, theta, np.ones(3))
    assert loop.all_values()[1].min() == 2.0
    for e in draw(6, 10, metric=True):
        assert relaxation_bound(*e.terms, e.factor) <= e.all_values()[1].min() + 1e-7


@pytest.mark.parametrize("search", [expand, swap])
@pytest.mark.parametrize("integer", [False, True])
def test_renumbering_labels_renumbers_the_result(search, integer):
    rng = np.random.default_rng(7)
    checked = 0
    for e in draw(8, 60, n_labels=4, integer=integer):
        if len(np.unique(e.theta, axis=1).T) < 4:
            continue  # two labels with the same costs are interchangeable
        order = rng.permutation(4)
        found = search(e.graph, e.theta[:, order], e.capacity)
        assert np.array_equal(order[found], search(*e.terms))
        checked += 1
    assert checked > 40


@pytest.mark.parametrize("search", [expand, swap])
def test_interchangeable_and_unused_labels_do_not_change_the_others(search):
    """Two labels with the same costs, and one that no node can afford, under renumbering."""
    rng = np.random.default_rng(19)
    for e in draw(20, 40, n_labels=3, integer=True):
        if len(np.unique(e.theta, axis=1).T) < 3:
            continue
        theta = np.column_stack([e.theta, e.theta[:, 1], np.full(len(e.theta), 99.0)])
        order = rng.permutation(5)
        found = search(e.graph, theta, e.capacity)
        other = order[search(e.graph, theta[:, order], e.capacity)]
        assert 4 not in found
        # Labels 1 and 3 are interchangeable.
        assert np.array_equal(np.where(found == 3, 1, found), np.where(other == 3, 1, other))


def test_order_of_nodes_and_edges_does_not_matter():
    rng = np.random.default_rng(9)
    for _ in range(30):
        e = random_labelling(rng, 25, 4)
        node, edge = rng.permutation(25), rng.permutation(e.graph.n_edges)
        shuffled = Graph(25, np.argsort(node)[e.graph.edges[edge]][:, ::-1])
        found = expand(shuffled, e.theta[node], e.capacity[edge])
        assert np.array_equal(found, expand(*e.terms)[node])


def test_a_start_is_kept_if_nothing_improves_it():
    rng = np.random.default_rng(10)
    for e in draw(11, 40, n_labels=4):
        first = expand(*e.terms)
        assert np.array_equal(expand(*e.terms, start=first), first)
        start = rng.integers(0, 4, e.graph.n_nodes)
        again = expand(*e.terms, start=start)
        assert e.value(again) <= e.value(start) + 1e-9


@pytest.mark.parametrize("metric", [False, True])
@pytest.mark.parametrize("warm", [False, True])
def test_stacked_graphs_get_the_labels_of_each_alone(metric, warm):
    rng = np.random.default_rng(17)
    factor = random_metric(rng, 4) if metric else None
    for _ in range(8):
        parts = [random_labelling(rng, int(n), 4) for n in rng.integers(0, 30, 6)]
        first = np.cumsum([0, *(e.graph.n_nodes for e in parts)])
        edges = [e.graph.edges + s for e, s in zip(parts, first, strict=False)]
        start = rng.integers(0, 4, first[-1]) if warm else None
        found = expand_all(
            Graph(int(first[-1]), np.concatenate(edges)),
            first,
            np.concatenate([e.theta for e in parts]),
            np.concatenate([e.capacity for e in parts]),
            factor,
            start,
        )
        for e, a, b in zip(parts, first[:-1], first[1:], strict=True):
            alone = expand(*e.terms, factor, None if start is None else start[a:b])
            assert np.array_equal(found[a:b], alone)


@pytest.mark.parametrize("metric", [False, True])
def test_move_terms_give_the_change_of_the_energy(metric):
    """Random moves from random labels, and the best move against all moves."""
    rng = np.random.default_rng(18)
    for e in draw(18, 30, n_labels=3, metric=metric):
        problem = make_energy(*e.terms, e.factor)
        y = rng.integers(0, 3, e.graph.n_nodes)
        tail, head = e.graph.edges.T
        labellings, values = e.all_values()
        for alpha in range(3):
            costs, attraction = move_terms(problem, y, alpha)
            for _ in range(5):
                x = rng.integers(0, 2, e.graph.n_nodes)
                change = costs[np.arange(len(x)), x].sum() + (x[tail] != x[head]) @ attraction
                moved = e.value(np.where(x, alpha, y))
                assert moved == pytest.approx(e.value(y) + change, abs=1e-9)
            best = np.where(minimise(e.graph, costs, attraction), alpha, y)
            moves = ((labellings == y) | (labellings == alpha)).all(axis=1)
            assert e.value(best) == pytest.approx(values[moves].min(), abs=1e-9)


def test_persistent_labels_are_those_of_a_minimiser_and_equal_the_numpy_twin():
    shares = []
    for e in [*draw(12, 60), *draw(13, 40, metric=True)]:
        problem = make_energy(*e.terms, e.factor)
        part = reduce(problem)
        assert np.array_equal(part.labels, fix_labels_numpy(problem))
        fixed = part.labels >= 0
        labellings, values = e.all_values()
        agreeing = (labellings[:, fixed] == part.labels[fixed]).all(axis=1)
        assert values[agreeing].min() == pytest.approx(values.min(), abs=1e-9)
        best = labellings[values <= values.min() + 1e-12][:, part.free]
        assert np.isin(best, part.useful).all()
        shares.append(fixed.mean())
    assert 0.2 < np.mean(shares) < 0.999


def test_scores_of_two_labels_are_min_marginals():
    for e in draw(14, 40, n_labels=2):
        scores = expansion_marginals(*e.terms, expand(*e.terms))
        np.testing.assert_allclose(scores[:, 1] - scores[:, 0], min_marginals(*e.terms), atol=1e-9)


def test_scores_bound_the_exact_ones_and_mostly_equal_them():
    equal = []
    for e in draw(15, 60, n_labels=3):
        labellings, values = e.all_values()
        y = expand(*e.terms)
        scores = expansion_marginals(*e.terms, y)
        assert np.array_equal(scores.max(axis=1), np.zeros(len(y)))
        assert (scores[np.arange(len(y)), y] == 0).all()
        for p in range(len(y)):
            for k in range(3):
                exact = e.value(y) - values[labellings[:, p] == k].min()
                assert scores[p, k] <= exact + 1e-9
                equal.append(scores[p, k] >= exact - 1e-9)
    assert np.mean(equal) > 0.9


def test_inputs_are_not_changed():
    e = random_labelling(np.random.default_rng(16), 12, 4)
    start = np.zeros(12, np.intp)
    before = [a.copy() for a in (e.theta, e.capacity, e.graph.edges, start)]
    expand(*e.terms, start=start)
    swap(*e.terms, start=start)
    for old, new in zip(before, (e.theta, e.capacity, e.graph.edges, start), strict=True):
        assert np.array_equal(old, new)


def test_degenerate_graphs():
    for search in (expand, swap):
        assert search(Graph(0, []), np.zeros((0, 3)), []).shape == (0,)
        assert search(Graph(2, [[0, 1]]), [[1.0], [2.0]], [1]).tolist() == [0, 0]
        assert search(Graph(2, []), [[3, 1, 2], [3, 2, 1]], []).tolist() == [1, 2]
        loops = Graph(2, [[0, 0], [0, 1], [1, 0]])
        assert search(loops, [[9, 3, 0], [9, 0, 2.5]], [99, 1, 1]).tolist() == [2, 1]
        assert search(loops, [[9, 3, 0], [9, 0, 2.5]], [0, 1.5, 1.5]).tolist() == [2, 2]
    assert relaxation_bound(Graph(0, []), np.zeros((0, 3)), []) == 0.0


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("theta", {"theta": np.zeros((3, 3))}),
        ("theta", {"theta": np.full((2, 3), np.nan)}),
        ("capacity", {"capacity": [1, 1]}),
        ("capacity", {"capacity": [-1]}),
        ("capacity", {"capacity": [np.inf]}),
        ("factor", {"factor": potts(2)}),
        ("factor", {"factor": -potts(3)}),
        ("factor", {"factor": np.ones((3, 3))}),
        ("factor", {"factor": np.triu(potts(3))}),
    ],
)
def test_a_bad_argument_is_named(name, change):
    good = {"graph": Graph(2, [[0, 1]]), "theta": np.zeros((2, 3)), "capacity": [1]}
    with pytest.raises(ValueError, match=name):
        expand(**{**good, **change})
