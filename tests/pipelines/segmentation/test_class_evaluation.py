"""Evaluation, saved predictions and checks of segmenters of several classes."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from segboost.datasets.base import ArraySource, LabelledImage
from segboost.io.legend import ClassLegend, default_legend
from segboost.pipelines.segmentation.checked_training import (
    StageReporter,
    check_and_train,
    check_items,
)
from segboost.pipelines.segmentation.evaluation import evaluate_model
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.pipelines.segmentation.pipeline import SegmentationPipeline
from segboost.pipelines.segmentation.saved_predictions import read_predictions, save_predictions
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_class_models import (
    LEGEND,
    SETTINGS,
    class_config,
    class_items,
    class_store,
    draw,
    trained_classes,
)


def masked(*masks):
    image = np.zeros((8, 8, 3), np.uint8)
    return [
        LabelledImage(f"item {n}", ArraySource(image), ArraySource(np.full((8, 8), 255, np.uint8)))
        if mask is None
        else LabelledImage(f"item {n}", ArraySource(image), ArraySource(np.asarray(mask, np.uint8)))
        for n, mask in enumerate(masks)
    ]


def flat(*values):
    """Return a mask of stripes of these values."""
    return np.repeat(np.repeat(values, -(-8 // len(values)))[:8, None], 8, axis=1)


def check(items, legend, test=()):
    with StageReporter(QuietProgress()) as report:
        return check_items(items, report, test, legend)


def test_scores_are_those_of_the_predicted_masks():
    model, items = trained_classes().model, class_items(3, first=50)
    found = evaluate_model(model, items, 1)
    expected = ConfusionMatrix.empty(4)
    for item in items:
        prediction = model.predict(item.image()).mask
        own = ConfusionMatrix.of_masks(prediction, item.mask(), 4)
        assert found.images[item.name].accuracy == own.accuracy
        expected += own
    assert (found.matrix.counts == expected.counts).all()
    summary = found.summary()
    assert summary["mean_iou"] == expected.mean_iou
    assert [c["name"] for c in summary["classes"]] == list(LEGEND.names)
    assert summary["confusion"] == expected.counts.tolist()
    rest = found.without([items[0].name])
    assert rest.n_images == 2


def test_void_pixels_are_ignored():
    model = trained_classes().model
    image, mask = draw(50)
    mask[:30] = 255
    item = LabelledImage("half", ArraySource(image), ArraySource(mask))
    assert evaluate_model(model, [item]).matrix.counts.sum() == (mask != 255).sum()


def test_a_mask_outside_the_classes_is_named():
    image, mask = draw(50)
    mask[0, 0] = 9
    item = LabelledImage("odd one", ArraySource(image), ArraySource(mask))
    with pytest.raises(ValueError, match=r"odd one: a mask of 4 classes .* got 9"):
        evaluate_model(trained_classes().model, [item])


def test_saved_predictions_come_back(tmp_path):
    model, items = trained_classes().model, class_items(2, first=50)
    save_segmenter(model, tmp_path)
    found = evaluate_model(model, items)
    save_predictions(tmp_path, items, found.predictions)
    back = read_predictions(tmp_path)
    assert set(back) == {item.name for item in items}
    for item in items:
        kept, made = back[item.name].prediction, found.predictions[item.name]
        assert (kept.confusion == made.confusion).all()
        assert (kept.calibration == made.calibration).all()


def test_missing_and_rare_classes_are_warned_about():
    legend = ClassLegend(("a", "b", "c", "d"), default_legend(4).colours)
    several = check(masked(flat(0, 1), flat(0, 1), flat(0, 2)), legend)
    assert several == [
        "no training image has 'd': the model will never predict it",
        "only one training image has 'c': settings cannot be validated on it, and its scores "
        "are unreliable",
    ]
    assert check(masked(flat(0, 1, 2, 3), flat(0, 1, 2, 3)), legend) == []


def test_masks_that_cannot_be_learned_are_refused():
    legend = default_legend(3)
    with pytest.raises(ValueError, match="only 'class 2': at least two classes"):
        check(masked(flat(2), flat(2, 255)), legend)
    with pytest.raises(ValueError, match="have no class"):
        check(masked(None), legend)
    with pytest.raises(ValueError, match="item 1: the mask value 3 is not a class: expected 0 … 2"):
        check(masked(flat(0, 1, 2), flat(0, 3)), legend)
    with pytest.raises(ValueError, match="item 0: the mask value 7"):
        check(masked(flat(0, 1)), legend, test=masked(flat(7)))


def test_training_logs_its_warnings(caplog):
    items = class_items(6)
    with caplog.at_level(logging.WARNING), StageReporter(QuietProgress()) as report:
        check_and_train(items, class_config(), class_store(), 1, report, legend=default_legend(5))
    assert "no training image has 'class 4'" in caplog.text


def test_pipeline_of_several_classes(tmp_path):
    pairs = [draw(number) for number in range(6)]
    names = ["ground", "red", "green", "blue"]
    settings = {k: v for k, v in SETTINGS.items() if k not in ("preset", "C")}
    pipeline = SegmentationPipeline(
        SETTINGS["preset"], C=10.0, settings=settings, cache=class_store().root, classes=names
    )
    pipeline.fit([image for image, _ in pairs], [mask for _, mask in pairs])
    assert pipeline.model_.legend.names == tuple(names)
    image, mask = draw(55)
    found = pipeline.predict(image)
    probability = pipeline.predict_proba(image)
    assert probability.shape == (60, 80, 4)
    np.testing.assert_allclose(probability.sum(axis=2), 1)
    np.testing.assert_array_equal(pipeline.predict_scores(image).argmax(axis=2), found)
    assert pipeline.evaluate([image], [mask]).accuracy == pytest.approx((found == mask).mean())
    pipeline.save(tmp_path / "model")
    again = SegmentationPipeline.load(tmp_path / "model")
    assert again.classes.names == tuple(names)
    np.testing.assert_array_equal(again.predict(image), found)
    with pytest.raises(ValueError, match="two classes"):
        pipeline.probability_cut  # noqa: B018
    with pytest.raises(ValueError, match=r"masks\[0\]: expected 0 … 3 and 255 \(void\), got 4"):
        pipeline.evaluate([image], [np.where(mask == 1, 4, mask)])


def test_pipeline_with_bad_classes():
    image, mask = draw(0)
    with pytest.raises(ValueError, match="at least two, got 1"):
        SegmentationPipeline("fast", classes=["all"]).fit([image], [mask])
    with pytest.raises(ValueError, match=r"masks\[0\]: expected 0 … 2 and 255"):
        SegmentationPipeline("fast", classes=["a", "b", "c"]).fit([image], [mask])
    with pytest.raises(ValueError, match="only 2 of the classes 0 … 100 occur"):
        SegmentationPipeline("fast").fit([image], [np.where(mask, 100, 0)])
