"""Chains: Viterbi against enumeration and its twin; separation; the two estimators."""

import itertools
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from segboost import ChainStructBoost, load_model
from segboost.baselines import ChainStructuredSVM
from segboost.tasks.chain import ChainTask
from segboost.tasks.viterbi import best_path_numpy, best_paths

MEANS = np.array([[0.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])


def score_of(path, emission, transition):
    path = np.asarray(path)
    return emission[np.arange(len(path)), path].sum() + transition[path[:-1], path[1:]].sum()


def test_best_paths_equal_enumeration_and_the_numpy_twin():
    rng = np.random.default_rng(0)
    lengths = [1, 4, 0, 5, 3]
    start = np.concatenate([[0], np.cumsum(lengths)])
    for integer in (False, True):
        emission, transition = rng.normal(size=(13, 3)), rng.normal(size=(3, 3))
        if integer:  # ties
            emission, transition = np.rint(emission), np.rint(transition)
        found = best_paths(emission, transition, start)
        for a, b in itertools.pairwise(start):
            path, part = found[a:b], emission[a:b]
            assert np.array_equal(path, best_path_numpy(part, transition))
            if b > a:
                outputs = itertools.product(range(3), repeat=b - a)
                best = max(score_of(y, part, transition) for y in outputs)
                assert score_of(path, part, transition) == pytest.approx(best)


@pytest.mark.parametrize("slack", ["each", "one", 2])
def test_separation_equals_enumeration(slack):
    rng = np.random.default_rng(1)
    lengths = (4, 1, 3)
    labels = [rng.integers(0, 3, n) for n in lengths]
    weight = np.array([1.0, 2.0, 5.0])
    task = ChainTask([rng.normal(size=(n, 2)) for n in lengths], labels, 3, weight)
    scores = rng.normal(size=sum(c.n_atoms for c in task.channels))
    emission, transition = task.split(scores)
    cuts = task.separate(scores, slack)
    worst, at = [], 0
    for truth, share in zip(labels, weight / weight.sum(), strict=True):
        part, at = emission[at : at + len(truth)], at + len(truth)
        own = score_of(truth, part, transition)
        worst.append(
            share
            * max(
                (np.array(y) != truth).sum() + score_of(y, part, transition) - own
                for y in itertools.product(range(3), repeat=len(truth))
            )
        )
    assert (cuts.loss - cuts.weights @ scores).sum() == pytest.approx(np.maximum(worst, 0).sum())


def draw(n_sequences, rng):
    X, y = [], []
    for _ in range(n_sequences):
        steps = rng.random(rng.integers(10, 25)) < 0.25
        labels = (rng.integers(3) + np.cumsum(steps)) % 3
        y.append(np.array(["a", "b", "c"])[labels])
        X.append(MEANS[labels] + rng.normal(0, 1.0, (len(labels), 2)))
    return X, y


@pytest.mark.parametrize("make", [ChainStructBoost, ChainStructuredSVM])
def test_estimators_learn_labels_and_transitions(make, tmp_path):
    rng = np.random.default_rng(2)
    X, y = draw(20, rng)
    test, truth = draw(20, rng)
    boost = {"n_iterations": 10, "random_state": 0} if make is ChainStructBoost else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make(C=5.0, **boost).fit(X, y)
        values = cross_val_score(make(C=5.0, **boost), X, y, cv=2)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.score(test, truth) > 0.75
    assert (values > 0.6).all()
    assert model.certificate_.exact
    transition = model.chain_scores(test[0])[1]
    for k in range(3):
        assert transition[k, k] > transition[k, (k - 1) % 3]
    back = load_model(model.save(tmp_path))
    for ours, theirs in zip(model.predict(test), back.predict(test), strict=True):
        assert np.array_equal(ours, theirs)
    assert back.chain_scores(test[0])[0].tobytes() == model.chain_scores(test[0])[0].tobytes()
    with pytest.raises(ValueError, match="fitted with 2"):
        model.predict([np.zeros((3, 5))])
    with pytest.raises(ValueError, match="at least 2 classes"):
        make().fit(X[:1], [np.zeros(len(X[0]))])
    with pytest.raises(ValueError, match="y has 1 sequences"):
        make().fit(X[:2], y[:1])


def test_what_does_not_fit_is_refused():
    ok = [np.zeros((3, 2))]
    with pytest.raises(ValueError, match="sequences is empty"):
        ChainTask([], None, 2)
    with pytest.raises(ValueError, match=r"sequences\[1\] has shape"):
        ChainTask([*ok, np.zeros((3, 1))], None, 2)
    with pytest.raises(ValueError, match="finite"):
        ChainTask([np.full((2, 2), np.nan)], None, 2)
    with pytest.raises(ValueError, match=r"labels\[0\] has shape"):
        ChainTask(ok, [[0, 1]], 2)
    with pytest.raises(ValueError, match="from 0 to 1"):
        ChainTask(ok, [[0, 1, 2]], 2)
    with pytest.raises(ValueError, match="needs labels"):
        ChainTask(ok, None, 2).separate(np.zeros(10), "one")
    with pytest.raises(ValueError, match="scores has shape"):
        ChainTask(ok, None, 2).decode(np.zeros(3))
