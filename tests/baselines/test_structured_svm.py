"""The multi-class structured SVM: optimum, certificates and scikit-learn's conventions."""

import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from segboost.baselines.cutting_plane import SVMCuttingPlane
from segboost.baselines.quadratic import QuadraticProgramme, solve
from segboost.baselines.structured_svm import StructuredSVMClassifier
from segboost.tasks.multiclass import MulticlassTask


@parametrize_with_checks([StructuredSVMClassifier(), StructuredSVMClassifier(slack="each")])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def blobs(seed=0, m=14, d=3, k=3, spread=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % k
    return rng.normal(0, 1, (k, d))[y] + spread * rng.normal(0, 1, (m, d)), y


def all_constraints(X, y, cost, C, v):
    """Return the optimum with every constraint of every example written out."""
    m, k = len(X), len(cost)
    normals, loss, block = [], [], []
    for i, label in itertools.product(range(m), range(k)):
        if label != y[i]:
            g = np.zeros((k, X.shape[1]))
            g[y[i]] += v[i] * X[i]
            g[label] -= v[i] * X[i]
            normals.append(g.ravel())
            loss.append(v[i] * cost[y[i], label])
            block.append(i)
    free = np.zeros(X.shape[1] * k, bool)
    return solve(QuadraticProgramme(np.array(normals), np.array(loss), np.array(block), C, free))


@pytest.mark.parametrize("slack", ["one", "each", 4])
@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
def test_equals_the_programme_with_all_constraints(slack, C):
    X, y = blobs()
    rng = np.random.default_rng(1)
    cost = rng.random((3, 3)) + 0.5
    np.fill_diagonal(cost, 0)
    weight = rng.random(len(X)) + 0.1
    model = StructuredSVMClassifier(
        C, gap=1e-7, slack=slack, fit_intercept=False, cost_matrix=cost
    ).fit(X, y, weight)
    full = all_constraints(X, y, cost, C, weight / weight.sum())
    assert full.objective - full.lower_bound <= 1e-8 * full.objective
    assert model.certificate_.objective == pytest.approx(full.objective, rel=1e-6)
    assert model.certificate_.lower_bound <= full.objective * (1 + 1e-9)
    assert model.coef_.ravel() == pytest.approx(full.theta, abs=2e-3 * np.abs(full.theta).max())


@pytest.mark.parametrize("slack", ["one", "each", 5])
@pytest.mark.parametrize("centre", [0.0, 0.5, 0.9])
def test_bounds_hold_at_every_step_and_the_gap_closes(slack, centre):
    X, y = blobs(2, m=60, d=5, k=4)
    solver = SVMCuttingPlane(MulticlassTask(X, y, 4), C=5.0, gap=1e-5, slack=slack, centre=centre)
    steps = list(solver.steps())
    upper = np.array([s.objective for s in steps])
    lower = np.array([s.lower_bound for s in steps])
    assert (lower <= upper * (1 + 1e-9)).all()
    assert (np.diff(upper) <= 0).all()
    assert (np.diff(lower) >= 0).all()
    assert steps[-1].gap <= 1e-5
    assert solver.certificate().converged
    # The reported objective is that of the returned weights.
    F = X @ solver.theta.reshape(4, -1).T
    hinge = (F + (np.arange(4) != y[:, None])).max(axis=1) - F[np.arange(60), y]
    value = 0.5 * solver.theta @ solver.theta + 5.0 * hinge.mean()
    assert value == pytest.approx(steps[-1].objective, rel=1e-10)


def test_a_centre_that_cuts_nothing_off_does_not_stall_the_solver():
    X, y = blobs(2, m=60, d=5, k=4)
    solver = SVMCuttingPlane(MulticlassTask(X, y, 4), C=5.0, gap=1e-5, centre=0.999)
    assert len(list(solver.steps())) < 150


def test_dropping_idle_cuts_does_not_change_the_optimum():
    X, y = blobs(3, m=80, d=6, k=4)
    found = []
    for patience in (2, 1000):
        solver = SVMCuttingPlane(MulticlassTask(X, y, 4), C=50.0, gap=1e-6, patience=patience)
        steps = list(solver.steps())
        found.append((steps[-1].objective, steps[-1].n_cuts))
    assert found[0][0] == pytest.approx(found[1][0], rel=2e-6)
    assert found[0][1] < found[1][1]


def test_two_classes_equal_the_binary_svm():
    """With two classes θ_1 = −θ_0, and θ_1 − θ_0 is the weight vector of a binary SVM."""
    X, y = blobs(4, m=40, k=2)
    model = StructuredSVMClassifier(C=3.0, gap=1e-8, fit_intercept=False).fit(X, y)
    assert model.coef_[0] == pytest.approx(-model.coef_[1], abs=1e-6)
    from sklearn.svm import LinearSVC

    # ½‖θ‖² = ¼‖w‖² for w = θ_1 − θ_0, so C/m per example becomes 2C/m.
    other = LinearSVC(C=2 * 3.0 / 40, loss="hinge", fit_intercept=False, tol=1e-10, max_iter=10**6)
    other.fit(X, y)
    assert model.coef_[1] - model.coef_[0] == pytest.approx(other.coef_[0], abs=1e-4)


def test_order_of_examples_and_classes_does_not_matter():
    X, y = blobs(5, m=30)
    model = StructuredSVMClassifier(C=5.0, gap=1e-8).fit(X, y)
    order = np.random.default_rng(0).permutation(30)
    names = np.array(["b", "c", "a"])[y]
    other = StructuredSVMClassifier(C=5.0, gap=1e-8).fit(X[order], names[order])
    assert other.classes_.tolist() == ["a", "b", "c"]
    assert other.certificate_.objective == pytest.approx(model.certificate_.objective, rel=1e-7)
    assert other.coef_ == pytest.approx(model.coef_[[2, 0, 1]], abs=1e-3)


def test_a_weight_of_two_equals_two_copies():
    X, y = blobs(6, m=20)
    weight = np.ones(20)
    weight[:5] = 2
    weight[15:] = 0
    copies = np.concatenate([np.arange(15), np.arange(5)])
    a = StructuredSVMClassifier(C=5.0, gap=1e-8).fit(X, y, weight)
    b = StructuredSVMClassifier(C=5.0, gap=1e-8).fit(X[copies], y[copies])
    assert a.certificate_.objective == pytest.approx(b.certificate_.objective, rel=1e-7)


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_interrupted_fit_leaves_a_usable_model(wrapped):
    X, y = blobs(7, m=60, d=5)

    def interrupt(step):
        if step.lower_bound > 0:
            seen.append(step)
        if len(seen) == 3:
            if wrapped:
                raise SystemError from KeyboardInterrupt()
            raise KeyboardInterrupt

    seen = []
    model = StructuredSVMClassifier(C=100.0, gap=1e-6, callback=interrupt)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    (warning,) = caught
    assert "interrupted after" in str(warning.message)
    assert "raise" not in str(warning.message)
    assert model.predict(X).shape == (60,)
    assert not model.certificate_.converged
    assert model.history_[-1] == seen[-1]


def test_an_open_gap_is_reported():
    X, y = blobs(8, m=60, d=5)
    with pytest.warns(ConvergenceWarning, match="raise max_iterations"):
        StructuredSVMClassifier(C=100.0, gap=1e-6, max_iterations=2).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "C must be"),
        ({"C": np.nan}, "C must be"),
        ({"gap": 0.0}, "gap must be"),
        ({"max_iterations": 0}, "max_iterations must be"),
        ({"slack": "two"}, "slack must be"),
        ({"slack": 0}, "slack=0"),
        ({"slack": 15}, "slack=15"),
        ({"cost_matrix": np.ones((3, 3))}, "zero on its diagonal"),
        ({"cost_matrix": np.zeros((2, 2))}, "cost has shape"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        StructuredSVMClassifier(**parameters).fit(*blobs())


def test_degenerate_tables():
    with pytest.raises(ValueError, match="one class"):
        StructuredSVMClassifier().fit([[0.0], [1.0]], [1, 1])
    constant = StructuredSVMClassifier(C=10.0).fit(np.zeros((5, 2)), [0, 0, 0, 1, 1])
    assert (constant.predict(np.zeros((3, 2))) == 0).all()
    assert constant.certificate_.converged
