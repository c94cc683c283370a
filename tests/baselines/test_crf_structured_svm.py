"""The structured SVM for CRFs against the programme with all constraints; its certificates."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from segboost.baselines import ChainStructuredSVM
from segboost.baselines.crf_structured_svm import CRFStructuredSVM
from segboost.baselines.cutting_plane import SVMCuttingPlane
from segboost.baselines.quadratic import QuadraticProgramme, solve
from segboost.tasks.crf import CRFInstance, CRFTask


def random_instance(rng, n_nodes, n_pairwise=2):
    """Return an instance whose unary potentials are its labels with noise."""
    pairs = np.array(list(itertools.combinations(range(n_nodes), 2)), int).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < 0.6]
    labels = rng.integers(0, 2, n_nodes)
    unary = (1 - 2 * labels)[:, None] * [1.0, 0.5] + rng.normal(0, 1, (n_nodes, 2))
    same = labels[edges[:, 0]] == labels[edges[:, 1]]
    pairwise = rng.random((len(edges), n_pairwise)) * (0.3 + same[:, None])
    return CRFInstance(unary, edges, pairwise, labels)


def instances(seed=0, sizes=(3, 5, 1, 4)):
    rng = np.random.default_rng(seed)
    return [random_instance(rng, n) for n in sizes]


def all_constraints(graphs, C, submodular=True):
    """Return the optimum with a constraint for every labelling of every graph.

    If the energy need not be submodular, the weights of the edges may be negative.
    """
    normals, loss, block = [], [], []
    for i, g in enumerate(graphs):
        U = np.column_stack([g.unary, np.ones(g.n_nodes)])
        V = np.column_stack([g.pairwise, np.ones(g.n_edges)])

        def potentials(y, g=g, U=U, V=V):
            cut = y[g.edges[:, 0]] != y[g.edges[:, 1]]
            return np.concatenate([(2 * y - 1) @ U, cut.astype(float) @ V])

        for row in itertools.product((0, 1), repeat=g.n_nodes):
            y = np.array(row)
            normals.append((potentials(y) - potentials(g.labels)) / len(graphs))
            loss.append((y != g.labels).sum() / len(graphs))
            block.append(i)
    nonnegative = submodular & (np.arange(len(normals[0])) >= graphs[0].unary.shape[1] + 1)
    return solve(
        QuadraticProgramme(np.array(normals), np.array(loss), np.array(block), C, nonnegative)
    )


@pytest.mark.parametrize("slack", ["one", "each", 2])
@pytest.mark.parametrize("C", [0.1, 2.0, 200.0])
def test_equals_the_programme_with_all_constraints(slack, C):
    graphs = instances()
    full = all_constraints(graphs, C)
    assert full.objective - full.lower_bound <= 1e-8 * full.objective
    model = CRFStructuredSVM(C, gap=1e-7, slack=slack).fit(graphs)
    assert model.certificate_.objective == pytest.approx(full.objective, rel=1e-6)
    assert model.certificate_.lower_bound <= full.objective * (1 + 1e-9)
    theta = np.concatenate(
        [
            model.unary_coef_,
            [model.unary_intercept_],
            model.pairwise_coef_,
            [model.pairwise_intercept_],
        ]
    )
    assert theta == pytest.approx(full.theta, abs=2e-3 * np.abs(full.theta).max())


@pytest.mark.parametrize("slack", ["one", "each", 3])
def test_bounds_hold_at_every_step_and_the_gap_closes(slack):
    graphs = instances(1, [12] * 6)
    solver = SVMCuttingPlane(CRFTask(graphs), C=5.0, gap=1e-5, slack=slack)
    steps = list(solver.steps())
    upper = np.array([s.objective for s in steps])
    lower = np.array([s.lower_bound for s in steps])
    assert (lower <= upper * (1 + 1e-9)).all()
    assert (np.diff(upper) <= 0).all()
    assert (np.diff(lower) >= 0).all()
    assert steps[-1].gap <= 1e-5
    assert (np.diff([s.seconds for s in steps]) >= 0).all()


def test_pairwise_weights_stay_nonnegative():
    """Without the constraint, edges that join different labels would get negative weights."""
    rng = np.random.default_rng(2)
    graphs = []
    for g in instances(2, [8] * 5):
        differ = g.labels[g.edges[:, 0]] != g.labels[g.edges[:, 1]]
        graphs.append(replace(g, pairwise=(differ + 0.1 * rng.random(len(differ)))[:, None]))
    model = CRFStructuredSVM(C=50.0).fit(graphs)
    assert model.pairwise_coef_.min() >= 0
    assert model.pairwise_intercept_ >= 0
    free = all_constraints(graphs, 50.0, submodular=False)
    assert free.theta[3:].min() < -0.1
    assert free.objective < model.certificate_.lower_bound
    bound = all_constraints(graphs, 50.0)
    assert model.certificate_.objective == pytest.approx(bound.objective, rel=2e-3)


def test_transitions_of_chains_may_be_negative():
    """Chains are decoded exactly with weights of any sign, so the constraint is left out."""
    model = ChainStructuredSVM(C=10.0).fit([np.zeros((6, 1))] * 2, [[0, 1] * 3] * 2)
    assert model.transition_.diagonal().max() < -0.1


def test_node_scores_are_min_marginals_and_agree_with_the_labels():
    graphs = instances(3, [7] * 6)
    model = CRFStructuredSVM(C=10.0).fit(graphs)
    for g in graphs:
        y = np.array(list(itertools.product((0, 1), repeat=g.n_nodes)))
        node = g.unary @ model.unary_coef_ + model.unary_intercept_
        edge = g.pairwise @ model.pairwise_coef_ + model.pairwise_intercept_
        value = (2 * y - 1) @ node + (y[:, g.edges[:, 0]] != y[:, g.edges[:, 1]]) @ edge
        expected = [value[y[:, p] == 0].min() - value[y[:, p] == 1].min() for p in range(7)]
        scores = model.score_nodes(g)
        assert scores == pytest.approx(expected, abs=1e-9)
        assert np.array_equal(model.predict(g), y[value.argmin()])
        assert np.array_equal(model.predict(g), scores > 0)


def test_order_of_nodes_edges_and_instances_does_not_matter():
    rng = np.random.default_rng(4)
    graphs = instances(4, [9] * 5)
    shuffled = []
    for g in graphs:
        node, edge = rng.permutation(g.n_nodes), rng.permutation(g.n_edges)
        edges = np.argsort(node)[g.edges[edge]][:, ::-1]
        shuffled.append(CRFInstance(g.unary[node], edges, g.pairwise[edge], g.labels[node]))
    a = CRFStructuredSVM(C=5.0, gap=1e-7).fit(graphs)
    b = CRFStructuredSVM(C=5.0, gap=1e-7).fit(shuffled[::-1])
    assert a.certificate_.objective == pytest.approx(b.certificate_.objective, rel=1e-6)
    assert a.unary_coef_ == pytest.approx(b.unary_coef_, abs=1e-3)


def test_the_sign_of_the_potentials_does_not_matter():
    graphs = instances(5, [9] * 5)
    flipped = [replace(g, unary=-g.unary) for g in graphs]
    a = CRFStructuredSVM(C=5.0, gap=1e-6).fit(graphs)
    b = CRFStructuredSVM(C=5.0, gap=1e-6).fit(flipped)
    for g, f in zip(graphs, flipped, strict=True):
        assert np.array_equal(a.predict(g), b.predict(f))


def test_sample_weights_equal_repeated_instances():
    graphs = instances(6, [8] * 4)
    a = CRFStructuredSVM(C=5.0, gap=1e-7).fit(graphs, sample_weight=[2, 1, 1, 0])
    b = CRFStructuredSVM(C=5.0, gap=1e-7).fit([graphs[0], *graphs[:3]])
    assert a.certificate_.objective == pytest.approx(b.certificate_.objective, rel=1e-6)


def test_degenerate_graphs():
    lonely = CRFInstance(np.array([[1.0], [-1.0]]), [], np.zeros((0, 0)), [0, 1])
    empty = CRFInstance(np.zeros((0, 1)), [], np.zeros((0, 0)), np.zeros(0, int))
    for fit_intercept in (True, False):
        model = CRFStructuredSVM(C=10.0, fit_intercept=fit_intercept).fit([lonely, empty])
        assert model.predict(lonely).tolist() == [0, 1]
        assert model.predict(empty).shape == (0,)
        assert model.score_nodes(empty).shape == (0,)
    pair = CRFInstance(np.array([[1.0], [0.5]]), [[0, 1]], np.zeros((1, 0)), [0, 0])
    assert CRFStructuredSVM(C=10.0, fit_intercept=False).fit([pair]).predict(pair).tolist() == [
        0,
        0,
    ]


def test_misuse_is_reported():
    graphs = instances()
    with pytest.raises(NotFittedError):
        CRFStructuredSVM().predict(graphs[0])
    with pytest.raises(ValueError, match="labels"):
        CRFStructuredSVM().fit([replace(graphs[0], labels=None)])
    with pytest.raises(ValueError, match="empty"):
        CRFStructuredSVM().fit([])
    model = CRFStructuredSVM().fit(graphs)
    with pytest.raises(ValueError, match="unary potentials"):
        model.predict(replace(graphs[0], unary=graphs[0].unary[:, :1]))
    assert clone(model).get_params() == CRFStructuredSVM().get_params()


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_interrupt_ends_the_whole_fit(wrapped):
    """With unknown labels there are two problems; Ctrl-C in the first leaves out the second."""
    graphs = [replace(g, labels=np.r_[-1, g.labels[1:]]) for g in instances(sizes=(4, 5, 6))]
    steps = []

    def interrupt(step):
        steps.append(step)
        if len(steps) == 2:
            if wrapped:
                raise SystemError from KeyboardInterrupt()
            raise KeyboardInterrupt

    model = CRFStructuredSVM(C=100.0, gap=1e-8, callback=interrupt)
    with pytest.warns(ConvergenceWarning, match="interrupted after 2 iterations"):
        model.fit(graphs)
    assert len(steps) == 2
    assert model.history_ == steps
    assert len(model.predict(graphs)) == 3
