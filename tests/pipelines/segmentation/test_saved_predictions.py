"""Predictions saved with a run: complete and from this model, or ignored."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.segmentation.evaluation import evaluate_model
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.pipelines.segmentation.saved_predictions import (
    FILE,
    read_predictions,
    save_predictions,
)
from tests.pipelines.segmentation.tiny_models import tiny_data, trained


@pytest.fixture(scope="module")
def evaluation():
    return evaluate_model(trained().model, tiny_data().test)


@pytest.fixture
def folder(tmp_path, evaluation):
    save_segmenter(trained().model, tmp_path)
    save_predictions(tmp_path, tiny_data().test, evaluation.predictions)
    return tmp_path


def test_saved_predictions_are_restored(folder, evaluation):
    kept = read_predictions(folder)
    assert list(kept) == [item.name for item in tiny_data().test]
    for item in tiny_data().test:
        found, wanted = kept[item.name], evaluation.predictions[item.name]
        assert (found.image_key, found.mask_key) == (item.image_key(), item.mask_key())
        for name, values in vars(wanted).items():
            np.testing.assert_array_equal(getattr(found.prediction, name), values)


def test_the_same_predictions_give_the_same_bytes(folder, evaluation):
    before = (folder / FILE).read_bytes()
    save_predictions(folder, tiny_data().test, evaluation.predictions)
    assert (folder / FILE).read_bytes() == before


def test_predictions_of_another_model_are_ignored(folder):
    save_segmenter(trained().model, folder, {"n_train": 7})
    assert read_predictions(folder) is None


@pytest.mark.parametrize("damage", ["missing", "torn"])
def test_damaged_predictions_are_ignored(folder, damage):
    path = folder / FILE
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-200])
    assert read_predictions(folder) is None
