"""CRF learners with several classes: accuracy, cross-validation, saving, odd labels."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from segboost import CRFInstance, CRFStructBoost, load_model
from segboost.baselines import CRFStructuredSVM
from segboost.datasets.synthetic.graphs import class_graphs
from tests.estimators.tables import graphs as binary_graphs


def draw(seed, n, n_classes=3, height=7, width=8):
    rng = np.random.default_rng(seed)
    made = class_graphs(n, rng, n_classes, height, width)
    return [CRFInstance(g.unary, g.edges, g.pairwise, g.labels) for g in made]


TRAIN, TEST = draw(0, 8), draw(1, 6)


def boost(**params):
    return CRFStructBoost(**{"C": 20.0, "n_iterations": 6, "random_state": 0, **params})


def svm(**params):
    return CRFStructuredSVM(**{"C": 20.0, "gap": 0.05, **params})


def fit(model, train=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(TRAIN if train is None else train)


FITTED = {"boost": fit(boost()), "svm": fit(svm())}
both = pytest.mark.parametrize("name", list(FITTED))
makers = pytest.mark.parametrize("make", [boost, svm])


@both
def test_neighbours_help(name):
    model = FITTED[name]
    alone = np.mean([np.mean(g.unary[:, :3].argmax(axis=1) == g.labels) for g in TEST])
    assert model.score(TEST) > alone + 0.1
    assert model.classes_.tolist() == [0, 1, 2]
    assert not model.certificate_.exact
    assert model.certificate_.gap <= 0.05


@both
def test_predictions_and_scores(name):
    model = FITTED[name]
    together = model.predict(TEST)
    assert isinstance(together, list)
    for g, labels in zip(TEST, together, strict=True):
        assert np.array_equal(model.predict(g), labels)
        scores = model.score_nodes(g)
        assert scores.shape == (g.n_nodes, 3)
        assert (scores <= 0).all()
        assert (scores[np.arange(g.n_nodes), labels] == 0).all()
        theta, capacity = model.energy_terms(g)
        assert theta.shape == (g.n_nodes, 3)
        assert capacity.shape == (g.n_edges,)
    right = [np.mean(y == g.labels) for g, y in zip(TEST, together, strict=True)]
    assert model.score(TEST) == pytest.approx(np.mean(right))
    assert model.score(TEST[0]) == pytest.approx(right[0])
    first = model.score(TEST[:2], sample_weight=[1, 0])
    assert first == pytest.approx(right[0])
    assert model.predict([]) == []
    with pytest.raises(ValueError, match="not a CRFInstance"):
        model.predict("graph")
    with pytest.raises(ValueError, match="score needs labels"):
        model.score([replace(TEST[0], labels=None)])


@both
def test_models_come_back_from_their_folder(name, tmp_path):
    model = FITTED[name]
    back = load_model(model.save(tmp_path))
    assert back.classes_.tolist() == [0, 1, 2]
    for g in TEST[:2]:
        assert model.score_nodes(g).tobytes() == back.score_nodes(g).tobytes()
        assert np.array_equal(model.predict(g), back.predict(g))


@makers
def test_cross_validation_and_grid_search(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make(n_iterations=3) if make is boost else make()
        values = cross_val_score(model, TRAIN[:4], cv=2)
        assert values.shape == (2,)
        assert (values > 0.4).all()
        search = GridSearchCV(model, {"C": [1e-6, 20.0]}, cv=2).fit(TRAIN[:4])
    assert search.best_params_ == {"C": 20.0}
    assert search.predict(TEST[0]).shape == (56,)


@makers
def test_classes_that_do_not_occur_are_never_predicted(make, tmp_path):
    name = {0: 1, 1: 4, 2: 9}
    renamed = [replace(g, labels=np.vectorize(name.get)(g.labels)) for g in TRAIN]
    model = fit(make(), renamed)
    assert model.classes_.tolist() == [1, 4, 9]
    plain = FITTED[make.__name__]
    for g in TEST:
        expected = np.array([1, 4, 9])[plain.predict(g)]
        assert np.array_equal(model.predict(g), expected)
    back = load_model(model.save(tmp_path))
    assert np.array_equal(back.predict(TEST[0]), model.predict(TEST[0]))


@makers
def test_two_other_labels_are_the_binary_crf(make, tmp_path):
    train, test = binary_graphs(0, 8), binary_graphs(1, 3)
    plain = fit(make(), train)
    assert plain.classes_.tolist() == [0, 1]
    assert plain.score_nodes(test[0]).shape == (12,)
    other = fit(make(), [replace(g, labels=3 * g.labels + 2) for g in train])
    assert other.classes_.tolist() == [2, 5]
    assert other.certificate_.exact == plain.certificate_.exact
    back = load_model(other.save(tmp_path))
    for g in test:
        assert np.array_equal(other.predict(g), 3 * plain.predict(g) + 2)
        assert np.array_equal(back.predict(g), other.predict(g))
        assert other.score_nodes(g).tobytes() == plain.score_nodes(g).tobytes()


@makers
def test_a_single_class_is_learned(make):
    model = fit(make(), [replace(g, labels=np.full(g.n_nodes, 7)) for g in TRAIN])
    assert model.classes_.tolist() == [0, 7]
    assert (model.predict(TEST[0]) == 7).all()


@makers
def test_renumbering_classes_renumbers_the_result(make):
    """At the optimum: which learners come first depends on the random ties of the first cut."""
    order = np.array([2, 0, 1])
    train = draw(2, 4, height=3, width=3)
    params = {"gap": 1e-3, "C": 2.0} | ({"n_iterations": 100} if make is boost else {})
    plain = fit(make(**params), train)
    other = fit(make(**params), [replace(g, labels=order[g.labels]) for g in train])
    if make is boost:
        assert plain.certificate_.reason == other.certificate_.reason == "optimal"
    ours, theirs = plain.certificate_.objective, other.certificate_.objective
    assert theirs == pytest.approx(ours, rel=5e-3)
    same = [np.mean(order[plain.predict(g)] == other.predict(g)) for g in train]
    assert np.mean(same) > 0.9


@makers
def test_label_costs(make, tmp_path):
    metric = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]], float)
    model = fit(make(label_costs=metric))
    assert model.score(TEST) > 0.6
    back = load_model(model.save(tmp_path))
    assert np.array_equal(back.predict(TEST[0]), model.predict(TEST[0]))
    squared = fit(make(label_costs=metric**2))  # not a metric: swaps
    assert squared.score(TEST) > 0.6
    assert (squared.score_nodes(TEST[0]).max(axis=1) == 0).all()
    with pytest.raises(ValueError, match="label_costs must have shape"):
        fit(make(label_costs=np.ones((2, 2)) - np.eye(2)))


@makers
def test_unknown_nodes_are_free(make):
    rng = np.random.default_rng(3)
    hidden = [replace(g, labels=np.where(rng.random(g.n_nodes) < 0.3, -1, g.labels)) for g in TRAIN]
    model = fit(make(), hidden)
    assert model.score(TEST) > FITTED[make.__name__].score(TEST) - 0.15


def test_a_resumed_fit_ends_with_the_same_model(tmp_path):
    plain = FITTED["boost"]
    whole = fit(boost(checkpoint=tmp_path / "whole"))
    fit(boost(checkpoint=tmp_path / "parts", n_iterations=3))
    resumed = fit(boost(checkpoint=tmp_path / "parts"))
    for g in TEST[:2]:
        assert whole.score_nodes(g).tobytes() == plain.score_nodes(g).tobytes()
        assert resumed.score(g) == pytest.approx(plain.score(g), abs=0.1)
    stopped = boost(checkpoint=tmp_path / "stop", callback=lambda step: step.iteration == 3)
    fit(stopped)
    again = fit(boost(checkpoint=tmp_path / "stop"))
    assert again.score_nodes(TEST[0]).tobytes() == plain.score_nodes(TEST[0]).tobytes()
