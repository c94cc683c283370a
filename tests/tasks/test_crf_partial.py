"""Unlabelled nodes: completion and criterion against enumeration, rounds that cannot get worse."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from segboost import CRFInstance, CRFStructBoost
from segboost.baselines import CRFStructuredSVM
from segboost.tasks.crf import CRFTask
from segboost.tasks.crf_partial import complete, labelled_part, learning_rounds
from tests.tasks.test_crf import labellings


def partial(rng, n_nodes, share=0.5, weighted=False):
    """Return a random graph with informative unaries and some unknown labels."""
    pairs = np.array(list(itertools.combinations(range(n_nodes), 2)), int).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < 0.4]
    labels = rng.integers(0, 2, n_nodes)
    unary = (1 - 2 * labels)[:, None] + rng.normal(0, 1.5, (n_nodes, 2))
    labels[rng.random(n_nodes) < share] = -1
    weight = rng.random(n_nodes) * 3 if weighted else None
    return CRFInstance(unary, edges, rng.random((len(edges), 2)), labels, weight)


def random_terms(rng, instance):
    return rng.normal(0, 1, (instance.n_nodes, 2)), rng.random(instance.n_edges)


def energies(instance, theta, capacity):
    """Return all labellings and their energies, from the definition."""
    y = labellings(instance.n_nodes)
    tail, head = instance.edges.T
    unary = theta[np.arange(instance.n_nodes), y].sum(axis=1)
    return y, unary + (y[:, tail] != y[:, head]) @ capacity


def agrees(instance, y):
    known = instance.labels >= 0
    return (y[:, known] == instance.labels[known]).all(axis=1)


def criterion(model, instances, C, norm):
    """Return J as defined in `segboost.tasks.crf_partial`, by enumeration."""
    worst = []
    for instance in instances:
        y, energy = energies(instance, *model.energy_terms(instance))
        cost = np.ones(instance.n_nodes) if instance.node_weight is None else instance.node_weight
        loss = ((y != instance.labels) * cost * (instance.labels >= 0)).sum(axis=1)
        worst.append((loss + energy[agrees(instance, y)].min() - energy).max())
    return norm(model) + C * np.mean(worst)


@pytest.mark.parametrize("weighted", [False, True])
def test_completion_is_the_best_labelling_that_agrees_with_the_labels(weighted):
    rng = np.random.default_rng(0)
    for n_nodes in (1, 2, 5, 8, 9):
        for _ in range(6):
            instance = partial(rng, n_nodes, weighted=weighted)
            terms = random_terms(rng, instance)
            done = complete(instance, *terms)
            y, energy = energies(instance, *terms)
            mine = energy[(y == done.labels).all(axis=1)][0]
            assert agrees(instance, done.labels[None]).all()
            assert mine == pytest.approx(energy[agrees(instance, y)].min(), abs=1e-12)
            weight = np.ones(n_nodes) if instance.node_weight is None else instance.node_weight
            assert np.array_equal(done.node_weight, weight * (instance.labels >= 0))


def test_the_labelled_part_has_the_energy_of_labelled_nodes_and_edges_between_them():
    rng = np.random.default_rng(1)
    instance = partial(rng, 8, weighted=True)
    part = labelled_part(instance)
    nodes = np.flatnonzero(instance.labels >= 0)
    assert np.array_equal(part.labels, instance.labels[nodes])
    assert np.array_equal(part.unary, instance.unary[nodes])
    assert np.array_equal(part.node_weight, instance.node_weight[nodes])
    inner = [e for e, pair in enumerate(instance.edges) if set(pair) <= set(nodes.tolist())]
    assert np.array_equal(nodes[part.edges], instance.edges[inner])
    assert np.array_equal(part.pairwise, instance.pairwise[inner])


def test_loss_augmented_inference_leaves_unlabelled_nodes_free():
    rng = np.random.default_rng(2)
    for _ in range(10):
        instance = partial(rng, 7)
        theta, capacity = random_terms(rng, instance)
        task = CRFTask([complete(instance, theta, capacity)])
        scores = np.concatenate([theta.T.ravel(), capacity])
        cut = task.separate(scores, "each")
        y, energy = energies(instance, theta, capacity)
        loss = ((y != instance.labels) & (instance.labels >= 0)).sum(axis=1)
        worst = (loss + energy[agrees(instance, y)].min() - energy).max()
        found = cut.loss[0] - (cut.weights @ scores)[0]
        assert found == pytest.approx(worst, abs=1e-9)


def rounds_of(estimator, instances, norm):
    """Fit an estimator; return the criterion after every round."""
    values = []
    fit = estimator._fit_task if hasattr(estimator, "_fit_task") else estimator._learn
    name = fit.__name__

    def spy(*arguments):
        made = fit(*arguments)
        values.append(criterion(estimator, instances, estimator.C, norm))
        return made

    setattr(estimator, name, spy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(instances)
    delattr(estimator, name)
    return values


@pytest.mark.parametrize("seed", range(4))
def test_the_completed_round_cannot_raise_the_criterion_of_structboost(seed):
    rng = np.random.default_rng(seed)
    instances = [partial(rng, n) for n in (6, 7, 8, 7, 6)]
    model = CRFStructBoost(C=5.0, n_iterations=60, gap=1e-4, random_state=0)
    first, second = rounds_of(model, instances, lambda m: m.ensemble_.weights.sum())
    assert model.certificate_.global_gap < 2e-3
    assert second <= first * (1 + 2e-3)
    # The certified objective, with the completion fixed, is an upper bound of the criterion.
    assert second <= model.certificate_.objective * (1 + 1e-6)


def test_the_completed_round_cannot_raise_the_criterion_of_the_structured_svm():
    def norm(m):
        squares = [*m.unary_coef_**2, *m.pairwise_coef_**2]
        return 0.5 * (sum(squares) + m.unary_intercept_**2 + m.pairwise_intercept_**2)

    rng = np.random.default_rng(5)
    instances = [partial(rng, n) for n in (6, 7, 8, 7, 6)]
    model = CRFStructuredSVM(C=5.0, gap=1e-4)
    first, second = rounds_of(model, instances, norm)
    assert second <= first * (1 + 1e-3)


def test_values_of_unlabelled_nodes_do_not_enter_the_first_round():
    rng = np.random.default_rng(6)
    instance = partial(rng, 9)
    free = instance.labels < 0
    unary = np.where(free[:, None], 1e6, instance.unary)
    other = CRFInstance(unary, instance.edges, instance.pairwise, instance.labels)
    assert np.array_equal(labelled_part(instance).unary, labelled_part(other).unary)


def test_graphs_without_any_label_are_left_out_and_weights_follow():
    rng = np.random.default_rng(7)
    instances = [partial(rng, 5, share) for share in (0.4, 1.0, 0.4)]
    rounds = learning_rounds(instances, [1.0, 2.0, 3.0], lambda i: random_terms(rng, i))
    for part, weight in rounds:
        assert len(part) == 2
        assert weight.tolist() == [1.0, 3.0]
    with pytest.raises(ValueError, match="labelled node"):
        list(learning_rounds([partial(rng, 5, 1.0)], None, lambda i: random_terms(rng, i)))


def test_complete_labels_are_learned_in_one_round():
    rng = np.random.default_rng(8)
    instances = [partial(rng, 6, 0.0) for _ in range(3)]
    ((same, weight),) = learning_rounds(instances, None, lambda i: random_terms(rng, i))
    assert same == instances
    assert weight is None


@pytest.mark.parametrize("make", [CRFStructBoost, CRFStructuredSVM])
def test_isolated_labelled_nodes_are_enough(make):
    rng = np.random.default_rng(9)
    unary = np.array([[-1.0], [0.5], [1.0], [-0.8], [1.2]])
    edges = [[0, 1], [1, 2], [3, 1], [4, 1]]
    instance = CRFInstance(unary, edges, rng.random((4, 1)), [1, -1, 0, 1, 0])
    model = make(C=10.0).fit([instance, instance])
    assert model.predict(instance)[[0, 2, 3, 4]].tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("done", [3, 8, 14])
def test_a_partial_fit_resumes_in_either_problem_and_ends_with_the_same_model(done, tmp_path):
    """Eight steps per problem: the fit stops in the first, between the two, or in the second."""
    rng = np.random.default_rng(10)
    instances = [partial(rng, n) for n in (20, 25, 30)]

    def fit(stop=None, checkpoint=None):
        steps = []

        def note(step):
            steps.append(step.iteration)
            if len(steps) == stop:
                raise RuntimeError("stopped by the test")

        model = CRFStructBoost(
            C=50.0, n_iterations=8, random_state=0, checkpoint=checkpoint, callback=note
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(instances), steps

    whole, steps = fit()
    assert steps == [*range(1, 9), *range(1, 9)]
    with pytest.raises(RuntimeError, match="stopped by the test"):
        fit(done, tmp_path / "c")
    for remaining in (steps[done:], []):  # the second time, both checkpoints are finished
        model, taken = fit(None, tmp_path / "c")
        assert taken == remaining
        assert np.array_equal(model.ensemble_.weights, whole.ensemble_.weights)
