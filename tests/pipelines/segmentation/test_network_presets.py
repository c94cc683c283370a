"""The presets with network features, end to end, on small scenes."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.datasets import load_synthetic
from segboost.pipelines import SegmentationPipeline

DATA = load_synthetic(8, 4, height=96, width=128)
IMAGES, MASKS = ([getattr(i, part)() for i in DATA.train] for part in ("image", "mask"))
NEW, TRUTH = ([getattr(i, part)() for i in DATA.test] for part in ("image", "mask"))
SMALL = {
    "tree_booster": {"n_trees": 40},
    "context_booster": {"n_trees": 40},
    "border_booster": {"n_trees": 40},
}


@pytest.fixture(scope="module", params=["linear", "fixed CRF", "trees and context"])
def fitted(request):
    """Return pipelines with the linear potential, with a fixed CRF, and with trees and context."""
    settings = {**SMALL, "linear_below": 0 if "trees" in request.param else 20}
    if request.param == "fixed CRF":
        settings["linear"] = {"smoothness": 5.0, "balanced": 3}
    return SegmentationPipeline("fast", settings=settings).fit(IMAGES, MASKS)


@pytest.mark.slow
def test_the_model_is_better_than_all_background(fitted):
    background = np.mean([1 - mask.mean() for mask in TRUTH]) / 2
    assert fitted.evaluate(NEW, TRUTH).mean_iou > background + 0.15


@pytest.mark.slow
def test_a_saved_model_predicts_the_same_bytes(fitted, tmp_path):
    again = SegmentationPipeline.load(fitted.save(tmp_path / "model"))
    for image in NEW[:2]:
        one, two = fitted.segment(image), again.segment(image)
        assert (one.mask == two.mask).all()
        assert (one.scores == two.scores).all()
        assert (fitted.predict_proba(image) == again.predict_proba(image)).all()


@pytest.mark.slow
def test_scores_masks_and_probabilities_agree(fitted):
    image = NEW[0]
    found, probability = fitted.segment(image), fitted.predict_proba(image)
    assert ((found.scores > 0) == (found.mask == 1)).all()
    assert probability[found.mask == 1].min() >= fitted.probability_cut
    assert probability[found.mask == 0].max() <= fitted.probability_cut


@pytest.mark.slow
def test_measures_are_those_of_the_masks(fitted):
    scores = fitted.evaluate(NEW, TRUTH)
    found = np.stack([fitted.predict(image) for image in NEW]) == 1
    truth = np.stack(TRUTH) == 1
    assert scores.iou_foreground == pytest.approx((found & truth).sum() / (found | truth).sum())


@pytest.mark.slow
def test_the_method_trees_has_no_crf():
    settings = {**SMALL, "linear_below": 0}
    model = SegmentationPipeline("fast", "trees", settings=settings).fit(IMAGES, MASKS)
    assert model.model_.crf is None
    assert model.model_.borders is not None
    assert model.evaluate(NEW, TRUTH).mean_iou > 0.6
