"""Fitted baselines through a folder and back."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from segboost import ModelFileError, load_model, save_model
from segboost.baselines import (
    AdaBoostECC,
    AdaBoostMH,
    AdaBoostStumps,
    ChainStructuredSVM,
    CRFStructuredSVM,
    RankBoost,
    RankingSVM,
    StructuredSVMClassifier,
)
from segboost.baselines.cutting_plane import SVMCertificate, SVMStep
from segboost.saving.baselines import LAYOUTS
from segboost.storage import folder as storage
from segboost.tasks.crf import CRFInstance
from segboost.weak.tree import ShallowTree
from tests.storage.edited_model import edit_content

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
MORE = RNG.normal(size=(200, 4))
NAMES = np.array(["ant", "bee", "cat"])
Y = NAMES[np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.4, 0.4])]


def graphs(n=4, n_pairwise=2):
    rng = np.random.default_rng(1)
    found = []
    for _ in range(n):
        labels = rng.integers(0, 2, 8)
        unary = (1 - 2 * labels)[:, None] * [1.0, 0.5] + rng.normal(size=(8, 2))
        edges = np.column_stack([np.arange(7), np.arange(1, 8)])
        found.append(CRFInstance(unary, edges, rng.random((7, n_pairwise)), labels))
    return found


def chains(n=6):
    """Return sequences of two features, with the names of their classes."""
    rng = np.random.default_rng(2)
    names = [NAMES[rng.integers(0, 3, 7)] for _ in range(n)]
    values = [np.searchsorted(NAMES, y)[:, None] + rng.normal(size=(7, 2)) for y in names]
    return values, names


def fit_all():
    """Yield a fitted model of every class."""
    yield ChainStructuredSVM(C=3.0).fit(*chains())
    yield CRFStructuredSVM(C=3.0).fit(graphs())
    yield StructuredSVMClassifier(C=10.0, cost_matrix=1.0 - np.eye(3)).fit(X, Y)
    yield RankingSVM(C=5.0).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    yield AdaBoostStumps(20, learning_rate=0.5).fit(X, Y == "bee")
    yield AdaBoostMH(20, max_bins=16).fit(X, Y)
    yield AdaBoostECC(15, random_state=3).fit(X, Y)
    yield RankBoost(20).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))


@cache
def fitted(name):
    return next(model for model in fit_all() if type(model).__name__ == name)


every = pytest.mark.parametrize("name", list(LAYOUTS))


def predictions(model):
    """Return all predictions of a model on new data."""
    if isinstance(model, CRFStructuredSVM):
        return [f(g) for g in graphs() for f in (model.predict, model.score_nodes)]
    if isinstance(model, ChainStructuredSVM):
        values, _ = chains()
        return [*model.predict(values), *(part for v in values for part in model.chain_scores(v))]
    found = [model.predict(MORE), model.decision_function(MORE)]
    if hasattr(model, "staged_decision_function"):
        found += model.staged_decision_function(MORE)
    if hasattr(model, "predict_proba"):
        found.append(model.predict_proba(MORE))
    return found


def assert_same_predictions(one, other):
    for a, b in zip(predictions(one), predictions(other), strict=True):
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes()


def edit_arrays(path, **changed):
    document, arrays = storage.read_folder(path, "baseline")
    for name, value in changed.items():
        if value is None:
            del arrays[name]
        else:
            arrays[name] = value(arrays[name])
    storage.write_folder(path, "baseline", document, arrays)


@every
def test_loaded_models_predict_to_the_bit(name, tmp_path):
    model = fitted(name)
    back = load_model(save_model(model, tmp_path))
    assert type(back) is type(model)
    assert_same_predictions(model, back)


@every
def test_all_learned_attributes_are_restored(name, tmp_path):
    model = fitted(name)
    back = load_model(save_model(model, tmp_path))
    assert vars(back).keys() == vars(model).keys()
    for key, value in vars(model).items():
        if isinstance(value, np.ndarray):
            assert getattr(back, key).dtype == value.dtype
            np.testing.assert_array_equal(getattr(back, key), value)
        elif key == "stumps_":
            for part, array in value.pack().items():
                np.testing.assert_array_equal(back.stumps_.pack()[part], array)
        else:
            assert getattr(back, key) == value, key


@every
def test_saving_again_gives_the_same_bytes(name, tmp_path):
    one = save_model(fitted(name), tmp_path / "a")
    two = save_model(load_model(one), tmp_path / "b")
    assert {p.name for p in one.iterdir()} == {p.name for p in two.iterdir()}
    for path in one.iterdir():
        assert (two / path.name).read_bytes() == path.read_bytes()


@every
def test_a_loaded_model_can_be_fitted_again(name, tmp_path):
    model = fitted(name)
    back = load_model(save_model(model, tmp_path))
    if name == "CRFStructuredSVM":
        back.fit(graphs())
    elif name == "ChainStructuredSVM":
        back.fit(*chains())
    else:
        levels = np.digitize(X[:, 0], [-0.5, 0.5])
        back.fit(
            X,
            {"AdaBoostStumps": Y == "bee", "RankBoost": levels, "RankingSVM": levels}.get(name, Y),
        )
    assert_same_predictions(model, back)


@pytest.mark.parametrize(
    "names",
    [
        np.array([3, 7, 9]),
        np.array([0.5, 1.5, 2.5]),
        np.array(["ä", "b", "c"], dtype=object),
        np.array([2, 3, 5], dtype=np.uint8),
    ],
)
@pytest.mark.parametrize("cls", [AdaBoostMH, AdaBoostECC, StructuredSVMClassifier])
def test_class_names_keep_their_type(cls, names, tmp_path):
    y = names[np.searchsorted(NAMES, Y)]
    if names.dtype.kind == "f":
        # Classifiers treat fractions as regression targets; whole numbers are class names.
        y = y + 0.5
    model = cls().set_params(**({} if cls is StructuredSVMClassifier else {"n_estimators": 3}))
    back = load_model(save_model(model.fit(X, y), tmp_path))
    assert back.classes_.dtype == model.classes_.dtype
    assert back.predict(MORE).tolist() == model.predict(MORE).tolist()


@pytest.mark.parametrize("learner", ["tree", "perceptron", "svm", ShallowTree(max_depth=3)])
def test_weak_learners_of_every_kind(learner, tmp_path):
    model = AdaBoostECC(4, weak_learner=learner, random_state=0).fit(X, Y)
    back = load_model(save_model(model, tmp_path))
    assert_same_predictions(model, back)
    assert back.weak_learner == learner


def test_feature_names(tmp_path):
    model = AdaBoostStumps(3).fit(X, Y == "bee")
    model.feature_names_in_ = np.array(list("wxyz"), dtype=object)
    path = save_model(model, tmp_path)
    back = load_model(path)
    assert back.feature_names_in_.dtype == object
    assert back.feature_names_in_.tolist() == list("wxyz")
    edit_content(path, lambda content: content["feature_names"].pop())
    with pytest.raises(ModelFileError, match="differ in size"):
        load_model(path)


def test_a_crf_without_pairwise_potentials_or_intercept(tmp_path):
    model = CRFStructuredSVM(fit_intercept=False).fit(graphs(n_pairwise=0))
    back = load_model(save_model(model, tmp_path))
    for graph in graphs(n_pairwise=0):
        assert back.score_nodes(graph).tobytes() == model.score_nodes(graph).tobytes()
    with pytest.raises(ValueError, match="2 pairwise potentials, the model was fitted with 0"):
        back.predict(graphs()[0])


def test_the_infinite_bounds_of_an_interrupted_fit(tmp_path):
    model = load_model(save_model(fitted("CRFStructuredSVM"), tmp_path / "a"))
    model.history_ = [SVMStep(np.inf, 0.0, 1.0, 3, 0.1)]
    model.certificate_ = SVMCertificate(np.inf, 0.0, 1.0, True, False)
    back = load_model(save_model(model, tmp_path / "b"))
    assert back.history_ == model.history_
    assert back.certificate_ == model.certificate_
    assert type(back.history_[0].n_cuts) is int
    assert replace(back.certificate_).converged is False


def test_callbacks_are_not_saved(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = CRFStructuredSVM(max_iterations=2, callback=lambda step: None).fit(graphs())
    assert load_model(save_model(model, tmp_path)).callback is None


@every
def test_models_that_are_not_fitted(name, tmp_path):
    with pytest.raises(NotFittedError):
        save_model(LAYOUTS[name].cls(), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_subclass_cannot_be_saved(tmp_path):
    class Own(AdaBoostMH):
        pass

    Own.__name__ = "AdaBoostMH"
    with pytest.raises(ValueError, match="AdaBoostMH cannot be saved"):
        save_model(Own(3).fit(X, Y), tmp_path)


@every
def test_a_changed_byte_is_detected(name, tmp_path):
    path = save_model(fitted(name), tmp_path)
    for file in list(path.iterdir()):
        whole = file.read_bytes()
        for place in np.linspace(0, len(whole) - 1, 12).astype(int):
            damaged = bytearray(whole)
            damaged[place] ^= 0x55
            file.write_bytes(damaged)
            with pytest.raises(ModelFileError):
                load_model(path)
        file.write_bytes(whole)
    load_model(path)


@every
def test_missing_entries_are_named(name, tmp_path):
    path = save_model(fitted(name), tmp_path)
    document, arrays = storage.read_folder(path, "baseline")
    for key in document:
        if key == "numbers" and not document[key]:
            continue
        if key == "class_order":  # models of earlier versions lack it
            continue
        save_model(fitted(name), tmp_path)
        edit_content(path, lambda content, key=key: content.pop(key))
        with pytest.raises(ModelFileError):
            load_model(path)
    for key in arrays:
        save_model(fitted(name), tmp_path)
        edit_arrays(path, **{key: None})
        with pytest.raises(ModelFileError):
            load_model(path)


@every
def test_arrays_that_do_not_fit_each_other(name, tmp_path):
    path = save_model(fitted(name), tmp_path)
    keys = [key for key, shape in LAYOUTS[name].arrays if shape not in "UV"]
    for key in [*keys, *(["stumps_feature"] if LAYOUTS[name].stumps else [])]:
        save_model(fitted(name), tmp_path)
        edit_arrays(path, **{key: lambda array: array[:-1]})
        with pytest.raises(ModelFileError, match="does not describe a model"):
            load_model(path)


@pytest.mark.parametrize("name", ["AdaBoostStumps", "AdaBoostMH", "RankBoost"])
def test_stumps_beyond_the_features(name, tmp_path):
    path = save_model(fitted(name), tmp_path)
    edit_arrays(path, stumps_feature=lambda feature: feature + 10**9)
    with pytest.raises(ModelFileError, match="features that it does not have"):
        load_model(path)


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(ModelFileError, match="is not a model folder"):
        load_model(tmp_path)
    path = save_model(fitted("RankBoost"), tmp_path)
    edit_content(path, lambda content: content.update(baseline="Oracle"))
    with pytest.raises(ModelFileError, match="unknown baseline 'Oracle'"):
        load_model(path)
    storage.write_folder(tmp_path, "segmenter", {}, {})
    with pytest.raises(ModelFileError, match="'segmenter', expected 'estimator' or 'baseline'"):
        load_model(path)
