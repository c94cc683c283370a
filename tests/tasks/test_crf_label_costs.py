"""Learned costs of pairs of classes: they are metrics, fit the data, and are saved."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from segboost import CRFInstance, CRFStructBoost, load_model
from segboost.baselines import CRFStructuredSVM
from segboost.graphs.labelling import is_metric, potts
from segboost.solver.atoms import StatefulTask, Task
from segboost.tasks.crf_label_costs import LabelCostTask, cut_metrics, learn_label_costs


def strip(rng, n_nodes=30):
    """Return a chain of the classes 0, 1 and 2 in which 0 and 2 never touch."""
    labels = np.zeros(n_nodes, int)
    for t in range(1, n_nodes):
        step = rng.choice([-1, 1]) if rng.random() < 0.25 else 0
        labels[t] = min(max(labels[t - 1] + step, 0), 2)
    noise = rng.normal(0, 1.3, (n_nodes, 3))
    unary = noise - 1.5 * np.eye(3)[labels]
    edges = np.column_stack([np.arange(n_nodes - 1), np.arange(1, n_nodes)])
    return CRFInstance(unary, edges, np.ones((n_nodes - 1, 1)), labels)


RNG = np.random.default_rng(0)
TRAIN, TEST = [strip(RNG) for _ in range(20)], [strip(RNG) for _ in range(20)]


def test_sums_of_the_features_are_metrics():
    rng = np.random.default_rng(1)
    for k in (2, 3, 4, 5):
        features = cut_metrics(k)
        pairs = list(itertools.combinations(range(k), 2))
        assert len(features) == len(pairs)
        for _ in range(10):
            values = features @ (rng.exponential(size=features.shape[1]) * (rng.random() < 0.7))
            factor = np.zeros((k, k))
            for (a, b), value in zip(pairs, values, strict=True):
                factor[a, b] = factor[b, a] = value
            assert is_metric(factor)


def test_cuts_are_violated_labellings():
    rng = np.random.default_rng(2)
    graphs = [strip(rng, n) for n in (4, 5)]
    terms = [(rng.normal(size=(g.n_nodes, 3)), rng.random(g.n_edges)) for g in graphs]
    task = LabelCostTask(graphs, terms)
    assert isinstance(task, Task)
    assert isinstance(task, StatefulTask)
    equal = []
    for _ in range(8):
        scores = np.concatenate([rng.random(1), cut_metrics(3) @ rng.exponential(size=4)])
        cuts = task.separate(scores, "each")
        found = np.zeros(2)
        found[cuts.block] = cuts.loss - cuts.weights @ scores
        for i, (g, (theta, c)) in enumerate(zip(graphs, terms, strict=True)):
            y = np.array(list(itertools.product(range(3), repeat=g.n_nodes)))
            energy = scores[0] * theta[np.arange(g.n_nodes), y].sum(axis=1)
            energy += task.factor(scores)[y[:, :-1], y[:, 1:]] @ c
            truth = energy[(y == g.labels).all(axis=1)][0]
            worst = ((y != g.labels).sum(axis=1) + truth - energy).max() / 2
            assert found[i] <= worst + 1e-9
            equal.append(found[i] >= worst - 1e-9)
    assert np.mean(equal) > 0.9


def test_decoding_does_not_depend_on_earlier_separations():
    nodes = np.arange(25).reshape(5, 5)
    sides = [(nodes[:, :-1], nodes[:, 1:]), (nodes[:-1], nodes[1:])]
    edges = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in sides])
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels, theta = rng.integers(0, 4, 25), rng.normal(size=(25, 4))
        graph = CRFInstance(theta, edges, np.ones((len(edges), 1)), labels)
        terms = [(theta, rng.exponential(size=len(edges)))]
        metrics = cut_metrics(4)
        scores = np.append(1.0, metrics @ rng.exponential(size=metrics.shape[1]) / 4)
        used = LabelCostTask([graph], terms)
        used.separate(scores, "each")
        fresh = LabelCostTask([graph], terms)
        assert np.array_equal(used.decode(scores)[0], fresh.decode(scores)[0])


def test_costs_of_classes_that_never_touch_are_higher():
    terms = [(g.unary, np.ones(g.n_edges)) for g in TRAIN]
    factor = learn_label_costs(TRAIN, terms, C=20.0)
    assert is_metric(factor)
    assert np.array_equal(factor, factor.T)
    assert factor[~np.eye(3, dtype=bool)].mean() == pytest.approx(1.0)
    assert factor[0, 2] > 1.3 * max(factor[0, 1], factor[1, 2])
    # Renumbering the classes renumbers the costs.
    order = np.array([2, 0, 1])
    mixed = [CRFInstance(g.unary, g.edges, g.pairwise, order[g.labels]) for g in TRAIN]
    place = np.argsort(order)
    other = learn_label_costs(mixed, [(t[:, place], c) for t, c in terms], C=20.0)
    np.testing.assert_allclose(other, factor[np.ix_(place, place)], atol=0.1)


def test_the_costs_are_potts_if_nothing_can_be_gained():
    terms = [(np.zeros((g.n_nodes, 3)), np.zeros(g.n_edges)) for g in TRAIN[:2]]
    assert np.array_equal(learn_label_costs(TRAIN[:2], terms, C=1.0), potts(3))


@pytest.mark.parametrize("make", [CRFStructBoost, CRFStructuredSVM])
def test_estimators_learn_and_save_label_costs(make, tmp_path):
    params = {"random_state": 0, "n_iterations": 10} if make is CRFStructBoost else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        equal = make(C=20.0, unary="shared", **params).fit(TRAIN)
        model = make(C=20.0, unary="shared", label_costs="learned", **params).fit(TRAIN)
    assert equal.label_costs_ is None
    assert is_metric(model.label_costs_)
    assert model.score(TEST) > equal.score(TEST) - 0.01
    touching = [np.abs(np.diff(m.predict(g))).max() for m in (equal, model) for g in TEST]
    assert np.mean(touching[len(TEST) :]) <= np.mean(touching[: len(TEST)])
    back = load_model(model.save(tmp_path))
    assert np.array_equal(back.label_costs_, model.label_costs_)
    assert back.score_nodes(TEST[0]).tobytes() == model.score_nodes(TEST[0]).tobytes()
    with pytest.raises(ValueError, match="label_costs must be None, 'learned'"):
        make(label_costs="own").fit(TRAIN)


def test_two_classes_have_nothing_to_learn():
    two = [CRFInstance(g.unary, g.edges, g.pairwise, g.labels.clip(max=1)) for g in TRAIN]
    plain = CRFStructBoost(n_iterations=3, random_state=0).fit(two)
    model = CRFStructBoost(n_iterations=3, random_state=0, label_costs="learned").fit(two)
    assert model.label_costs_ is None
    assert model.score_nodes(two[0]).tobytes() == plain.score_nodes(two[0]).tobytes()
