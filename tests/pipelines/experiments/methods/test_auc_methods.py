"""The measure of the AUC table."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from segboost.pipelines.experiments.methods.auc_methods import auc


def test_the_measure_is_the_auc():
    class Scores:
        def predict(self, X):
            return X[:, 0]

    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, size=(40, 1)).astype(float), rng.integers(0, 2, size=40)
    assert auc(Scores(), X, y)["auc"] == pytest.approx(roc_auc_score(y, X[:, 0]))
