"""Chains: Viterbi against enumeration and its twin; separation; the two estimators."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from segboost import ChainStructBoost, load_model
from segboost.baselines import ChainStructuredSVM
from segboost.saving.registry import pack_model, unpack_model
from segboost.storage.folder import ModelFileError
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


ESTIMATORS = [ChainStructBoost(C=5.0, n_iterations=8, random_state=0), ChainStructuredSVM(C=5.0)]


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(model).fit(X, y)


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("names", [*itertools.permutations("abc"), (7, -1, 3), (2.0, 0.0, 1.0)])
def test_renaming_labels_renames_predictions(model, names):
    rng = np.random.default_rng(3)
    (X, y), (test, _) = draw(12, rng), draw(12, rng)
    test += [np.zeros((5, 2)), np.full((3, 2), 1e6)]  # ties

    def rename(labels):
        return np.array([dict(zip("abc", names, strict=True))[k] for k in labels.tolist()])

    plain, renamed = fitted(model, X, y), fitted(model, X, [rename(labels) for labels in y])
    assert renamed.classes_.tolist() == sorted(names)
    for ours, theirs in zip(plain.predict(test), renamed.predict(test), strict=True):
        assert np.array_equal(rename(ours), theirs)
    place = np.argsort(np.argsort(np.array(names)))  # of a, b and c among the sorted new names
    emission, transition = renamed.chain_scores(test[0])
    assert np.array_equal(plain.chain_scores(test[0])[0], emission[:, place])
    assert np.array_equal(plain.chain_scores(test[0])[1], transition[np.ix_(place, place)])


@pytest.mark.parametrize("names", ["bac", "cba", "abc"])
def test_without_weights_the_first_label_of_training_is_predicted(names):
    X, y = [np.zeros((3, 1))] * 2, [np.array(list(names))] * 2
    model = fitted(ChainStructBoost(C=1e-9, random_state=0), X, y)
    assert not any(scores.any() for scores in model.chain_scores(X[0]))
    assert model.predict(X[:1])[0].tolist() == [names[0]] * 3


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda m: type(m).__name__)
def test_models_without_a_class_order_have_sorted_labels(model):
    rng = np.random.default_rng(4)
    X, y = draw(10, rng)
    # The labels first appear in sorted order, as earlier versions numbered them.
    y[0][:3] = ["a", "b", "c"]
    found = fitted(model, X, y)
    packed = pack_model(found)
    assert packed.document["class_order"] == [0, 1, 2]
    older = {key: value for key, value in packed.document.items() if key != "class_order"}
    back = unpack_model(replace(packed, document=older), "an older model")
    for ours, theirs in zip(found.predict(X), back.predict(X), strict=True):
        assert np.array_equal(ours, theirs)
    for order in ([0, 1], [0, 1, 1], [0, 1, 3], ["a", "b", "c"]):
        damaged = replace(packed, document={**packed.document, "class_order": order})
        with pytest.raises(ModelFileError, match=r"order|describe"):
            unpack_model(damaged, "a damaged model")


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (None, [[0, 1]], "sequences is None"),
        ([[[0.0], [1.0]]], None, "y is None"),
        ([[["a"], ["b"]]], [[0, 1]], r"sequences\[0\] must hold real numbers"),
        ([np.zeros((2, 1)) + 1j], [[0, 1]], r"sequences\[0\] must hold real numbers: got complex"),
        ([np.zeros((2, 1), "M8[s]")], [[0, 1]], r"sequences\[0\] must hold real numbers: got date"),
        ([[[1e200], [1.0]]], [[0, 1]], r"beyond ±1e\+100"),
        ([[[0.0], [1.0]]], [[0, 1, 1]], r"y\[0\] has shape \(3,\), expected \(2,\)"),
        ([[[0.0], [1.0]]], [[[0], [1]]], r"y\[0\] has shape \(2, 1\)"),
        ([[[0.0], [1.0]]], [[0.5, 1.0]], r"y\[0\] must hold classes"),
        ([[[0.0], [1.0]]], [[np.nan, 1.0]], r"y\[0\] must hold classes"),
        ([[[0.0], [1.0]]], [[np.inf, 1.0]], r"y\[0\] must be finite"),
        ([[[0.0], [1.0]]], [np.array(["a", None])], "y contains missing labels"),
        ([[[0.0], [1.0]]] * 2, [["a", "b"], [0, 1]], "y mixes text and other labels"),
    ],
)
def test_bad_input_is_refused_by_name(model, X, y, message):
    with pytest.raises(ValueError, match=message):
        clone(model).fit(X, y)


def test_a_continued_fit_keeps_its_order():
    rng = np.random.default_rng(5)
    X, y = draw(10, rng)
    model = ChainStructBoost(C=5.0, n_iterations=3, random_state=0, warm_start=True).fit(X, y)
    order = model.class_order_.tolist()
    model.set_params(n_iterations=6).fit(X[::-1], y[::-1])
    assert model.class_order_.tolist() == order
    assert model.n_iter_ > 3
    assert model.score(X, y) > 0.6
    with pytest.raises(ValueError, match="same channels"):
        model.fit(X, [np.where(labels == "a", "b", labels) for labels in y])


def test_mismatched_arguments_are_refused():
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
