"""Predictions from a fixed seed do not change, up to rounding.

Other tests check that a model is right; these detect that a refactoring has changed it. After an
intended change, run ``python -m tests.fingerprints``.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.fingerprints import data_cases, image_cases, old_cases, table_cases  # noqa: F401
from tests.fingerprints.cache_keys import cache_keys
from tests.fingerprints.fingerprint import CASES, assert_same, fingerprint, read, rounding
from tests.fingerprints.old_cases import FOLDER

EXPECTED = read()
NEEDS_DATA = [pytest.mark.data, pytest.mark.slow]
SENSITIVE = ("segmentation", "tracking", "data", "tables, sigmoid", "tables, perceptron")
"""Cases with long chains of floating-point operations, or optimisers of smooth functions."""


def same_rounding():
    return rounding() == EXPECTED["made_with"]["rounding"]


def test_every_case_has_fingerprints():
    assert sorted(CASES) == sorted(EXPECTED["cases"])


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=NEEDS_DATA if n.startswith("data") else ()) for n in CASES],
)
def test_predictions(name):
    if name.startswith(SENSITIVE) and not same_rounding():
        pytest.skip("this processor rounds differently from the one that made the fingerprints")
    assert_same(name, EXPECTED["cases"][name], CASES[name]())


def test_a_cache_of_an_older_version_is_found():
    found, expected = cache_keys(), EXPECTED["cache_keys"]
    if not same_rounding():  # the key of the CRF contains a digest of its training data
        found["crf"] = expected["crf"]
    assert found == expected


def test_old_settings_are_in_the_old_segmenter():
    """Otherwise loading it would not show that former names of settings are still read."""
    config = json.loads((FOLDER / "segmenter" / "model.json").read_text())["content"]["config"]
    assert {"raw_booster", "booster"} < set(config)


@pytest.mark.parametrize("change", ["one value", "two swapped", "shape", "missing"])
def test_a_fingerprint_shows_a_change(change):
    values = np.random.default_rng(0).normal(size=(40, 3))
    expected = {"scores": fingerprint(values)}
    assert_same("unchanged", expected, {"scores": values})
    changed = {"scores": values.copy()}
    if change == "one value":
        changed["scores"][17, 1] += 1e-4
    elif change == "two swapped":
        changed["scores"][[3, 4]] = values[[4, 3]]
    elif change == "shape":
        changed["scores"] = values.ravel()
    else:
        changed = {}
    with pytest.raises(AssertionError, match="changed"):
        assert_same("changed", expected, changed)
