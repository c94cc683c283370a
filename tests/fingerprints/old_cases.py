"""Model folders written by earlier versions, read by the current code.

The segmenter's codebook has only 8 words, to keep the repository small.
"""

from __future__ import annotations

from pathlib import Path

from segboost import load_model
from segboost.pipelines import SegmentationPipeline
from tests.fingerprints.fingerprint import case
from tests.fingerprints.image_cases import image_predictions
from tests.fingerprints.table_cases import graph_predictions, table, table_predictions
from tests.pipelines.segmentation.tiny_models import tiny_data

FOLDER = Path(__file__).with_name("old_models")


def _predictions(loaders):
    """Return the predictions of all models, by folder and kind of output."""
    found = {}
    for path, load in loaders:
        model = load(path)
        on_graphs = hasattr(model, "score_nodes")
        parts = graph_predictions(model) if on_graphs else table_predictions(model, table()[2])
        found |= {f"{path.name} {key}": array for key, array in parts.items()}
    return found


@case("old estimators")
def estimators():
    return _predictions((path, load_model) for path in sorted(FOLDER.glob("estimator-*")))


@case("old baselines")
def baselines():
    return _predictions((path, load_model) for path in sorted(FOLDER.glob("baseline-*")))


@case("old segmenter")
def segmenter():
    model = SegmentationPipeline.load(FOLDER / "segmenter")
    return image_predictions(model, [i.image() for i in tiny_data().test])
