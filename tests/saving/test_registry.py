"""Every public estimator can be saved, and the first file format can still be read."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import segboost
from segboost import ModelFileError, baselines, load_model, save_model
from segboost.saving.registry import FAMILIES, pack_model, unpack_model
from segboost.storage.folder import pack_folder, unpack_folder, write_folder
from tests.estimators.tables import CASES, MORE, graphs
from tests.saving.test_baselines import fit_all

KINDS = tuple(FAMILIES)
CHAINS = [np.arange(8.0).reshape(4, 2), np.ones((3, 2))]
CHAIN_MODELS = [
    model.fit(CHAINS, [[0, 0, 1, 1], [1, 0, 1]])
    for model in (
        segboost.ChainStructBoost(C=20.0, n_iterations=3, random_state=0),
        baselines.ChainStructuredSVM(C=20.0),
    )
]
FITTED = {
    type(model).__name__: model
    for model in (*(case.fitted(n_iterations=4) for case in CASES), *fit_all(), *CHAIN_MODELS)
}


def public_estimators() -> list[str]:
    found = []
    for module in (segboost, baselines):
        for name in module.__all__:
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, BaseEstimator):
                found.append(name)
    return found


def prediction(model):
    """Return a prediction, shape (n,)."""
    if hasattr(model, "score_nodes"):
        n_pairwise = getattr(model, "n_pairwise_in_", None) or len(model.pairwise_coef_)
        graph = graphs(1, 1)[0]
        wide = np.repeat(graph.pairwise, n_pairwise, axis=1)
        return model.score_nodes(type(graph)(graph.unary, graph.edges, wide))
    if hasattr(model, "chain_scores"):
        return np.concatenate([*model.predict(CHAINS), model.chain_scores(CHAINS[0])[0].ravel()])
    if type(model).__name__ == "StructBoost":
        return model.predict(next(c for c in CASES if c.name == "general").test)
    return model.predict(MORE)


def test_there_is_a_model_of_every_public_estimator():
    names = public_estimators()
    assert len(names) >= 13
    assert set(names) == set(FITTED)
    assert set(names) == {name for family in FAMILIES.values() for name in family.classes}


@pytest.mark.parametrize("name", public_estimators())
def test_every_public_estimator_comes_back_from_a_folder(name, tmp_path):
    model = FITTED[name]
    for number, folder in enumerate(
        (model.save(tmp_path / "a"), save_model(model, tmp_path / "b"))
    ):
        back = load_model(folder)
        assert type(back) is type(model), number
        assert prediction(back).tobytes() == prediction(model).tobytes()


@pytest.mark.parametrize("name", public_estimators())
def test_packed_models_are_the_files_of_their_folders(name, tmp_path):
    packed = pack_model(FITTED[name])
    files = pack_folder(packed.kind, packed.document, packed.arrays)
    folder = FITTED[name].save(tmp_path)
    assert files == {path.name: path.read_bytes() for path in folder.iterdir()}
    back = unpack_model(unpack_folder(files, "memory", KINDS), "memory")
    assert prediction(back).tobytes() == prediction(FITTED[name]).tobytes()


def test_damaged_files_in_memory_are_refused():
    packed = pack_model(FITTED["RankingSVM"])
    files = pack_folder(packed.kind, packed.document, packed.arrays)
    for name, data in files.items():
        damaged = bytearray(data)
        damaged[len(data) // 2] ^= 0x55
        with pytest.raises(ModelFileError, match="damaged"):
            unpack_folder({**files, name: bytes(damaged)}, "memory", KINDS)
        with pytest.raises(ModelFileError, match=r"has no model|damaged"):
            unpack_folder({n: d for n, d in files.items() if n != name}, "memory", KINDS)


def test_other_objects_are_refused(tmp_path):
    with pytest.raises(ValueError, match="dict cannot be saved; only these classes can: StructB"):
        save_model({}, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_baseline_written_by_the_first_version_loads(tmp_path):
    document = {
        "baseline": "StructuredSVMClassifier",
        "parameters": {"C": 10.0, "cost_matrix": None, "gap": 0.001, "slack": "one"},
        "numbers": {},
        "labels": {"dtype": "<U3", "values": ["ant", "bee"]},
        "n_features": 2,
    }
    arrays = {
        "coef_": np.array([[1.0, 0.0], [0.0, 1.0]]),
        "intercept_": np.array([0.0, 0.5]),
        "history": np.zeros((1, 5)),
        "certificate": np.zeros(5),
    }
    model = load_model(write_folder(tmp_path, "baseline", document, arrays))
    assert model.predict([[1.0, 0.0], [1.0, 0.9]]).tolist() == ["ant", "bee"]


def test_an_estimator_written_by_the_first_version_loads(tmp_path):
    certificate = {
        **dict.fromkeys(("objective", "lower_bound", "global_bound", "column_score"), 1.0),
        "gap": 0.0,
        "global_gap": 0.0,
        "n_columns": 1,
        "n_cuts": 3,
        "exact": True,
        "reason": "iterations",
    }
    document = {
        "estimator": "StructBoostRanker",
        "parameters": {"C": 1.0, "weak_learner": "stump"},
        "ensemble": {"kinds": ["stump"], "n_channels": 1},
        "history": [],
        "certificate": certificate,
        "counts": {"n_features_in_": 2, "n_iter_": 1},
    }
    arrays = {
        "which": np.zeros(1, np.int64),
        "channel": np.zeros(1, np.int64),
        "stage_length": np.ones(1, np.int64),
        "stage_weights": np.array([2.0]),
        "kind0_feature": np.array([1]),
        "kind0_threshold": np.array([0.5]),
        "kind0_polarity": np.array([1], np.int8),
        "kind0_binary": np.array([False]),
    }
    model = load_model(write_folder(tmp_path, "estimator", document, arrays))
    assert model.decision_function([[0.0, 0.0], [0.0, 1.0]]).tolist() == [-2.0, 2.0]
