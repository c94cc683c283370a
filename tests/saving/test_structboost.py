"""Every estimator through a model folder and back."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from segboost import (
    HierarchicalStructBoostClassifier,
    ModelFileError,
    StructBoostClassifier,
    load_model,
)
from segboost.weak.stump import DecisionStump, Stump
from segboost.weak.tree import ShallowTree
from tests.estimators.tables import CASES, MORE, X, Y
from tests.storage.edited_model import edit_content

cases = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)


def learned(model):
    return {n: v for n, v in vars(model).items() if n.endswith("_") and n != "ensemble_"}


@cases
def test_round_trip(case, tmp_path):
    model = case.fitted()
    path = model.save(tmp_path / "m")
    back = load_model(path)
    assert type(back) is type(model)
    assert np.array_equal(back.predict(case.test), model.predict(case.test))
    assert back.history_ == model.history_
    assert back.certificate_ == model.certificate_
    assert back.ensemble_.hypotheses == model.ensemble_.hypotheses
    assert back.ensemble_.n_channels == model.ensemble_.n_channels
    assert np.array_equal(back.ensemble_.channel, model.ensemble_.channel)
    for one, other in zip(back.ensemble_.stages, model.ensemble_.stages, strict=True):
        assert np.array_equal(one, other)
    assert learned(back).keys() == learned(model).keys()
    for name in ("C", "n_iterations", "slack", "gap", "epsilon_cg", "random_state", "method"):
        assert getattr(back, name) == getattr(model, name)


@cases
@pytest.mark.parametrize("learner", ["stump", "tree", "perceptron", "svm"])
def test_all_weak_learners_come_back(case, learner, tmp_path):
    model = case.fitted(weak_learner=learner, n_iterations=4)
    back = load_model(model.save(tmp_path))
    assert np.array_equal(back.predict(case.test), model.predict(case.test))
    if hasattr(model, "feature_importances_"):
        assert np.array_equal(back.feature_importances_, model.feature_importances_)
    if hasattr(model, "staged_predict"):
        for one, other in zip(
            back.staged_predict(case.test), model.staged_predict(case.test), strict=True
        ):
            assert np.array_equal(one, other)


@cases
def test_a_loaded_model_can_be_fitted_again_to_the_same_model(case, tmp_path):
    model = case.fitted()
    back = load_model(model.save(tmp_path)).fit(*case.data)
    assert np.array_equal(back.ensemble_.weights, model.ensemble_.weights)


@cases
def test_the_same_model_gives_the_same_bytes(case, tmp_path):
    model = case.fitted()
    # Only wall times may differ from run to run.
    other = case.fitted()
    other.history_ = [
        replace(o, seconds=m.seconds) for o, m in zip(other.history_, model.history_, strict=True)
    ]
    one, two = model.save(tmp_path / "a"), other.save(tmp_path / "b")
    three = load_model(one).save(tmp_path / "c")
    for path in one.iterdir():
        assert (two / path.name).read_bytes() == path.read_bytes()
        assert (three / path.name).read_bytes() == path.read_bytes()


@cases
def test_idle_and_warm_started_models_can_be_saved(case, tmp_path):
    with pytest.warns(Warning, match="all weights are zero"):
        idle = case.fitted(C=1e-6)
    back = load_model(idle.save(tmp_path / "idle"))
    assert np.array_equal(back.predict(case.test), idle.predict(case.test))
    warm = case.fitted(n_iterations=3, warm_start=True).fit(*case.data)
    back = load_model(warm.save(tmp_path / "warm"))
    back.set_params(n_iterations=5).fit(*case.data)
    assert back.n_iter_ > 3


@cases
def test_only_fitted_models_are_saved(case, tmp_path):
    with pytest.raises(NotFittedError):
        case.make().save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    "names",
    [["a", "b", "c"], [-1, 0, 5], [0.0, 1.0, 2.0], np.array(["x", "y", "z"], dtype=object)],
)
def test_class_names_keep_their_type(names, tmp_path):
    names = np.asarray(names)
    model = StructBoostClassifier(n_iterations=3).fit(X, names[Y])
    back = load_model(model.save(tmp_path))
    assert back.classes_.dtype == names.dtype
    assert np.array_equal(back.predict(MORE), model.predict(MORE))


def test_boolean_names_keep_their_type(tmp_path):
    model = StructBoostClassifier(n_iterations=3).fit(X, Y > 0)
    assert load_model(model.save(tmp_path)).predict(MORE).dtype == bool


def test_class_names_that_files_cannot_hold(tmp_path):
    model = StructBoostClassifier(n_iterations=3).fit(X, Y)
    model.classes_ = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="datetime64[D]")
    with pytest.raises(ValueError, match="class names"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("kind", ["text", "numbers", "none"])
def test_taxonomies_come_back(kind, tmp_path):
    names = np.array(["a", "b", "c"]) if kind == "text" else np.arange(3)
    one, two, three = names.tolist()
    tree = None if kind == "none" else {"r": {"s": [one, two], "t": [three]}}
    model = HierarchicalStructBoostClassifier(tree, n_iterations=3, random_state=0).fit(X, names[Y])
    back = load_model(model.save(tmp_path))
    assert back.taxonomy_.parents == model.taxonomy_.parents
    assert back.tree_loss(names[Y], back.predict(X)) == model.tree_loss(names[Y], model.predict(X))
    back.fit(X, names[Y])
    assert np.array_equal(back.predict(X), model.predict(X))


def test_parameters_of_all_kinds_come_back(tmp_path):
    cost = np.array([[0, 1, 2.5], [1, 0, 1], [1, 1, 0]])
    model = StructBoostClassifier(
        C=np.float64(7.5),
        n_iterations=np.int64(3),
        weak_learner=ShallowTree(max_depth=3),
        cost_matrix=cost.tolist(),
        slack=4,
        epsilon_cp=0.1,
        random_state=np.random.default_rng(0),
        callback=lambda step: None,
        checkpoint=tmp_path / "checkpoint",
    ).fit(X, Y)
    back = load_model(model.save(tmp_path / "m"))
    assert back.C == 7.5
    assert back.n_iterations == 3
    assert back.weak_learner == ShallowTree(max_depth=3)
    assert np.array_equal(back.cost_matrix, cost)
    assert (back.slack, back.epsilon_cp) == (4, 0.1)
    assert back.callback is None
    assert back.checkpoint is None
    assert np.array_equal(back.predict(MORE), model.predict(MORE))


class OwnStump(Stump):
    """A hypothesis from outside the package."""

    kind = "own"


class OwnLearner:
    """A weak learner from outside the package."""

    def bind(self, features, outputs):
        return OwnBound(DecisionStump().bind(features, outputs))


class OwnBound:
    exact = True

    def __init__(self, bound):
        self._bound = bound

    def best(self, weights):
        return [
            replace(c, hypothesis=OwnStump(**vars(c.hypothesis))) for c in self._bound.best(weights)
        ]


def test_hypotheses_from_outside_the_package(tmp_path):
    model = StructBoostClassifier(n_iterations=3, weak_learner=OwnLearner()).fit(X, Y)
    path = model.save(tmp_path)
    with pytest.raises(ModelFileError, match="kind 'own'; pass their class"):
        load_model(path)
    back = load_model(path, hypotheses={"own": OwnStump})
    assert np.array_equal(back.predict(MORE), model.predict(MORE))


class Unstorable:
    def predict(self, features):
        return np.ones(len(features))


def test_hypotheses_that_cannot_be_stored(tmp_path):
    model = StructBoostClassifier(n_iterations=3).fit(X, Y)
    model.ensemble_ = replace(
        model.ensemble_, hypotheses=(Unstorable(), *model.ensemble_.hypotheses[1:])
    )
    with pytest.raises(ValueError, match="Unstorable cannot be saved"):
        model.save(tmp_path)


def test_a_subclass_cannot_be_saved(tmp_path):
    class Mine(StructBoostClassifier):
        pass

    with pytest.raises(ValueError, match="Mine cannot be saved"):
        Mine(n_iterations=3).fit(X, Y).save(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(estimator="Other"),
        lambda c: c.update(estimator=["x"]),
        lambda c: c.pop("estimator"),
        lambda c: c.pop("parameters"),
        lambda c: c["parameters"].update(unknown=1),
        lambda c: c.pop("ensemble"),
        lambda c: c["ensemble"].update(n_channels=1),
        lambda c: c["ensemble"].update(n_channels="x"),
        lambda c: c["ensemble"].update(kinds=[]),
        lambda c: c["ensemble"].update(kinds=["tree"]),
        lambda c: c["ensemble"].update(kinds=["strange"]),
        lambda c: c["ensemble"].update(kinds=3),
        lambda c: c["history"].append({}),
        lambda c: c.update(history=None),
        lambda c: c["certificate"].update(more=1),
        lambda c: c["counts"].update(fit=3),
        lambda c: c["counts"].update(n_iter_="x"),
        lambda c: c["counts"].update(n_iter_=-1),
        lambda c: c["classes"].update(dtype="nonsense"),
        lambda c: c["classes"].update(values=[0, 1]),
        lambda c: c.pop("classes"),
        lambda c: c["counts"].update(n_features_in_=1),
        lambda c: c["counts"].update(n_features_in_=-1),
        lambda c: c["counts"].update(n_features_in_=10**15),
        lambda c: c.pop("counts"),
    ],
)
def test_invalid_content_is_reported_in_one_line(change, tmp_path):
    path = StructBoostClassifier(n_iterations=3).fit(X, Y).save(tmp_path)
    edit_content(path, change)
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", [c for c in CASES if c.name != "general"], ids=lambda c: c.name)
def test_a_model_without_its_counts_is_refused(case, tmp_path):
    path = case.fitted(n_iterations=3).save(tmp_path)
    edit_content(path, lambda c: c.update(counts={}))
    with pytest.raises(ModelFileError):
        load_model(path)


def test_an_ordinal_model_has_a_threshold_between_all_ranks(tmp_path):
    ordinal = next(c for c in CASES if c.name == "ordinal")
    model = ordinal.fitted(n_iterations=3)
    for bad in (model.thresholds_[:1], model.thresholds_[::-1] + np.eye(2)[0], np.full(2, np.nan)):
        model.thresholds_ = bad
        with pytest.raises(ModelFileError, match="thresholds"):
            load_model(model.save(tmp_path))


def test_a_checkpoint_is_not_a_model(tmp_path):
    StructBoostClassifier(n_iterations=3, checkpoint=tmp_path).fit(X, Y)
    with pytest.raises(ModelFileError, match="is a folder of kind 'checkpoint'"):
        load_model(tmp_path)


def test_feature_names_are_kept(tmp_path):
    model = StructBoostClassifier(n_iterations=3).fit(X, Y)
    model.feature_names_in_ = np.array(["p", "q", "r", "s"], dtype=object)
    back = load_model(model.save(tmp_path))
    assert back.feature_names_in_.tolist() == ["p", "q", "r", "s"]
