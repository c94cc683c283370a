"""Invariants of the core on random tables and graphs."""

from __future__ import annotations

import itertools
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import ConvergenceWarning

from segboost import CRFInstance, CRFStructBoost, StructBoostClassifier, StructBoostRanker
from segboost.graphs.energy import energy
from segboost.graphs.graph import Graph
from segboost.graphs.min_marginals import min_marginals
from segboost.graphs.mincut import minimise

# Small whole numbers: many ties, no rounding.
WHOLE = st.integers(-5, 5).map(float)


@st.composite
def energies(draw):
    """Draw a graph of up to seven nodes with costs and capacities."""
    n = draw(st.integers(1, 7))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1])
    edges = draw(st.lists(pairs, max_size=10)) if n > 1 else []
    theta = draw(arrays(float, (n, 2), elements=WHOLE))
    capacity = draw(arrays(float, len(edges), elements=st.integers(0, 4).map(float)))
    return Graph(n, np.array(edges, int).reshape(-1, 2)), theta, capacity


def every_labelling(graph, theta, capacity):
    labellings = [np.array(y) for y in itertools.product((0, 1), repeat=graph.n_nodes)]
    return labellings, np.array([energy(graph, theta, capacity, y) for y in labellings])


@given(energies())
@settings(max_examples=60)
def test_no_labelling_has_less_energy_than_the_cut(drawn):
    _, values = every_labelling(*drawn)
    assert energy(*drawn, minimise(*drawn)) == pytest.approx(values.min())


@given(energies(), st.data())
@settings(max_examples=40)
def test_the_least_energy_under_shifts_scaling_and_renumbering(drawn, data):
    graph, theta, capacity = drawn
    least = energy(*drawn, minimise(*drawn))
    shift = data.draw(arrays(float, graph.n_nodes, elements=WHOLE))
    moved = theta + shift[:, None]
    assert energy(graph, moved, capacity, minimise(graph, moved, capacity)) == pytest.approx(
        least + shift.sum()
    )
    assert energy(
        graph, 4 * theta, 4 * capacity, minimise(graph, 4 * theta, 4 * capacity)
    ) == pytest.approx(4 * least)
    order = np.array(data.draw(st.permutations(range(graph.n_nodes))))
    renamed = Graph(graph.n_nodes, order[graph.edges].reshape(-1, 2))
    mixed = np.empty_like(theta)
    mixed[order] = theta
    assert energy(renamed, mixed, capacity, minimise(renamed, mixed, capacity)) == pytest.approx(
        least
    )
    # Swap the two labels.
    assert energy(
        graph, theta[:, ::-1], capacity, minimise(graph, theta[:, ::-1], capacity)
    ) == pytest.approx(least)


@given(energies())
@settings(max_examples=40)
def test_min_marginals_are_differences_of_least_energies(drawn):
    labellings, values = every_labelling(*drawn)
    found = min_marginals(*drawn)
    table = np.array(labellings)
    for node in range(drawn[0].n_nodes):
        off, on = values[table[:, node] == 0].min(), values[table[:, node] == 1].min()
        assert found[node] == pytest.approx(off - on)


@given(energies(), st.data())
@settings(max_examples=30)
def test_more_cost_of_one_label_never_makes_it_likelier(drawn, data):
    graph, theta, capacity = drawn
    node = data.draw(st.integers(0, graph.n_nodes - 1))
    dearer = theta.copy()
    dearer[node, 0] += data.draw(st.integers(0, 5))
    more = min_marginals(graph, dearer, capacity) - min_marginals(graph, theta, capacity)
    assert (more >= -1e-9).all()  # for the node itself and, by attraction, for all others


@st.composite
def tables(draw, n_classes=3):
    m, d = draw(st.integers(6, 16)), draw(st.integers(1, 3))
    X = draw(arrays(float, (m, d), elements=WHOLE))
    y = draw(arrays(int, m, elements=st.integers(0, n_classes - 1)))
    y[:n_classes] = range(n_classes)
    return X, y


def fit(estimator, X, y, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="all weights are zero")
        return estimator(**{"n_iterations": 30, "random_state": 0, **params}).fit(X, y)


@given(tables(), st.sampled_from([0.5, 5.0, 50.0]), st.sampled_from(["one", "each"]))
@settings(max_examples=20)
def test_bounds_hold_and_the_objective_never_rises(drawn, C, slack):
    model = fit(StructBoostClassifier, *drawn, C=C, slack=slack)
    for step in model.history_:
        assert step.lower_bound <= step.objective + 1e-9
        assert step.global_bound <= step.objective + 1e-6
    for before, after in pairwise(model.history_):
        assert after.objective <= before.objective + 1e-9
    assert model.certificate_.objective == pytest.approx(model.history_[-1].objective)
    assert (model.ensemble_.weights >= 0).all()
    # w = 0 is feasible: its slack is the largest loss.
    assert model.certificate_.objective <= C * 1.0 + 1e-6


@given(tables(), st.sampled_from([1.0, 20.0]))
@settings(max_examples=20)
def test_the_objective_bounds_the_training_error(drawn, C):
    """Slack is at least the loss: the mean error is at most (objective − |w|) / C."""
    X, y = drawn
    model = fit(StructBoostClassifier, X, y, C=C)
    slack = (model.certificate_.objective - model.ensemble_.weights.sum()) / C
    assert (model.predict(X) != y).mean() <= slack + 1e-6


@given(tables(), st.sampled_from([0.5, 4.0]))
@settings(max_examples=15)
def test_stumps_do_not_depend_on_the_scale_of_features(drawn, scale):
    X, y = drawn
    one, other = (fit(StructBoostClassifier, Z, y, C=10.0) for Z in (X, scale * X))
    assert other.certificate_.objective == pytest.approx(one.certificate_.objective, rel=1e-6)
    assert np.array_equal(one.predict(X), other.predict(scale * X))


@given(tables(2))
@settings(max_examples=15)
def test_ranks_do_not_depend_on_the_scale_of_features(drawn):
    X, y = drawn
    one, other = (fit(StructBoostRanker, Z, y, C=10.0) for Z in (X, 8 * X))
    np.testing.assert_allclose(one.predict(X), other.predict(8 * X), atol=1e-6)


@given(tables(), st.integers(1, 5))
@settings(max_examples=10)
def test_the_last_stage_is_the_prediction(drawn, rounds):
    X, y = drawn
    model = fit(StructBoostClassifier, X, y, C=10.0, n_iterations=rounds)
    *_, last = model.staged_predict(X)
    assert np.array_equal(last, model.predict(X))


@given(st.integers(0, 2**16), st.sampled_from([1.0, 30.0]))
@settings(max_examples=8)
def test_bounds_weights_and_node_scores_of_a_crf(seed, C):
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(3):
        labels = rng.integers(0, 2, 6)
        unary = (1 - 2 * labels)[:, None] * 0.5 + rng.normal(size=(6, 2))
        edges = np.column_stack([np.arange(5), np.arange(1, 6)])
        graphs.append(CRFInstance(unary, edges, rng.random((5, 1)), labels))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CRFStructBoost(C=C, n_iterations=15, random_state=0).fit(graphs)
    for step in model.history_:
        assert step.lower_bound <= step.objective + 1e-9
    assert (model.ensemble_.weights >= 0).all()
    for graph in graphs:
        scores = model.score_nodes(graph)
        assert ((scores > 0) == (model.predict(graph) == 1))[np.abs(scores) > 1e-9].all()
