"""CRFStructBoost: prediction against enumeration, node scores, degenerate graphs."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from segboost import CRFInstance, CRFStructBoost
from tests.contracts.limits import time_limit
from tests.estimators.tables import graphs

QUICK = {"C": 20.0, "n_iterations": 10, "random_state": 0}


def small(rng, p, labels=None):
    pairs = np.array(list(itertools.combinations(range(p), 2)), int).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < 0.5]
    labels = rng.integers(0, 2, p) if labels is None else np.full(p, labels)
    unary = (1 - 2 * labels)[:, None] + rng.normal(0, 1, (p, 2))
    return CRFInstance(unary, edges, rng.random((len(edges), 2)), labels)


def fit(instances, **params):
    with time_limit(30), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return CRFStructBoost(**{**QUICK, **params}).fit(instances)


def energies(model, instance):
    theta, capacity = model.energy_terms(instance)
    outputs = np.array(list(itertools.product((0, 1), repeat=instance.n_nodes)))
    tail, head = instance.edges.T
    unary = np.where(outputs == 1, theta[:, 1], theta[:, 0]).sum(axis=1)
    return outputs, unary + (outputs[:, tail] != outputs[:, head]) @ capacity


def test_predictions_have_the_least_energy_and_scores_are_min_marginals():
    rng = np.random.default_rng(0)
    model = fit([small(rng, p) for p in (6, 7, 8, 5, 6, 7)])
    assert (model.ensemble_.channel == 1).any()
    for p in (1, 4, 8):
        instance = small(rng, p)
        outputs, energy = energies(model, instance)
        predicted = model.predict(instance)
        place = int("".join(map(str, predicted)), 2)
        assert energy[place] == pytest.approx(energy.min(), abs=1e-9)
        scores = model.score_nodes(instance)
        for node in range(p):
            on = outputs[:, node] == 1
            expected = energy[~on].min() - energy[on].min()
            assert scores[node] == pytest.approx(expected, abs=1e-9)
        clear = np.abs(scores) > 1e-9
        assert np.array_equal((scores > 0)[clear], predicted[clear] == 1)


def test_learning_beats_the_unaries():
    train, test = graphs(0, 20), graphs(1, 20)
    model = fit(train, n_iterations=30)
    right = np.mean([np.mean(model.predict(g) == g.labels) for g in test])
    alone = np.mean([np.mean((g.unary.sum(axis=1) < 0) == g.labels) for g in test])
    assert right > alone
    assert right > 0.85


def test_graphs_without_edges():
    rng = np.random.default_rng(1)
    instances = [
        CRFInstance(g.unary, np.zeros((0, 2), int), np.zeros((0, 2)), g.labels)
        for g in (small(rng, p) for p in (5, 6, 7))
    ]
    model = fit(instances)
    for g in instances:
        scores = model.score_nodes(g)
        assert np.array_equal(model.predict(g), (scores > 0).astype(int))
        # Without edges, the score of a node depends on that node only.
        alone = CRFInstance(g.unary[:1], np.zeros((0, 2), int), np.zeros((0, 2)))
        assert model.score_nodes(alone)[0] == pytest.approx(scores[0])


def joined(instances):
    """Return one graph whose connected components are the given graphs."""
    starts = np.cumsum([0, *(g.n_nodes for g in instances[:-1])])
    return CRFInstance(
        np.concatenate([g.unary for g in instances]),
        np.concatenate([g.edges + start for g, start in zip(instances, starts, strict=True)]),
        np.concatenate([g.pairwise for g in instances]),
        np.concatenate([g.labels for g in instances]),
    )


def test_graphs_with_and_without_edges_together():
    """Three graphs are learned like one graph of three components."""
    rng = np.random.default_rng(2)
    bare = CRFInstance(
        rng.normal(0, 1, (4, 2)), np.zeros((0, 2), int), np.zeros((0, 1)), [0, 1] * 2
    )
    first, last = graphs(3, 2)
    mixed = [first, bare, last]
    exact = {"gap": 1e-7, "epsilon_cg": 1e-7, "n_iterations": 300}
    model, whole = fit(mixed, C=6.0, **exact), fit([joined(mixed)], C=2.0, **exact)
    assert model.ensemble_.weights[model.ensemble_.channel == 1].sum() > 0.1
    assert model.certificate_.objective == pytest.approx(whole.certificate_.objective, rel=1e-5)
    together = np.concatenate([model.predict(g) for g in mixed])
    assert np.array_equal(together, model.predict(joined(mixed)))


def test_isolated_nodes():
    rng = np.random.default_rng(3)
    g = small(rng, 5)
    unary = np.concatenate([g.unary, rng.normal(0, 1, (2, 2))])
    lonely = CRFInstance(unary, g.edges, g.pairwise, np.append(g.labels, [0, 1]))
    model = fit([lonely, small(rng, 6)])
    assert np.array_equal(model.predict(lonely)[:5], model.predict(g))
    assert model.score_nodes(lonely)[:5] == pytest.approx(model.score_nodes(g))


def test_one_node():
    no_edges = np.zeros((0, 2), int)
    one = [CRFInstance([[v]], no_edges, np.zeros((0, 1)), [int(v < 0)]) for v in (-1.0, 2.0)]
    model = fit(one)
    assert [model.predict(g).tolist() for g in one] == [[1], [0]]
    assert model.score_nodes(one[0])[0] > 0 > model.score_nodes(one[1])[0]


def test_an_empty_graph_among_others():
    rng = np.random.default_rng(4)
    empty = CRFInstance(np.zeros((0, 2)), np.zeros((0, 2), int), np.zeros((0, 2)), np.zeros(0))
    model = fit([empty, small(rng, 6)])
    assert model.predict(empty).shape == (0,)
    assert model.score_nodes(empty).shape == (0,)


@pytest.mark.parametrize("label", [0, 1])
def test_labels_of_one_class_are_learned_as_a_bias(label):
    rng = np.random.default_rng(5)
    instances = [small(rng, p, label) for p in (5, 6, 4)]
    model = fit(instances)
    for g in instances:
        assert (model.predict(g) == label).all()


def test_constant_potentials():
    labels = np.array([0, 1, 1, 1])
    chain = np.column_stack([np.arange(3), np.arange(1, 4)])
    g = CRFInstance(np.ones((4, 1)), chain, np.ones((3, 1)), labels)
    model = fit([g, g])
    assert (model.predict(g) == 1).all()


def test_edges_without_potentials_still_smooth():
    model = fit(
        [CRFInstance(g.unary, g.edges, np.zeros((g.n_edges, 0)), g.labels) for g in graphs(0, 10)],
        n_iterations=20,
    )
    assert model.n_pairwise_in_ == 0
    assert model.ensemble_.weights[model.ensemble_.channel == 1].sum() > 0


def test_only_empty_graphs():
    empty = CRFInstance(np.zeros((0, 2)), np.zeros((0, 2), int), np.zeros((0, 1)), np.zeros(0))
    with pytest.warns(ConvergenceWarning, match="nothing to learn"), time_limit(20):
        model = CRFStructBoost(**QUICK).fit([empty, empty])
    assert model.certificate_.objective == 0.0
    assert model.predict(empty).shape == (0,)


def test_node_weights_scale_the_loss():
    """Multiplying the loss by k multiplies the weights and the objective by k."""
    rng = np.random.default_rng(6)
    plain = [small(rng, p) for p in (7, 5)]
    heavy = [
        CRFInstance(g.unary, g.edges, g.pairwise, g.labels, np.full(g.n_nodes, 3.0)) for g in plain
    ]
    exact = {"gap": 1e-8, "epsilon_cg": 1e-8, "n_iterations": 300}
    one, three = (fit(g, **exact).certificate_.objective for g in (plain, heavy))
    assert three == pytest.approx(3 * one, rel=1e-6)


def test_invalid_or_mismatched_input_is_refused():
    train = graphs(0, 3)
    model = fit(train)
    bare = CRFInstance(train[0].unary, train[0].edges, train[0].pairwise)
    assert model.predict(bare).shape == (12,)
    with pytest.raises(ValueError, match="must have labels"):
        fit([bare])
    with pytest.raises(ValueError, match="empty"):
        fit([])
    wide = CRFInstance(np.ones((2, 3)), [[0, 1]], np.ones((1, 1)))
    for use in (model.predict, model.score_nodes, model.energy_terms):
        with pytest.raises(ValueError, match="3 unary potentials"):
            use(wide)
    with pytest.raises(ValueError, match="sample_weight"):
        CRFStructBoost(**QUICK).fit(train, sample_weight=[1, 2])


def test_instance_weights_equal_copies():
    train = graphs(0, 4, 8)
    exact = {"gap": 1e-7, "epsilon_cg": 1e-7, "n_iterations": 300, "C": 5.0}
    model = CRFStructBoost(**{**QUICK, **exact})
    weighted = model.fit(train, sample_weight=[2, 1, 0, 1]).certificate_.objective
    copied = model.fit([train[0], train[0], train[1], train[3]]).certificate_.objective
    assert weighted == pytest.approx(copied, rel=1e-5)


@pytest.mark.parametrize("unary", ["stump", "tree"])
@pytest.mark.parametrize("pairwise", ["stump", "tree"])
def test_learners_of_both_channels(unary, pairwise):
    model = fit(graphs(0, 5), weak_learner=unary, pairwise_learner=pairwise)
    found = zip(model.ensemble_.channel, model.ensemble_.hypotheses, strict=True)
    kinds = {(channel, hypothesis.kind) for channel, hypothesis in found}
    # Trees that are no better than a stump become one.
    assert kinds | {(0, "stump"), (1, "stump")} == {
        (0, "stump"),
        (1, "stump"),
        (0, unary),
        (1, pairwise),
    }
    theta, capacity = model.energy_terms(graphs(1, 1)[0])
    assert np.ptp(theta) > 0
    assert capacity.max() > 0
