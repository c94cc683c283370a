"""C is the best candidate on held-out rows, and the model equals a plain fit."""

from __future__ import annotations

import numpy as np
import pytest

from segboost import StructBoostClassifier
from segboost.estimators.boosted_scores import BoostedScores
from segboost.pipelines.tables.estimators import EstimatorSettings
from segboost.pipelines.tables.fit import fit_table, split_validation
from segboost.progress import Report
from tests.estimators.tables import table

X, Y = table(0, 60)
SETTINGS = EstimatorSettings("multiclass", n_iterations=8, seed=3)
CANDIDATES = (4.0, 8.0, 30.0)


def validation_error(C):
    train, held = split_validation(Y, SETTINGS.seed)
    model = StructBoostClassifier(C=C, n_iterations=8, random_state=3).fit(X[train], Y[train])
    return 1 - model.score(X[held], Y[held])


def test_the_best_candidate_is_chosen():
    found = fit_table(X, Y, SETTINGS, candidates=CANDIDATES)
    errors = {C: validation_error(C) for C in CANDIDATES}
    assert len(set(errors.values())) > 1
    assert {t.C: t.measures["error"] for t in found.trials} == pytest.approx(errors)
    assert errors[found.C] == min(errors.values())
    assert found.n_validation == len(split_validation(Y, SETTINGS.seed)[1])


def test_of_equally_good_candidates_the_smallest_is_chosen():
    far_apart = X + 100 * Y[:, None]
    found = fit_table(far_apart, Y, SETTINGS, candidates=(30.0, 1000.0, 100.0))
    assert {t.measures["error"] for t in found.trials} == {0.0}
    assert found.C == 30.0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_model_is_a_plain_fit_on_all_rows(n_jobs):
    found = fit_table(X, Y, SETTINGS, C=4.0, n_jobs=n_jobs)
    plain = StructBoostClassifier(C=4.0, n_iterations=8, random_state=3).fit(X, Y)
    assert np.array_equal(found.model.decision_function(X), plain.decision_function(X))
    assert found.trials == ()
    assert found.measures == {"error": pytest.approx(1 - plain.score(X, Y))}


def test_progress_names_both_stages():
    reports: list[Report] = []
    fit_table(X, Y, SETTINGS, progress=reports.append, candidates=CANDIDATES)
    assert list(dict.fromkeys(r.stage for r in reports)) == ["choice of C", "fit"]
    assert max(r.done for r in reports if r.stage == "choice of C") == len(CANDIDATES)


def test_a_quarter_of_each_class_is_held_out():
    y = np.repeat([0, 1, 2, 3], [40, 8, 2, 1])
    train, held = split_validation(y, 0)
    assert sorted([*train, *held]) == list(range(len(y)))
    assert np.bincount(y[held], minlength=4).tolist() == [10, 2, 1, 0]


def test_too_few_rows_to_choose():
    with pytest.raises(ValueError, match=r"too few to choose C on.*--C"):
        fit_table(X[:3], np.array([0, 0, 1]), SETTINGS)


def test_boosted_trees_are_grown_once_for_all_c_and_equal_a_plain_fit(monkeypatch):
    """They are grown before the choice of C, on all rows, and used again by the final fit."""
    settings = EstimatorSettings("multiclass", "auto", n_iterations=3, seed=3)
    grow, grown = BoostedScores.fit, []

    def noted(features, *args):
        grown.append(len(features))
        return grow(features, *args)

    monkeypatch.setattr(BoostedScores, "fit", noted)
    found = fit_table(X, Y, settings, candidates=(8.0, 30.0))
    assert grown == [len(X)]
    chosen = next(t for t in found.trials if t.C == found.C)
    assert chosen.measures["error"] == min(t.measures["error"] for t in found.trials)
    plain = StructBoostClassifier(**found.model.get_params()).fit(X, Y)
    assert np.array_equal(found.model.decision_function(X), plain.decision_function(X))


def test_rankers_get_stumps_automatically():
    found = fit_table(X, Y > 0, EstimatorSettings("auc", "auto", n_iterations=3), C=10.0)
    assert found.model.weak_learner == "stump"
