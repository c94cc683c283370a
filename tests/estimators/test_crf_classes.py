"""CRF learners with several classes: accuracy, cross-validation, saving, unusual labels."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from segboost import CRFInstance, CRFStructBoost, load_model
from segboost.baselines import CRFStructuredSVM
from segboost.datasets.synthetic.graphs import class_graphs
from segboost.weak.sampled_trees import SampledTrees
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


@cache
def fitted(make):
    return fit(make())


makers = pytest.mark.parametrize("make", [boost, svm])


@makers
def test_neighbours_help(make):
    model = fitted(make)
    alone = np.mean([np.mean(g.unary[:, :3].argmax(axis=1) == g.labels) for g in TEST])
    assert model.score(TEST) > alone + 0.1
    assert model.classes_.tolist() == [0, 1, 2]
    assert not model.certificate_.exact
    assert model.certificate_.gap <= 0.05


@makers
def test_predictions_and_scores(make):
    model = fitted(make)
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


@makers
def test_models_are_saved_and_loaded(make, tmp_path):
    model = fitted(make)
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
    plain = fitted(make)
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


METRIC = np.array([[0, 1, 2], [1, 0, 1.5], [2, 1.5, 0]])


def renumbered(graphs, order):
    """Return the graphs with class k renumbered to order[k]; −1 stays."""
    names = np.append(order, -1)
    return [replace(g, labels=names[g.labels]) for g in graphs]


@pytest.mark.parametrize(
    ("params", "order"),
    [
        ({}, [9, 4, 6]),
        ({"weak_learner": "ramp", "n_iterations": 12}, [2, 0, 1]),
        ({"label_costs": METRIC}, [1, 2, 0]),
        ({"label_costs": "learned"}, [2, 0, 1]),
        ({"unary": "raw"}, [0, 2, 1]),
        ({"fit_intercept": False}, [2, 0, 1]),
        ({"hidden": 0.3}, [2, 1, 0]),
    ],
    ids=str,
)
def test_renumbering_classes_renumbers_the_result(params, order):
    """The results are exactly equal: class numbers decide neither ties nor the optimum."""
    order, params = np.array(order), dict(params)
    train, rng = draw(2, 6, height=3, width=4), np.random.default_rng(5)
    hidden = params.pop("hidden", 0.0)
    train = [
        replace(g, labels=np.where(rng.random(g.n_nodes) < hidden, -1, g.labels)) for g in train
    ]
    plain = fit(boost(**params), train)
    if isinstance(params.get("label_costs"), np.ndarray):
        place = np.argsort(order)
        params["label_costs"] = METRIC[np.ix_(place, place)]
    other = fit(boost(**params), renumbered(train, order))
    assert other.classes_.tolist() == sorted(order.tolist())
    assert other.certificate_.objective == plain.certificate_.objective
    columns = np.argsort(order)
    for g in TEST:
        assert np.array_equal(order[plain.predict(g)], other.predict(g))
        assert np.array_equal(plain.score_nodes(g)[:, columns], other.score_nodes(g))


@pytest.mark.parametrize("unary", ["shared", "both"])
def test_renumbering_classes_with_their_scores_renumbers_the_result(unary):
    order = np.array([2, 0, 1])
    params = {"unary": unary, "weak_learner": "ramp"}
    # Column k is the score of class k.
    graphs = [replace(g, unary=g.unary[:, :3]) for g in (*draw(2, 6, height=3, width=4), *TEST)]
    moved = [replace(g, unary=g.unary[:, np.argsort(order)]) for g in renumbered(graphs, order)]
    plain, other = fit(boost(**params), graphs[:6]), fit(boost(**params), moved[:6])
    for g, same in zip(graphs[6:], moved[6:], strict=True):
        assert np.array_equal(order[plain.predict(g)], other.predict(same))


def test_a_warm_start_continues_with_the_learners_of_each_class():
    order = np.array([2, 0, 1])
    train = draw(2, 6, height=3, width=4)
    first = fit(boost(n_iterations=4, warm_start=True), train)
    other = fit(boost(n_iterations=4, warm_start=True), renumbered(train, order))
    before = first.certificate_.objective
    fit(first.set_params(n_iterations=8), train)
    fit(other.set_params(n_iterations=8), renumbered(train, order))
    assert first.certificate_.objective < before  # new learners belong to their classes
    for g in TEST:
        assert np.array_equal(order[first.predict(g)], other.predict(g))


def test_renumbering_classes_renumbers_the_linear_result():
    order = np.array([2, 0, 1])
    train = draw(2, 4, height=3, width=3)
    plain, other = (fit(svm(C=2.0), graphs) for graphs in (train, renumbered(train, order)))
    ours, theirs = plain.certificate_.objective, other.certificate_.objective
    assert theirs == pytest.approx(ours, rel=5e-3)
    same = [np.mean(order[plain.predict(g)] == other.predict(g)) for g in TEST]
    assert np.mean(same) > 0.97


@makers
def test_label_costs(make, tmp_path):
    metric = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]], float)
    model = fit(make(label_costs=metric))
    assert model.score(TEST) > 0.6
    back = load_model(model.save(tmp_path))
    assert np.array_equal(back.predict(TEST[0]), model.predict(TEST[0]))
    squared = fit(make(label_costs=metric**2))  # not a metric: inference by swaps
    assert squared.score(TEST) > 0.6
    assert (squared.score_nodes(TEST[0]).max(axis=1) == 0).all()
    with pytest.raises(ValueError, match="label_costs must have shape"):
        fit(make(label_costs=np.ones((2, 2)) - np.eye(2)))


@makers
def test_unlabelled_nodes_are_allowed(make):
    rng = np.random.default_rng(3)
    hidden = [replace(g, labels=np.where(rng.random(g.n_nodes) < 0.3, -1, g.labels)) for g in TRAIN]
    model = fit(make(), hidden)
    assert model.score(TEST) > fitted(make).score(TEST) - 0.15


def test_a_resumed_fit_ends_with_the_same_model(tmp_path):
    train = draw(0, 8, height=4, width=5)
    plain = fit(boost(), train)
    whole = fit(boost(checkpoint=tmp_path / "whole"), train)
    fit(boost(checkpoint=tmp_path / "parts", n_iterations=3), train)
    resumed = fit(boost(checkpoint=tmp_path / "parts"), train)
    for g in TEST[:2]:
        assert whole.score_nodes(g).tobytes() == plain.score_nodes(g).tobytes()
        assert resumed.score(g) == pytest.approx(plain.score(g), abs=0.1)
    stopped = boost(checkpoint=tmp_path / "stop", callback=lambda step: step.iteration == 3)
    fit(stopped, train)
    again = fit(boost(checkpoint=tmp_path / "stop"), train)
    assert again.score_nodes(TEST[0]).tobytes() == plain.score_nodes(TEST[0]).tobytes()


@makers
@pytest.mark.parametrize("unary", ["shared", "both"])
def test_shared_learners(make, unary, tmp_path):
    """One function is learned for the scores of all classes."""
    train, test = ([replace(g, unary=g.unary[:, :3]) for g in part] for part in (TRAIN, TEST))
    model = fit(make(unary=unary), train)
    alone = np.mean([np.mean(g.unary.argmax(axis=1) == g.labels) for g in test])
    assert model.score(test) > alone + 0.1
    back = load_model(model.save(tmp_path))
    assert back.unary == unary
    assert model.score_nodes(test[0]).tobytes() == back.score_nodes(test[0]).tobytes()
    # Renumbering the classes and their scores renumbers the labels.
    order = np.array([2, 0, 1])
    mixed = [replace(g, unary=g.unary[:, np.argsort(order)], labels=order[g.labels]) for g in train]
    other = fit(make(unary=unary), mixed)
    same = [
        np.mean(order[model.predict(g)] == other.predict(h))
        for g, h in zip(train, mixed, strict=True)
    ]
    assert np.mean(same) > 0.9
    with pytest.raises(ValueError, match="multiple of 3"):
        fit(make(unary="shared"))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_over_raw_bytes(n_classes, tmp_path):
    """Trees inside the CRF learn from raw features as bytes, without potentials."""

    def raw(g):
        codes = np.clip(40 * g.unary + 128, 0, 255).astype(np.uint8)
        return CRFInstance(codes, g.edges, g.pairwise, g.labels % n_classes)

    train, test = [raw(g) for g in TRAIN], [raw(g) for g in TEST]
    assert train[0].unary.dtype == np.uint8
    learner = SampledTrees(max_depth=2, n_trees=3, column_share=0.7)
    model = fit(boost(unary="raw", weak_learner=learner), train)
    assert not model.certificate_.exact  # trees are grown greedily
    alone = np.bincount(np.concatenate([g.labels for g in test])).max()
    assert model.score(test) > alone / sum(g.n_nodes for g in test) + 0.1
    back = load_model(model.save(tmp_path))
    assert model.score_nodes(test[0]).tobytes() == back.score_nodes(test[0]).tobytes()
    assert model.score_nodes(test[0]).shape == ((56,) if n_classes == 2 else (56, 3))
