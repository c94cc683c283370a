"""Fitted StructBoost estimators as a document and arrays, and back."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from segboost.estimators.base import BaseStructBoost
from segboost.estimators.boosted_scores import BoostedScores
from segboost.estimators.chain import ChainStructBoost
from segboost.estimators.crf import CRFStructBoost
from segboost.estimators.ensemble_files import Arrays, Kinds, pack_ensemble, unpack_ensemble
from segboost.estimators.general import StructBoost
from segboost.estimators.hierarchical import HierarchicalStructBoostClassifier
from segboost.estimators.multiclass import StructBoostClassifier
from segboost.estimators.ranking import StructBoostOrdinal, StructBoostRanker
from segboost.estimators.table_encoder import TableEncoder
from segboost.estimators.table_input import TableInput
from segboost.graphs.labelling import check_factor
from segboost.saving.counts import check_feature_count, check_round_count
from segboost.saving.parameters import (
    parameters_from_json,
    parameters_to_json,
    taxonomy_from_json,
    taxonomy_to_json,
)
from segboost.solver.steps import Certificate, Step
from segboost.storage.folder import ModelFileError
from segboost.storage.labels import labels_from_json, labels_to_json, read_class_order
from segboost.tasks.crf import CRFInstance
from segboost.tasks.crf_prediction import TWO_CLASSES
from segboost.weak.checks import read_array

CLASSES: dict[str, type[BaseStructBoost]] = {
    cls.__name__: cls
    for cls in (
        StructBoost,
        StructBoostClassifier,
        HierarchicalStructBoostClassifier,
        StructBoostRanker,
        StructBoostOrdinal,
        CRFStructBoost,
        ChainStructBoost,
    )
}
"""The classes that a model file may name."""

COUNTS = ("n_features_in_", "n_unary_in_", "n_pairwise_in_", "n_iter_")


def pack(model: Any) -> tuple[dict[str, Any], Arrays]:
    """Return the document and the arrays of a fitted model."""
    ensemble, arrays = pack_ensemble(model.ensemble_)
    document: dict[str, Any] = {
        "parameters": parameters_to_json(model.get_params(deep=False)),
        "ensemble": ensemble,
        "history": [asdict(step) for step in model.history_],
        "certificate": asdict(model.certificate_),
        "counts": {key: int(getattr(model, key)) for key in COUNTS if hasattr(model, key)},
    }
    if hasattr(model, "classes_") and not _is_binary_crf(model):
        document["classes"] = labels_to_json(model.classes_)
    if isinstance(model, ChainStructBoost):
        document["class_order"] = model.class_order_.tolist()
    if hasattr(model, "feature_names_in_"):
        document["feature_names"] = [str(n) for n in model.feature_names_in_]
    if hasattr(model, "taxonomy_"):
        document["parents"] = taxonomy_to_json(model.taxonomy_)
    if hasattr(model, "thresholds_"):
        arrays["thresholds"] = model.thresholds_
    if getattr(model, "label_costs_", None) is not None:
        arrays["label_costs"] = model.label_costs_
    if getattr(model, "encoder_", None) is not None:
        document["encoder"] = model.encoder_.to_json()
    if hasattr(model, "slope_"):
        document["slope"] = float(model.slope_)
    if getattr(model, "medians_", None) is not None:
        arrays["medians"] = model.medians_
    if getattr(model, "scores_", None) is not None:
        arrays |= model.scores_.to_arrays()
    return document, arrays


def unpack(
    cls: type[BaseStructBoost], document: Mapping[str, Any], arrays: Arrays, own: Kinds | None
) -> BaseStructBoost:
    """Return the model that `pack` stored; invalid parts may raise any exception."""
    model = cls(**parameters_from_json(document["parameters"]))
    model.ensemble_ = unpack_ensemble(document["ensemble"], arrays, own)
    model.history_ = [Step(**step) for step in document["history"]]
    model.certificate_ = Certificate(**document["certificate"])
    for key, value in document["counts"].items():
        if key not in COUNTS:
            raise ModelFileError(f"the model has an unknown entry {key!r}")
        check = check_round_count if key == "n_iter_" else check_feature_count
        setattr(model, key, check(int(value)))
    if "classes" in document:
        model.classes_ = labels_from_json(document["classes"])  # type: ignore[attr-defined]
    elif isinstance(model, CRFStructBoost):
        model.classes_ = TWO_CLASSES.copy()
    if isinstance(model, ChainStructBoost):
        model.class_order_ = read_class_order(document, len(model.classes_))
    if "feature_names" in document:
        model.feature_names_in_ = np.array(document["feature_names"], dtype=object)  # type: ignore[attr-defined]
    if "parents" in document:
        model.taxonomy_ = taxonomy_from_json(document["parents"])  # type: ignore[attr-defined]
    if "thresholds" in arrays:
        model.thresholds_ = arrays["thresholds"]  # type: ignore[attr-defined]
    if isinstance(model, CRFStructBoost):
        costs = arrays.get("label_costs")
        model.label_costs_ = None if costs is None else check_factor(costs, len(model.classes_))
    if isinstance(model, TableInput):
        _unpack_input(model, document, arrays)
    _try_out(model)
    return model


def _is_binary_crf(model: Any) -> bool:
    """Whether the model is a CRF with the classes 0 and 1, which its file does not store."""
    return isinstance(model, CRFStructBoost) and np.array_equal(model.classes_, TWO_CLASSES)


def _unpack_input(model: TableInput, document: Mapping[str, Any], arrays: Arrays) -> None:
    """Set the encoder or the medians; models of earlier versions have neither."""
    model.encoder_ = model.medians_ = None
    if "encoder" in document:
        model.encoder_ = TableEncoder.from_json(document["encoder"])
        if model.encoder_.n_features_in_ != model.n_features_in_:
            raise ModelFileError("the model's encoder has a different number of columns")
    if "slope" in document:
        slope = float(document["slope"])
        if not (np.isfinite(slope) and slope > 0):
            raise ModelFileError("the model's slope of probabilities must be above 0")
        model.slope_ = slope  # type: ignore[attr-defined]
    if "medians" in arrays:
        model.medians_ = read_array(arrays, "medians", "f", (model.n_features_in_,))
    if hasattr(model, "boosted_trees"):
        model.scores_ = None
    if "boosted_folds" in arrays:
        model.scores_ = BoostedScores.from_arrays(arrays, model._n_codes)


def _try_out(model: Any) -> None:
    """Predict a row of zeros, so that inconsistent parts fail here and not at first use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zeros have no feature names
        if isinstance(model, CRFStructBoost):
            edges, pairwise = np.zeros((0, 2), np.intp), np.zeros((0, model.n_pairwise_in_))
            model.predict(CRFInstance(np.zeros((1, model.n_unary_in_)), edges, pairwise))
        elif isinstance(model, ChainStructBoost):
            model.predict([np.zeros((1, model.n_features_in_))])
        elif not isinstance(model, StructBoost):
            # In a text column, "0" is encoded like any other unknown category.
            for _ in model.staged_predict(np.zeros((1, model.n_features_in_))):
                pass
    if isinstance(model, StructBoostOrdinal):
        ascending = (np.diff(model.thresholds_) >= 0).all()
        if model.thresholds_.shape != (len(model.classes_) - 1,) or not ascending:
            raise ModelFileError("the model's thresholds do not match its ranks")
