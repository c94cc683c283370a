"""AdaBoostStumps, AdaBoostMH and AdaBoostECC as scikit-learn estimators."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from segboost.baselines import (
    AdaBoostECC,
    AdaBoostMH,
    AdaBoostStumps,
    adaboost_ecc,
    boosting_rounds,
    mh_rounds,
)
from segboost.baselines.adaboost_ecc import colour_weights, draw_colouring
from segboost.baselines.stump_sum import StumpSum, sum_stumps_numpy
from segboost.baselines.training_table import TrainingTable

ALL = [AdaBoostStumps(20), AdaBoostMH(20), AdaBoostECC(20, random_state=0)]


def expected_failures(estimator) -> dict[str, str]:
    if getattr(estimator, "weak_learner", None) != "svm":
        return {}
    reason = "the SVM's C, standardisation and dropping of weights depend on the number of rows"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [*ALL, AdaBoostECC(5, weak_learner="svm", random_state=0)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[::2].astype(np.float32), y[::2], X[1::2].astype(np.float32), y[1::2]


@pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
def test_class_names_of_any_type(model, cancer):
    X, y, X_test, _ = cancer
    numbers = model.fit(X, y).predict(X_test)
    for names in (np.array(["no", "yes"]), np.array([7.0, 9.0]), np.array([False, True])):
        np.testing.assert_array_equal(model.fit(X, names[y]).predict(X_test), names[numbers])


@pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
def test_the_last_stage_is_the_whole_model(model, cancer):
    X, y, X_test, _ = cancer
    model.fit(X, y)
    stages = list(model.staged_decision_function(X_test))
    assert len(stages) == model.n_estimators_ == 20
    np.testing.assert_allclose(stages[-1], model.decision_function(X_test), rtol=1e-12)
    np.testing.assert_array_equal(list(model.staged_predict(X_test))[-1], model.predict(X_test))
    assert not np.array_equal(stages[0], stages[-1])


@pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
def test_degenerate_input(model, cancer):
    X, y, _, _ = cancer
    with pytest.raises(ValueError, match="only one class"):
        model.fit(X, np.zeros_like(y))
    with pytest.raises(ValueError, match="only one class"):
        model.fit(X, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X.mean() < X, np.nan, X), y)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        model.fit(sparse.csr_array(X), y)
    constant = model.fit(np.zeros((5, 3)), [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(constant.predict(np.zeros((2, 3))), [0, 0])
    undecided = model.fit(np.zeros((4, 3)), [0, 0, 1, 1])
    assert undecided.n_estimators_ == 0
    assert not undecided.decision_function(np.zeros((2, 3))).any()


@pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("rounds", [0, -1, 2.5, True])
def test_refuses_invalid_numbers_of_rounds(model, rounds):
    with pytest.raises(ValueError, match="n_estimators must be"):
        type(model)(rounds).fit(np.zeros((2, 1)), [0, 1])


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan])
def test_refuses_invalid_learning_rates(rate):
    with pytest.raises(ValueError, match="learning_rate must be"):
        AdaBoostStumps(learning_rate=rate).fit(np.zeros((2, 1)), [0, 1])


def test_refuses_three_classes():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        AdaBoostStumps().fit(np.zeros((3, 1)), [0, 1, 2])


def test_stumps_agree_with_scikit_learn(cancer):
    """Gini and error choose the same first stump and give models of similar accuracy."""
    X, y, X_test, y_test = cancer
    ours = AdaBoostStumps(200).fit(X, y)
    peer = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=200).fit(X, y)
    first = peer.estimators_[0].tree_
    assert ours.stumps_.feature[0] == first.feature[0]
    assert ours.stumps_.threshold[0] == pytest.approx(first.threshold[0], rel=1e-6)
    assert ours.estimator_errors_[0] == pytest.approx(peer.estimator_errors_[0])
    assert 2 * ours.estimator_weights_[0] == pytest.approx(peer.estimator_weights_[0])
    assert ours.score(X_test, y_test) >= peer.score(X_test, y_test) - 0.02
    assert ours.score(X_test, y_test) > 0.94


def test_training_error_falls_below_its_bound(cancer):
    """The product of 2√(ε(1 − ε)) bounds the training error after every round."""
    X, y, _, _ = cancer
    model = AdaBoostStumps(60).fit(X, y)
    errors = np.array([np.mean(p != y) for p in model.staged_predict(X)])
    e = model.estimator_errors_
    assert (errors <= np.cumprod(2 * np.sqrt(e * (1 - e))) + 1e-9).all()
    assert errors[-1] == 0


def test_probabilities(cancer):
    X, y, X_test, _ = cancer
    model = AdaBoostStumps(10).fit(X, y)
    proba = model.predict_proba(X_test)
    scores = model.decision_function(X_test)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_allclose(proba[:, 1], 1 / (1 + np.exp(-2 * scores)))
    assert not hasattr(AdaBoostMH(), "predict_proba")


def test_importances(cancer):
    X, y, _, _ = cancer
    model = AdaBoostStumps(30).fit(np.column_stack([X, np.zeros(len(X))]), y)
    assert model.feature_importances_.shape == (31,)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_[30] == 0
    by_hand = np.bincount(model.stumps_.feature, model.estimator_weights_, 31)
    np.testing.assert_allclose(model.feature_importances_, by_hand / by_hand.sum())


def test_perfect_stump():
    model = AdaBoostStumps(50).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    assert model.n_estimators_ == 1
    assert model.predict([[1.4], [1.6]]).tolist() == ["a", "b"]
    assert np.isfinite(model.decision_function([[0.0]])).all()


def test_sum_kernel_equals_twin(cancer):
    X, y, X_test, _ = cancer
    sums = AdaBoostMH(15).fit(X, y).stumps_
    plain = sum_stumps_numpy(X_test, sums.feature, sums.threshold, sums.above, sums.below)
    np.testing.assert_array_equal(sums.scores(X_test), plain)
    np.testing.assert_array_equal(sums.scores(np.asfortranarray(X_test)), plain)


def test_order_of_rows_does_not_matter(cancer):
    X, y, X_test, _ = cancer
    order = np.random.default_rng(0).permutation(len(y))
    for model in (AdaBoostStumps(40), AdaBoostMH(40)):
        plain = model.fit(X, y).decision_function(X_test)
        np.testing.assert_allclose(
            model.fit(X[order], y[order]).decision_function(X_test), plain, rtol=1e-9, atol=1e-9
        )


def interrupt_after(monkeypatch, owner, name: str, calls: int, wrapped: bool) -> None:
    """Make a function raise KeyboardInterrupt after the given number of calls."""
    function, count = getattr(owner, name), iter(range(calls))

    def interrupted(*args):
        if next(count, None) is None:
            if wrapped:
                raise SystemError from KeyboardInterrupt()
            raise KeyboardInterrupt
        return function(*args)

    monkeypatch.setattr(owner, name, interrupted)


@pytest.mark.parametrize(
    ("model", "owner", "name"),
    [
        (AdaBoostStumps(100), boosting_rounds, "boost_kernel"),
        (AdaBoostMH(100), mh_rounds, "vote_round"),
        (AdaBoostECC(100, random_state=0), adaboost_ecc, "colour_weights"),
    ],
    ids=["stumps", "mh", "ecc"],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_interrupt_leaves_a_model(model, owner, name, wrapped, cancer, monkeypatch, caplog):
    monkeypatch.setattr(boosting_rounds, "_UPDATES_PER_CALL", 1)
    interrupt_after(monkeypatch, owner, name, 4, wrapped)
    X, y, X_test, y_test = cancer
    model.fit(X, y)
    assert model.n_estimators_ == 4
    assert model.score(X_test, y_test) > 0.85
    assert "interrupted" in caplog.text


def test_arrays_can_be_stored(cancer):
    X, y, X_test, _ = cancer
    sums = AdaBoostMH(15).fit(X, y).stumps_
    again = StumpSum.unpack(sums.pack())
    np.testing.assert_array_equal(again.scores(X_test), sums.scores(X_test))
    for change in (
        {"feature": -sums.feature - 1},
        {"threshold": sums.threshold * np.nan},
        {"above": sums.above[1:]},
        {"below": sums.below[:, 1:]},
    ):
        with pytest.raises(ValueError, match="stored"):
            StumpSum.unpack({**sums.pack(), **change})


@pytest.mark.parametrize(
    ("model", "floor"),
    [
        (AdaBoostMH(150), 0.89),
        (AdaBoostECC(200, random_state=0), 0.90),
        (AdaBoostECC(60, weak_learner="tree", random_state=0), 0.90),
    ],
    ids=["mh", "ecc", "ecc-tree"],
)
def test_several_classes(model, floor):
    X, y = load_digits(return_X_y=True)
    model.fit(X[::2], y[::2])
    assert model.decision_function(X[:3]).shape == (3, 10)
    assert model.score(X[1::2], y[1::2]) > floor


def test_two_classes_by_mh_are_adaboost(cancer):
    X, y, X_test, _ = cancer
    mh, ada = AdaBoostMH(30).fit(X, y), AdaBoostStumps(30).fit(X, y)
    np.testing.assert_array_equal(mh.stumps_.feature, ada.stumps_.feature)
    np.testing.assert_allclose(
        mh.decision_function(X_test), 2 * ada.decision_function(X_test), rtol=1e-7, atol=1e-9
    )


def test_two_classes_by_ecc_are_adaboost(cancer):
    """Two classes have one colouring, so ECC is AdaBoost unless an error is below the minimum."""
    X, y, X_test, _ = cancer
    ecc, ada = AdaBoostECC(30, random_state=1).fit(X, y), AdaBoostStumps(30).fit(X, y)
    np.testing.assert_allclose(
        ecc.decision_function(X_test), 2 * ada.decision_function(X_test), rtol=1e-7, atol=1e-9
    )


def test_colourings_are_halves():
    rng = np.random.default_rng(0)
    for k in (2, 3, 7, 10):
        for _ in range(20):
            assert (draw_colouring(k, rng) > 0).sum() == k // 2


def test_colour_weights_by_hand():
    labels, weights = np.array([0, 1, 2]), np.array([0.5, 0.25, 0.25])
    table = TrainingTable(np.zeros((3, 1)), labels, np.arange(3), weights)
    scores = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]])
    found = colour_weights(scores, table, np.array([1.0, -1.0, -1.0]))
    expected = np.array(
        [0.5 * (np.exp(-0.5) + np.exp(0.5)), -0.25 * np.exp(-1.5), -0.25 * np.exp(0.0)]
    )
    np.testing.assert_allclose(found, expected / np.abs(expected).sum())


def test_colour_weights_of_large_margins():
    """Margins beyond the range of exp: the pair with the smallest margin counts, no NaN."""
    table = TrainingTable(np.zeros((2, 1)), np.array([0, 1]), np.arange(3), np.ones(2) / 2)
    scores = np.array([[4000.0, 0.0, 0.0], [0.0, 5000.0, 0.0]])
    found = colour_weights(scores, table, np.array([1.0, -1.0, -1.0]))
    assert found == pytest.approx([1.0, 0.0])


def test_ecc_is_reproducible_from_its_seed():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    scores = [
        AdaBoostECC(10, random_state=seed).fit(X, y).decision_function(X) for seed in (3, 3, 4)
    ]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])
    generator = AdaBoostECC(3, random_state=np.random.default_rng(0)).fit(X, y)
    assert generator.n_estimators_ == 3


def test_ecc_refuses_unknown_weak_learners():
    with pytest.raises(ValueError, match="weak_learner must be one of"):
        AdaBoostECC(weak_learner="oak").fit([[0.0], [1.0]], [0, 1])
