"""The losses of the hierarchy table, by hand."""

from __future__ import annotations

import numpy as np

from segboost.pipelines.experiments.methods.hierarchy_methods import losses, staged_losses


class Fixed:
    """A model with a constant prediction."""

    def __init__(self, predictions):
        self.predictions = np.array(predictions)

    def predict(self, X):
        return self.predictions

    def staged_predict(self, X):
        yield self.predictions[::-1]
        yield self.predictions


def test_losses_by_hand():
    y = np.array(["aquarium", "aquarium", "park", "desert"])
    model = Fixed(["aquarium", "kitchen", "desert", "waterfall"])
    assert losses(model, None, y) == {"tree_loss": (0 + 1 + 2 + 1) / 4, "error": 3 / 4}
    stages = staged_losses(model, None, y)
    assert stages["tree_loss"].tolist() == [(2 + 2 + 2 + 2) / 4, 1.0]
    assert stages["error"].tolist() == [1.0, 0.75]
