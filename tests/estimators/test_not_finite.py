"""NaN or infinity in any input of the library raises a ValueError that names the input.

The only exception: NaN features of the StructBoost estimators are missing values.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from segboost import (
    CRFInstance,
    CRFStructBoost,
    HierarchicalStructBoostClassifier,
    StructBoostClassifier,
    StructBoostOrdinal,
    StructBoostRanker,
)
from segboost.baselines import (
    AdaBoostECC,
    AdaBoostMH,
    AdaBoostStumps,
    CRFStructuredSVM,
    RankBoost,
    StructuredSVMClassifier,
)
from segboost.estimators.table_input import TableInput
from segboost.features import as_rgb, extract_features, find_preset
from segboost.graphs.graph import Graph
from segboost.graphs.min_marginals import min_marginals
from segboost.graphs.mincut import minimise
from segboost.pipelines.segmentation.decisions.calibration import fit_calibration
from segboost.pipelines.segmentation.images.array_images import label_arrays
from segboost.pipelines.segmentation.metrics.scores import SegmentationEvaluation
from segboost.tracking.base import as_box, as_frame
from tests.contracts.limits import time_limit
from tests.estimators.tables import graphs, table

BAD = [np.nan, np.inf, -np.inf]
X, Y = table(0, 30)
bad = pytest.mark.parametrize("value", BAD)

TABLES = {
    "classifier": (StructBoostClassifier(n_iterations=3), Y),
    "tree": (HierarchicalStructBoostClassifier(n_iterations=3), Y),
    "ordinal": (StructBoostOrdinal(n_iterations=3), Y),
    "ranker": (StructBoostRanker(n_iterations=3), Y > 0),
    "ssvm": (StructuredSVMClassifier(), Y),
    "stumps": (AdaBoostStumps(3), Y > 0),
    "mh": (AdaBoostMH(3), Y),
    "ecc": (AdaBoostECC(3, random_state=0), Y),
    "rankboost": (RankBoost(3), Y),
}


@pytest.fixture(autouse=True)
def limited():
    with time_limit(120), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def spoilt(array, value):
    array = np.array(array, dtype=float)
    array[tuple(n // 2 for n in array.shape)] = value
    return array


FINITE = "must be finite"
CONTAINS = "contains (NaN|infinity)"


def assert_refused(message, call, *arguments, **named):
    """Expect a ValueError whose message begins with this text."""
    with pytest.raises(ValueError, match=f"^{message}"):
        call(*arguments, **named)


@pytest.mark.parametrize("name", TABLES)
@bad
def test_features(name, value):
    estimator, y = TABLES[name]
    if np.isnan(value) and isinstance(estimator, TableInput):
        pytest.skip("a missing value: see test_missing_values.py")
    assert_refused(f"Input X {CONTAINS}", estimator.fit, spoilt(X, value), y)
    fitted = estimator.fit(X, y)
    assert_refused(f"Input X {CONTAINS}", fitted.predict, spoilt(X, value))
    if hasattr(fitted, "decision_function"):
        assert_refused(f"Input X {CONTAINS}", fitted.decision_function, spoilt(X, value))


@pytest.mark.parametrize("name", [n for n in TABLES if n != "rankboost"])
@bad
def test_labels(name, value):
    assert_refused(f"Input y {CONTAINS}", TABLES[name][0].fit, X, spoilt(Y, value))


@pytest.mark.parametrize("name", ["classifier", "tree", "ordinal", "ranker", "stumps", "mh", "ecc"])
@bad
def test_sample_weight(name, value):
    estimator, y = TABLES[name]
    weight = spoilt(np.ones(len(X)), value)
    message = f"(Input sample_weight {CONTAINS}|sample_weight {FINITE})"
    assert_refused(message, estimator.fit, X, y, sample_weight=weight)


@pytest.mark.parametrize("name", ["classifier", "tree", "ordinal", "ranker", "ssvm"])
@pytest.mark.parametrize("value", [*BAD, 0.0, -1.0])
def test_c(name, value):
    estimator, y = TABLES[name]
    message = f"C must be a finite number above 0, got {value}$"
    assert_refused(message, type(estimator)(C=value).fit, X, y)


@pytest.mark.parametrize("name", ["gap", "epsilon_cg", "epsilon_cp"])
@bad
def test_precision(name, value):
    message = f"{name} must be .*number .*, got {value}$"
    assert_refused(message, StructBoostClassifier(**{name: value}).fit, X, Y)


@bad
def test_cost_matrix(value):
    cost = spoilt(1 - np.eye(3), value)
    assert_refused(f"cost {FINITE}", StructBoostClassifier(cost_matrix=cost).fit, X, Y)
    assert_refused(f"cost {FINITE}", StructuredSVMClassifier(cost_matrix=cost).fit, X, Y)


@pytest.mark.parametrize("part", ["unary", "pairwise", "node_weight"])
@bad
def test_graphs(part, value):
    good = {
        "unary": np.ones((3, 2)),
        "edges": [[0, 1], [1, 2]],
        "pairwise": np.ones((2, 1)),
        "node_weight": np.ones(3),
    }
    CRFInstance(**good)
    assert_refused(f"{part} {FINITE}", CRFInstance, **{**good, part: spoilt(good[part], value)})


@pytest.mark.parametrize("estimator", [CRFStructBoost, CRFStructuredSVM])
@pytest.mark.parametrize("value", [*BAD, 0.0])
def test_c_of_crfs(estimator, value):
    message = f"C must be a finite number above 0, got {value}$"
    assert_refused(message, estimator(C=value).fit, graphs(0, 2, 6))


@bad
def test_energies(value):
    graph = Graph(2, [[0, 1]])
    for solve in (minimise, min_marginals):
        assert_refused(f"theta {FINITE}", solve, graph, [[value, 0.0], [0.0, 0.0]], [1.0])
        assert_refused(f"capacity {FINITE}", solve, graph, np.zeros((2, 2)), [value])


@bad
def test_images(value):
    image = spoilt(np.full((20, 20, 3), 0.5), value)
    found = f"expected an image of .*, got values from .*{value}"
    assert_refused(f"image: {found}", as_rgb, image)
    assert_refused(f"image: {found}", extract_features, image, find_preset("paper"))
    assert_refused(rf"images\[0\]: {found}", label_arrays, [image], [np.zeros((20, 20))])
    mask = spoilt(np.zeros((20, 20)), value)
    message = rf"masks\[0\]: expected 0, 1 and 255 \(void\), or 0 and 255, got {value}"
    assert_refused(message, label_arrays, [np.zeros((20, 20, 3))], [mask])


@bad
def test_boxes_and_frames(value):
    frame = np.zeros((20, 20, 1), np.uint8)
    for place in range(4):
        box = [2.0, 2.0, 5.0, 5.0]
        box[place] = value
        assert_refused("box must be four finite numbers x, y, w, h, got", as_box, box, frame)
    message = "frame must be an array of uint8, got float64"
    assert_refused(message, as_frame, spoilt(np.zeros((20, 20)), value))


def test_scores_that_are_measured():
    """NaN scores are refused, as they cannot be ordered; infinite scores can."""
    ones, scores = np.ones(4, int), spoilt(np.zeros(4), np.nan)
    measure = SegmentationEvaluation().add_regions
    assert_refused("scores must not be NaN", measure, scores > 0, ones, ones, scores)


@bad
def test_scores_that_are_calibrated(value):
    ones, scores = np.ones(4, int), spoilt(np.zeros(4), value)
    message = "scores must (be finite|not be NaN)"
    assert_refused(message, fit_calibration, [(scores, ones, ones)])
