"""Properties of every estimator: stages, seeds, callbacks, warm starts, small C."""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from segboost.estimators.training import make_rng
from tests.contracts.limits import time_limit
from tests.estimators.tables import CASES

cases = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
staged = pytest.mark.parametrize(
    "case", [c for c in CASES if c.name != "CRF"], ids=lambda c: c.name
)


def same(model, other):
    return (
        np.array_equal(model.ensemble_.weights, other.ensemble_.weights)
        and model.ensemble_.hypotheses == other.ensemble_.hypotheses
        and np.array_equal(model.ensemble_.channel, other.ensemble_.channel)
    )


@cases
def test_history_and_certificate_describe_the_ensemble(case):
    model = case.fitted()
    assert model.n_iter_ == len(model.history_)
    assert [s.iteration for s in model.history_] == list(range(1, model.n_iter_ + 1))
    assert len(model.ensemble_.stages) == len(model.history_)
    last, certificate = model.history_[-1], model.certificate_
    assert last.objective == certificate.objective
    assert last.lower_bound == certificate.lower_bound
    assert certificate.gap <= model.gap
    assert certificate.objective >= certificate.global_bound
    assert certificate.reason in ("optimal", "iterations")
    assert certificate.n_columns == len(model.ensemble_.hypotheses)
    assert (model.ensemble_.weights >= 0).all()
    seconds = [s.seconds for s in model.history_]
    assert seconds == sorted(seconds)


@cases
def test_a_fit_to_the_end_meets_its_gap_in_the_last_step(case):
    model = case.fitted(n_iterations=300, C=8.0)
    assert model.certificate_.reason == "optimal"
    assert model.certificate_.gap <= model.gap
    assert model.certificate_.column_score <= 1 + model.epsilon_cg
    assert model.history_[-1].objective == model.certificate_.objective
    assert model.history_[-1].gap == model.certificate_.gap


@staged
def test_the_last_stage_is_the_prediction(case):
    model = case.fitted()
    stages = list(model.staged_predict(case.test))
    assert len(stages) == model.n_iter_
    assert np.array_equal(stages[-1], model.predict(case.test))
    assert not np.array_equal(stages[0], stages[-1])


@cases
def test_the_same_seed_gives_the_same_model(case):
    model = case.fitted(random_state=3, n_iterations=6)
    assert same(model, case.fitted(random_state=3, n_iterations=6))
    assert same(model, clone(model).fit(*case.data))
    for make in (np.random.default_rng, np.random.RandomState):
        assert same(*[case.fitted(random_state=make(5), n_iterations=6) for _ in range(2)])


def test_random_states_of_all_kinds():
    assert make_rng(3).random() == np.random.default_rng(3).random()
    generator = np.random.default_rng(1)
    assert make_rng(generator) is generator
    assert make_rng(None).random() != make_rng(None).random()


@cases
def test_fitting_changes_no_parameter_and_constructors_only_store(case):
    model = case.make()
    before = model.get_params()
    assert [name for name in vars(model) if name.endswith("_")] == []
    model.fit(*case.data)
    assert model.get_params() == before


@cases
def test_a_callback_that_returns_true_stops(case):
    seen = []

    def stop(step):
        seen.append(step)
        return step.iteration == 3

    model = case.fitted(callback=stop)
    assert model.n_iter_ == 3
    assert seen == model.history_
    assert model.certificate_.reason == "stopped"
    assert model.certificate_.objective == model.history_[-1].objective
    whole = case.fitted()
    assert np.array_equal(model.ensemble_.stages[2], whole.ensemble_.stages[2])


@cases
def test_a_callback_that_returns_anything_else_does_not_stop(case):
    assert same(case.fitted(callback=lambda step: "no"), case.fitted())


@cases
def test_an_interrupt_leaves_a_usable_model(case):
    def interrupt(step):
        if step.iteration == 4:
            raise KeyboardInterrupt

    with pytest.warns(ConvergenceWarning, match="interrupted after 4 rounds"):
        model = case.fitted(callback=interrupt)
    assert model.certificate_.reason == "interrupted"
    assert model.n_iter_ == 4
    predicted = model.predict(case.test)
    expected = case.fitted(callback=lambda step: step.iteration == 4).predict(case.test)
    assert np.array_equal(predicted, expected)


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), ValueError()])
def test_an_interrupt_that_compiled_code_wraps_is_one(cause):
    def interrupt(step):
        if step.iteration == 4:
            raise SystemError("returned a result with an exception set") from cause

    case = CASES[0]
    if isinstance(cause, ValueError):
        with pytest.raises(SystemError):
            case.fitted(callback=interrupt)
        return
    with pytest.warns(ConvergenceWarning, match="interrupted after 4 rounds"):
        model = case.fitted(callback=interrupt)
    assert same(model, case.fitted(callback=lambda step: step.iteration == 4))


@cases
@pytest.mark.parametrize("wrapped", [False, True])
def test_an_interrupt_before_the_first_round_is_passed_on(case, wrapped, monkeypatch):
    from segboost.solver.cutting_plane import CuttingPlane

    def interrupt(self, rng):
        if wrapped:
            raise SystemError from KeyboardInterrupt()
        raise KeyboardInterrupt

    monkeypatch.setattr(CuttingPlane, "start", interrupt)
    with pytest.raises(KeyboardInterrupt):
        case.fitted()


@cases
def test_an_interrupt_within_a_round_keeps_the_rounds_before(case, monkeypatch):
    """Ctrl-C may come at any time, even when new columns have no weights yet."""
    from segboost.solver.cutting_plane import CuttingPlane

    solve, calls = CuttingPlane.solve, []

    def interrupted(self, gap):
        calls.append(gap)
        if len(calls) == 5:
            raise KeyboardInterrupt
        solve(self, gap)

    monkeypatch.setattr(CuttingPlane, "solve", interrupted)
    with pytest.warns(ConvergenceWarning, match="interrupted after 4 rounds"):
        model = case.fitted()
    monkeypatch.undo()
    expected = case.fitted(callback=lambda step: step.iteration == 4)
    assert same(model, expected)
    assert model.certificate_.objective == expected.certificate_.objective
    assert model.certificate_.n_columns == len(model.ensemble_.hypotheses)
    assert np.array_equal(model.predict(case.test), expected.predict(case.test))


@cases
def test_an_error_in_a_callback_is_passed_on(case):
    def fail(step):
        raise RuntimeError("full disk")

    with pytest.raises(RuntimeError, match="full disk"):
        case.fitted(callback=fail)


@cases
def test_a_warm_start_continues_with_its_columns(case):
    model = case.fitted(n_iterations=4, warm_start=True)
    first, columns = model.certificate_.objective, model.ensemble_.hypotheses
    rounds = model.n_iter_
    model.set_params(n_iterations=9).fit(*case.data)
    assert model.ensemble_.hypotheses[: len(columns)] == columns
    assert len(model.ensemble_.hypotheses) > len(columns)
    assert model.certificate_.objective <= first * (1 + model.gap)
    assert rounds < model.n_iter_ <= 9
    assert np.isfinite([s.column_score for s in model.history_]).all()
    cold = case.fitted(n_iterations=4)
    cold.set_params(n_iterations=9).fit(*case.data)
    assert cold.ensemble_.hypotheses[: len(columns)] == columns  # the same seed
    assert cold.n_iter_ <= 9


@cases
def test_a_warm_start_without_further_rounds_keeps_the_model(case):
    model = case.fitted(n_iterations=4, warm_start=True)
    first = model.certificate_.objective
    model.fit(*case.data)
    assert model.n_iter_ == 4
    assert model.certificate_.objective == pytest.approx(first, rel=2 * model.gap)
    assert np.isfinite([s.column_score for s in model.history_]).all()


@cases
def test_a_warm_start_to_the_end_reaches_the_same_optimum(case):
    cold = case.fitted(n_iterations=400, C=5.0, gap=1e-7, epsilon_cg=1e-7)
    warm = case.fitted(n_iterations=5, C=5.0, gap=1e-7, epsilon_cg=1e-7, warm_start=True)
    warm.set_params(n_iterations=400).fit(*case.data)
    assert warm.certificate_.objective == pytest.approx(cold.certificate_.objective, rel=1e-5)


@cases
def test_a_c_too_small_for_any_learner_warns_and_predicts(case):
    with pytest.warns(ConvergenceWarning, match="all weights are zero"), time_limit(20):
        model = case.fitted(C=1e-6)
    assert not model.ensemble_.weights.any()
    assert model.n_iter_ == 1
    assert model.certificate_.reason == "optimal"
    assert model.certificate_.gap <= model.gap
    predicted = np.asarray(model.predict(case.test))
    assert len(np.unique(predicted)) == 1


@cases
def test_predicting_before_fitting_is_an_error(case):
    with pytest.raises(NotFittedError):
        case.make().predict(case.test)


@cases
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", 0),
        ("C", "much"),
        ("n_iterations", 0),
        ("gap", 2.0),
        ("epsilon_cg", -1),
        ("epsilon_cp", 0),
        ("slack", "some"),
        ("slack", 0),
        ("slack", 10**9),
        ("method", "fast"),
        ("weak_learner", "forest"),
    ],
)
def test_bad_parameters_are_refused_by_name(case, name, value):
    with pytest.raises(ValueError, match=name):
        case.fitted(**{name: value})


@cache
def exact_objective(case, **changes):
    exact = {"gap": 1e-6, "epsilon_cg": 1e-6, "n_iterations": 400, "C": 8.0}
    with time_limit(60), warnings.catch_warnings():
        warnings.simplefilter("error")
        return case.fitted(**exact, **changes).certificate_.objective


@cases
@pytest.mark.parametrize("slack", ["auto", "one", "each", 2])
@pytest.mark.parametrize("method", ["default", "literal"])
def test_slack_and_method_do_not_change_the_objective(case, slack, method):
    found = exact_objective(case, slack=slack, method=method)
    assert found == pytest.approx(exact_objective(case), rel=1e-5)


def test_auto_slack_has_a_maximum_number_of_blocks(monkeypatch):
    from segboost.estimators import base

    model, task = CASES[6].make(), CASES[6].data[0]
    assert model._options(task).slack == "each"
    monkeypatch.setattr(base, "MOST_BLOCKS", 10)
    assert model._options(task).slack == 10
