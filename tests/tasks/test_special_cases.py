"""Special cases in which a task equals a known method or another task."""

import numpy as np
import pytest
from scipy.optimize import linprog

from segboost.solver.options import SolverOptions
from segboost.tasks.hierarchy import LabelAugmentedTask, hierarchy_task
from segboost.tasks.label_codes import LabelCodeTask
from segboost.tasks.multiclass import MulticlassTask, binary_task
from segboost.tasks.ranking import RankingTask
from segboost.tasks.taxonomy import Taxonomy
from tests.contracts.enumeration import all_stumps
from tests.contracts.problem import atom_scores, start

PRICES = [1.0, 10.0, 100.0]


def table(seed, k, m=18, d=3):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, m - k)])
    return (y[:, None] + rng.integers(-2, 3, (m, d))).astype(float), y


def solved(task, C, slack="each"):
    options = SolverOptions(C=C, n_iterations=1000, gap=1e-9, epsilon_cg=1e-9, slack=slack)
    loop = start(task, options)
    list(loop.run())
    return loop


def objective(task, C, slack="each"):
    return solved(task, C, slack).certificate().objective


def lpboost(X, y, C, weight=None):
    """Return LPBoost's optimum: min 1ᵀw + C Σ v ξ with y f(x) ≥ 1 − ξ over all stumps."""
    m = len(X)
    margin = (2 * y - 1)[:, None] * all_stumps(binary_task(X, y).channels).T
    weight = np.full(m, 1 / m) if weight is None else weight / weight.sum()
    cost = np.concatenate([np.ones(margin.shape[1]), C * weight])
    return linprog(cost, A_ub=-np.hstack([margin, np.eye(m)]), b_ub=-np.ones(m)).fun


@pytest.mark.parametrize("C", PRICES)
@pytest.mark.parametrize("slack", ["one", "each", 4])
def test_two_classes_are_lpboost(C, slack):
    for seed in range(4):
        X, y = table(seed, 2)
        assert objective(binary_task(X, y), C, slack) == pytest.approx(lpboost(X, y, C), rel=1e-6)


def test_weighted_lpboost():
    X, y = table(5, 2)
    weight = np.random.default_rng(0).random(len(X))
    found = objective(binary_task(X, y, weight), 20.0)
    assert found == pytest.approx(lpboost(X, y, 20.0, weight), rel=1e-6)


@pytest.mark.parametrize("C", PRICES)
def test_multiclass_with_two_classes_agrees_with_binary(C):
    """The margin s_1 − s_0 costs 1ᵀw as the binary score does: both polarities are stumps."""
    for seed in range(4):
        X, y = table(seed, 2)
        binary, multi = binary_task(X, y), MulticlassTask(X, y, 2)
        one, two = solved(binary, C), solved(multi, C)
        assert one.certificate().objective == pytest.approx(two.certificate().objective, rel=1e-6)
        # Either solution, carried over, is optimal in the other problem.
        margin = atom_scores(two, multi).reshape(2, -1)
        margin = margin[1] - margin[0]
        value = two.weights.sum() + C * np.maximum(0, 1 - (2 * y - 1) * margin).mean()
        assert value == pytest.approx(one.certificate().objective, rel=1e-6)


def test_predictions_of_binary_and_multiclass_agree():
    X = np.repeat([[0.0, 3.0], [1.0, 1.0], [2.0, 0.0], [3.0, 2.0]], 3, axis=0)
    y = np.repeat([0, 0, 1, 1], 3)
    decoded = []
    for task in (binary_task(X, y), MulticlassTask(X, y, 2)):
        loop = solved(task, 50.0)
        decoded.append(task.decode(atom_scores(loop, task)))
    assert np.array_equal(decoded[0], y)
    assert np.array_equal(decoded[1], y)


@pytest.mark.parametrize("C", PRICES)
def test_a_flat_tree_is_multiclass(C):
    for seed in range(3):
        X, y = table(seed, 4)
        flat = hierarchy_task(X, y, Taxonomy(dict.fromkeys(range(4), "root")), range(4))
        plain = MulticlassTask(X, y, 4)
        assert np.array_equal(flat.cost, plain.cost)
        assert objective(flat, C) == pytest.approx(objective(plain, C), rel=1e-6)


def test_tree_codes_never_do_worse_than_flat_ones_under_the_same_loss():
    """Γ over the nodes holds the leaves' unit codes: more columns, a lower optimum."""
    tree = Taxonomy.from_nested({"r": {"x": [0, 1], "y": [2, 3]}})
    gains = []
    for seed in range(4):
        X, y = table(seed, 4)
        flat = MulticlassTask(X, y, 4, tree.loss(range(4)))
        coded = hierarchy_task(X, y, tree, range(4))
        gains.append(objective(flat, 20.0) - objective(coded, 20.0))
    assert min(gains) >= -1e-6
    assert max(gains) > 1e-3


def test_label_augmented_features_are_the_product():
    X, codes = np.array([[2.0, 3.0]]), np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    task = LabelAugmentedTask(X, np.array([0]), codes, 1.0 - np.eye(2))
    assert task.channels[0].features.tolist() == [[2, 3, 0, 0, 2, 3], [0, 0, 2, 3, 2, 3]]


@pytest.mark.parametrize("C", PRICES)
def test_one_pair_per_rank_is_binary_on_the_difference(C):
    """With one example of each rank the AUC task is one hinge: min 1ᵀw + C (1 − w·(φ1 − φ0))₊.

    A stump gains 2 on the pair, so the optimum is min(C, ½).
    """
    task = RankingTask(np.array([[0.0], [1.0]]), np.array([0, 1]))
    assert objective(task, C) == pytest.approx(min(C, 0.5), rel=1e-9)
    assert objective(task, 0.25) == pytest.approx(0.25, rel=1e-9)


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (np.ones((2, 2)), "cost has shape"),
        (np.ones((3, 3)), "diagonal"),
        (np.array([[0, -1, 1], [1, 0, 1], [1, 1, 0.0]]), "not negative"),
        (np.array([[0, np.nan, 1], [1, 0, 1], [1, 1, 0.0]]), "finite"),
    ],
)
def test_bad_costs_are_refused(cost, message):
    X, y = table(0, 3)
    with pytest.raises(ValueError, match=message):
        MulticlassTask(X, y, 3, cost)


def test_bad_labels_are_refused_and_prediction_needs_none():
    X, y = table(0, 3)
    for bad in (y[:-1], y + 1, y - 1):
        with pytest.raises(ValueError, match="y "):
            MulticlassTask(X, bad, 3)
    task = LabelCodeTask(X, None, np.eye(3), 1.0 - np.eye(3))
    assert task.decode(np.arange(54.0)).tolist() == [2] * 18
    with pytest.raises(ValueError, match="no labels"):
        task.separate(np.zeros(54), "one")
