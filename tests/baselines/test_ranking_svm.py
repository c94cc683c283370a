import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from segboost.baselines import RankingSVM


@parametrize_with_checks([RankingSVM()])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def problem(n_levels=2, n=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.digitize(X @ [1.0, -0.5, 0.2] + rng.normal(size=n), np.linspace(-0.7, 0.7, n_levels - 1))
    return X, y


def differences(X, y):
    """Return x_i − x_j for all pairs with y_i > y_j, and the indices i and j."""
    upper, lower = np.nonzero(y[:, None] > y[None, :])
    return X[upper] - X[lower], upper, lower


def objective(theta, pairs, C, weight=None):
    weight = np.full(len(pairs), 1 / len(pairs)) if weight is None else weight / weight.sum()
    return 0.5 * theta @ theta + C * weight @ np.maximum(0.0, 1.0 - pairs @ theta)


@pytest.mark.parametrize("n_levels", [2, 4])
@pytest.mark.parametrize("slack", ["one", 5, "each"])
def test_the_optimum_of_all_pairs(n_levels, slack):
    """liblinear's dual solver on the listed pairs, x and mirrored −x, reaches the same optimum."""
    X, y = problem(n_levels)
    pairs, _, _ = differences(X, y)
    C = 5.0
    both = np.vstack([pairs, -pairs])
    sign = np.repeat([1, -1], len(pairs))
    peer = LinearSVC(
        C=C / (2 * len(pairs)), loss="hinge", fit_intercept=False, tol=1e-9, max_iter=10**6
    ).fit(both, sign)
    model = RankingSVM(C, gap=1e-8, slack=slack).fit(X, y)
    expected = objective(peer.coef_[0], pairs, C)
    assert model.certificate_.objective == pytest.approx(expected, rel=1e-5)
    assert objective(model.coef_, pairs, C) == pytest.approx(model.certificate_.objective)
    assert model.coef_ == pytest.approx(peer.coef_[0], abs=1e-3)


def test_pair_weights_are_products_of_sample_weights():
    """SciPy, with one slack variable per pair, reaches the same optimum."""
    X, y = problem(n=9)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=9)
    pairs, upper, lower = differences(X, y)
    share = weight[upper] * weight[lower]
    share /= share.sum()
    C, d = 4.0, X.shape[1]
    start = np.concatenate([np.zeros(d), np.ones(len(pairs))])
    bound = LinearConstraint(np.hstack([pairs, np.eye(len(pairs))]), lb=1.0)
    found = minimize(
        lambda z: 0.5 * z[:d] @ z[:d] + C * share @ z[d:],
        start,
        jac=lambda z: np.concatenate([z[:d], C * share]),
        constraints=[bound],
        bounds=[(None, None)] * d + [(0, None)] * len(pairs),
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    model = RankingSVM(C, gap=1e-9).fit(X, y, weight)
    assert model.certificate_.objective == pytest.approx(found.fun, rel=1e-5)


def test_the_gap_is_a_certificate():
    X, y = problem(n=200)
    rough, fine = (RankingSVM(10.0, gap=g).fit(X, y).certificate_ for g in (1e-1, 1e-8))
    assert rough.lower_bound <= fine.objective * (1 + 1e-9)
    assert rough.gap <= 1e-1
    assert fine.converged


def test_score_is_the_share_of_ordered_pairs():
    X, y = problem(n_levels=3)
    model = RankingSVM(10.0).fit(X, y)
    pairs, _, _ = differences(X, y)
    assert model.score(X, y) == pytest.approx(np.mean(pairs @ model.coef_ > 0))
    names = np.array(["a", "b", "c"])[y]
    assert model.score(X, names) == model.score(X, y)


def test_one_level_is_refused():
    with pytest.raises(ValueError, match="one class"):
        RankingSVM().fit([[0.0], [1.0]], [1, 1])
