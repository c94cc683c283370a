"""The cache of labellings: the same optimum with fewer oracle calls; checkpoints keep it."""

import numpy as np
import pytest

from segboost import CRFStructBoost
from segboost.baselines import CRFStructuredSVM
from segboost.solver.atoms import Recall, StatefulTask, Task
from segboost.tasks.crf import CRFTask
from segboost.tasks.labelling_cache import CachedTask
from tests.estimators.tables import graphs
from tests.tasks.test_crf_classes import random_scores, random_task

TRAIN = graphs(0, 12)


def cached(n_classes, size=3, seed=0):
    task, weight, rng = random_task(seed, n_classes)
    inner = CRFTask(task.instances, weight) if n_classes == 2 else task
    return CachedTask(inner, size), rng


@pytest.mark.parametrize("n_classes", [2, 3])
def test_recalled_cuts_are_the_best_of_the_kept_outputs(n_classes):
    task, rng = cached(n_classes)
    for protocol in (Task, Recall, StatefulTask):
        assert isinstance(task, protocol)
    assert task.recall(random_scores(task, rng), "each") is None
    answers = [task.separate(random_scores(task, rng), "each") for _ in range(5)]
    scores = random_scores(task, rng)
    best = np.zeros(4)
    for cuts in answers[-3:]:
        np.maximum.at(best, cuts.block, cuts.loss - cuts.weights @ scores)
    found = np.zeros(4)
    cuts = task.recall(scores, "each")
    found[cuts.block] = cuts.loss - cuts.weights @ scores
    # An output that was not violated when it was found is not a cut, but it is kept.
    assert (found >= best - 1e-12).all()
    one = task.recall(scores, "one")
    assert (one.loss - one.weights @ scores)[0] == pytest.approx(found.sum())
    worst = task.separate(scores, "one")
    assert (worst.loss - worst.weights @ scores)[0] >= found.sum() - 1e-9


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_kept_outputs_come_back(n_classes):
    task, rng = cached(n_classes)
    for _ in range(4):
        task.separate(random_scores(task, rng), "one")
    other, _ = cached(n_classes)
    other.load(task.dump())
    scores = random_scores(task, rng)
    for ask in ("recall", "separate"):
        first, second = getattr(task, ask)(scores, "one"), getattr(other, ask)(scores, "one")
        assert np.array_equal(first.weights.toarray(), second.weights.toarray())
        assert np.array_equal(first.loss, second.loss)
    assert len(task.decode(scores)) == 4


def test_the_optimum_is_the_same_with_fewer_calls():
    params = {"C": 20.0, "gap": 1e-3, "slack": "one", "random_state": 0, "n_iterations": 60}
    plain = CRFStructBoost(**params).fit(TRAIN)
    quick = CRFStructBoost(labelling_cache=30, **params).fit(TRAIN)
    for model in (plain, quick):
        assert model.certificate_.exact
        assert model.certificate_.gap <= 1e-3
    ours, theirs = quick.certificate_.objective, plain.certificate_.objective
    assert ours == pytest.approx(theirs, rel=5e-3)
    assert quick.history_[-1].n_oracle_calls < 0.8 * plain.history_[-1].n_oracle_calls


def test_structured_svm_reaches_the_same_optimum(monkeypatch):
    asked = []
    ask = CRFTask.most_violated
    monkeypatch.setattr(CRFTask, "most_violated", lambda *a: asked.append(0) or ask(*a))
    calls, objectives = [], []
    for size in (None, 30):
        asked.clear()
        model = CRFStructuredSVM(C=20.0, gap=1e-3, slack="one", labelling_cache=size).fit(TRAIN)
        assert model.certificate_.gap <= 1e-3
        objectives.append(model.certificate_.objective)
        calls.append(len(asked))
    assert objectives[1] == pytest.approx(objectives[0], rel=2e-3)
    assert calls[1] < calls[0]


def test_a_resumed_fit_ends_with_the_same_model(tmp_path):
    params = {"C": 20.0, "n_iterations": 6, "slack": "one", "labelling_cache": 5, "random_state": 0}
    plain = CRFStructBoost(**params).fit(TRAIN)
    CRFStructBoost(
        checkpoint=tmp_path / "stop", callback=lambda step: step.iteration == 3, **params
    ).fit(TRAIN)
    again = CRFStructBoost(checkpoint=tmp_path / "stop", **params).fit(TRAIN)
    assert again.score_nodes(TRAIN[0]).tobytes() == plain.score_nodes(TRAIN[0]).tobytes()


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "many"])
def test_a_bad_size_is_named(size):
    with pytest.raises(ValueError, match="labelling_cache"):
        CRFStructBoost(labelling_cache=size).fit(TRAIN)
