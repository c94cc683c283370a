"""Fitted baselines as a document and arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from segboost._types import AnyArray, FloatArray
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
from segboost.baselines.stump_sum import StumpSum
from segboost.estimators.ensemble_files import Arrays, Kinds, pack_hypotheses, unpack_hypotheses
from segboost.graphs.labelling import check_factor
from segboost.saving.counts import check_feature_count
from segboost.saving.parameters import parameters_from_json, parameters_to_json
from segboost.saving.svm_history import pack_history, unpack_history
from segboost.storage.labels import labels_from_json, labels_to_json, read_class_order
from segboost.storage.npz import part_of
from segboost.tasks.crf_prediction import TWO_CLASSES
from segboost.weak.checks import read_array, read_number


@dataclass(frozen=True)
class Layout:
    """The learned attributes that make up a model.

    Parameters
    ----------
    cls : type
    arrays : tuple of (str, shape)
        Arrays of reals. A shape is a string of one letter per dimension: k classes, d features,
        T rounds, U unary and V pairwise potentials.
    numbers : tuple of str
        Single reals.
    labels : str, optional
        The attribute of k class names.
    stumps, hypotheses, history : bool
        Whether the model has a StumpSum, a list of hypotheses, a history of cutting planes.
    """

    cls: type[Any]
    arrays: tuple[tuple[str, str], ...]
    numbers: tuple[str, ...] = ()
    labels: str | None = None
    stumps: bool = False
    hypotheses: bool = False
    history: bool = False

    @property
    def is_table(self) -> bool:
        """Whether the model takes rows of features."""
        if self.cls is CRFStructuredSVM:
            return False
        return self.labels is not None or any("d" in shape for _, shape in self.arrays)


_ROUNDS = (("estimator_weights_", "T"), ("estimator_errors_", "T"))
LAYOUTS: dict[str, Layout] = {
    layout.cls.__name__: layout
    for layout in (
        Layout(
            CRFStructuredSVM,
            (("unary_coef_", "U"), ("pairwise_coef_", "V")),
            ("unary_intercept_", "pairwise_intercept_"),
            history=True,
        ),
        Layout(
            StructuredSVMClassifier,
            (("coef_", "kd"), ("intercept_", "k")),
            labels="classes_",
            history=True,
        ),
        Layout(
            ChainStructuredSVM,
            (("coef_", "kd"), ("intercept_", "k"), ("transition_", "kk")),
            labels="classes_",
            history=True,
        ),
        Layout(RankingSVM, (("coef_", "d"),), history=True),
        Layout(AdaBoostStumps, _ROUNDS, labels="classes_", stumps=True),
        Layout(AdaBoostMH, _ROUNDS, labels="classes_", stumps=True),
        Layout(RankBoost, _ROUNDS[:1], labels="levels_", stumps=True),
        Layout(AdaBoostECC, (*_ROUNDS, ("colourings_", "Tk")), labels="classes_", hypotheses=True),
    )
}
MULTICLASS_CRF = Layout(
    CRFStructuredSVM,
    (("unary_coef_", "kU"), ("unary_intercept_", "k"), ("pairwise_coef_", "V")),
    ("pairwise_intercept_",),
    labels="classes_",
    history=True,
)
"""The layout of CRFs with weights for every class."""
CLASSES: dict[str, type[Any]] = {name: layout.cls for name, layout in LAYOUTS.items()}


def pack(model: Any) -> tuple[dict[str, Any], Arrays]:
    """Return the document and the arrays of a fitted baseline."""
    layout = LAYOUTS[type(model).__name__]
    if layout.cls is CRFStructuredSVM and model.unary_coef_.ndim == 2:
        layout = MULTICLASS_CRF
    document: dict[str, Any] = {
        "parameters": parameters_to_json(model.get_params(deep=False)),
        "numbers": {key: float(getattr(model, key)) for key in layout.numbers},
    }
    arrays: Arrays = {key: getattr(model, key) for key, _ in layout.arrays}
    if layout.labels:
        document["labels"] = labels_to_json(getattr(model, layout.labels))
    elif layout.cls is CRFStructuredSVM and not np.array_equal(model.classes_, TWO_CLASSES):
        document["classes"] = labels_to_json(model.classes_)
    if layout.cls is ChainStructuredSVM:
        document["class_order"] = model.class_order_.tolist()
    if layout.is_table:
        document["n_features"] = int(model.n_features_in_)
    if hasattr(model, "feature_names_in_"):
        document["feature_names"] = [str(n) for n in model.feature_names_in_]
    if layout.stumps:
        arrays |= {f"stumps_{key}": value for key, value in model.stumps_.pack().items()}
    if layout.hypotheses:
        document["kinds"], packed = pack_hypotheses(model.hypotheses_)
        arrays |= {f"hypotheses_{key}": value for key, value in packed.items()}
    if layout.history:
        arrays |= pack_history(model.history_, model.certificate_)
    if getattr(model, "label_costs_", None) is not None:
        arrays["label_costs"] = model.label_costs_
    return document, arrays


def unpack(cls: type[Any], document: Mapping[str, Any], arrays: Arrays, own: Kinds | None) -> Any:
    """Return the model that `pack` stored; invalid parts may raise any exception."""
    layout = LAYOUTS[cls.__name__]
    if cls is CRFStructuredSVM and arrays["unary_coef_"].ndim == 2:
        layout = MULTICLASS_CRF
    model = cls(**parameters_from_json(document["parameters"]))
    sizes: dict[str, int] = {}
    if layout.labels:
        labels = labels_from_json(document["labels"])
        setattr(model, layout.labels, labels)
        sizes["k"] = labels.size
    if cls is ChainStructuredSVM:
        model.class_order_ = read_class_order(document, sizes["k"])
    if layout.is_table:
        model.n_features_in_ = sizes["d"] = check_feature_count(int(document["n_features"]))
    for key, shape in layout.arrays:
        setattr(model, key, _read(arrays, key, shape, sizes))
    for key in layout.numbers:
        setattr(model, key, read_number(document["numbers"], key))
    if "feature_names" in document:
        names = np.array(document["feature_names"], dtype=object)
        _agree("d", names.size, sizes)
        model.feature_names_in_ = names
    if layout.stumps:
        _restore_stumps(model, part_of(arrays, "stumps_"), sizes)
    if layout.hypotheses:
        model.hypotheses_ = unpack_hypotheses(
            document["kinds"], part_of(arrays, "hypotheses_"), own
        )
        model.n_estimators_ = _agree("T", len(model.hypotheses_), sizes)
    if layout.history:
        model.history_, model.certificate_ = unpack_history(arrays)
        model.n_iter_ = max(1, len(model.history_))
    if "U" in sizes:
        model._n_unary, model._n_pairwise = sizes["U"], sizes["V"]
        if layout is not MULTICLASS_CRF:
            model.classes_ = _two_classes(document)
        costs = arrays.get("label_costs")
        model.label_costs_ = None if costs is None else check_factor(costs, len(model.classes_))
    return model


def _two_classes(document: Mapping[str, Any]) -> AnyArray:
    """Return the classes of a binary CRF, which are stored only if they are not 0 and 1."""
    if "classes" not in document:
        return TWO_CLASSES.copy()
    classes = labels_from_json(document["classes"])
    if classes.size != 2:
        raise ValueError(f"it has {classes.size} classes, expected 2")
    return classes


def _restore_stumps(model: Any, arrays: Arrays, sizes: dict[str, int]) -> None:
    stumps = StumpSum.unpack(arrays)
    # One score for two classes and for rankings, else one per class.
    width = sizes["k"] if isinstance(model, AdaBoostMH) else 1
    if stumps.above.shape[1] != width:
        raise ValueError(f"its stumps have {stumps.above.shape[1]} scores, expected {width}")
    # The compiled sums do not check array bounds.
    if stumps.n_stumps and stumps.feature.max() >= sizes["d"]:
        raise ValueError("its stumps use features that it does not have")
    model.stumps_ = stumps
    model.n_estimators_ = _agree("T", stumps.n_stumps, sizes)
    model.feature_importances_ = stumps.importances(sizes["d"])


def _read(arrays: Arrays, key: str, shape: str, sizes: dict[str, int]) -> FloatArray:
    """Return an array of reals after checking its known sizes; record its other sizes."""
    array = read_array(arrays, key, "f", tuple(sizes.get(letter) for letter in shape))
    sizes.update(zip(shape, array.shape, strict=True))
    return array


def _agree(letter: str, size: int, sizes: dict[str, int]) -> int:
    if sizes.setdefault(letter, size) != size:
        raise ValueError(f"its parts differ in size: {size} and {sizes[letter]}")
    return size
