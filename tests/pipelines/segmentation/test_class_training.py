"""Segmenters of several classes, from images to masks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from segboost.datasets.base import ArraySource, LabelledImage
from segboost.io.legend import ClassLegend, default_legend
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.config.stage_settings import BorderSettings
from segboost.pipelines.segmentation.metrics.confusion import ConfusionMatrix
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter, save_segmenter
from segboost.pipelines.segmentation.training import train_segmenter
from tests.pipelines.segmentation.tiny_class_models import (
    LEGEND,
    SETTINGS,
    class_config,
    class_items,
    class_store,
    draw,
    trained_classes,
)


def mean_iou(model, items):
    total = ConfusionMatrix.empty(model.n_classes)
    for item in items:
        total += ConfusionMatrix.of_masks(
            model.predict(item.image()).mask, item.mask(), model.n_classes
        )
    return total.mean_iou


@pytest.mark.parametrize("method", ["structboost", "ssvm", "trees"])
def test_new_images_are_segmented_into_all_classes(method):
    model = trained_classes(method).model
    assert mean_iou(model, class_items(3, first=50)) > 0.75
    assert (model.crf is None) == (method == "trees")


def test_the_mask_has_the_highest_score_and_probabilities_sum_to_one():
    model = trained_classes().model
    found = model.predict(draw(60)[0])
    assert found.scores.shape == (60, 80, 4)
    np.testing.assert_array_equal(found.scores.argmax(axis=-1), found.mask)
    probability = model.probabilities(found.scores)
    np.testing.assert_allclose(probability.sum(axis=-1), 1.0)


def test_probabilities_are_calibrated_on_new_images():
    model = trained_classes().model
    hits, expected = 0.0, 0.0
    for item in class_items(4, first=70):
        found = model.predict(item.image())
        p = model.probabilities(found.scores)
        likeliest = p.argmax(axis=-1)
        hits += (likeliest == item.mask()).mean()
        expected += p.max(axis=-1).mean()
    assert abs(hits - expected) / 4 < 0.06


def test_pixel_refinement_is_better_than_superpixels_alone():
    blocks = {"kind": "slic", "n_segments": 80, "compactness": 1000.0}
    coarse = {**SETTINGS["preset"], "superpixels": blocks}
    test, found = class_items(4, first=80), []
    for borders in (BorderSettings(refine=False), class_config().borders):
        config = class_config(preset=coarse, borders=borders, method="trees")
        model = train_segmenter(class_items(), config, class_store(), legend=LEGEND).model
        assert (model.borders is None) != borders.refine
        found.append(mean_iou(model, test))
    assert found[1] > found[0] + 0.02


def test_a_saved_model_predicts_the_same_bits(tmp_path):
    model = trained_classes().model
    save_segmenter(model, tmp_path / "model")
    loaded = load_segmenter(tmp_path / "model")
    image = draw(61)[0]
    assert loaded.legend == LEGEND
    np.testing.assert_array_equal(model.predict(image).scores, loaded.predict(image).scores)


def test_the_number_of_jobs_does_not_change_the_model(tmp_path):
    one = trained_classes().model
    config = class_config()
    two = train_segmenter(
        class_items(), config, ArtefactStore(tmp_path), n_jobs=2, legend=LEGEND
    ).model
    image = draw(62)[0]
    np.testing.assert_array_equal(one.predict(image).scores, two.predict(image).scores)


def test_a_second_training_reads_every_stage_from_the_cache_and_gives_the_same_model(monkeypatch):
    first = trained_classes().model
    get, found = ArtefactStore.get, {}

    def noted(store, stage, parts):
        artefact = get(store, stage, parts)
        found[stage] = found.get(stage, True) and artefact is not None
        return artefact

    def put(store, stage, parts, artefact):
        raise AssertionError(f"{stage} was made again")

    monkeypatch.setattr(ArtefactStore, "get", noted)
    monkeypatch.setattr(ArtefactStore, "put", put)
    again = train_segmenter(class_items(), class_config(), class_store(), legend=LEGEND).model
    learned = {"class-trees", "class-context", "class-crf", "class-borders"}
    assert found == dict.fromkeys(
        {"superpixels", "features-colour", "features-position", *learned}, True
    )
    image = draw(63)[0]
    np.testing.assert_array_equal(first.predict(image).scores, again.predict(image).scores)


def test_a_class_that_no_image_shows_is_never_predicted(tmp_path):
    legend = default_legend(5)
    model = train_segmenter(
        class_items(), class_config(), ArtefactStore(tmp_path), legend=legend
    ).model
    found = model.predict(draw(64)[0])
    assert found.scores.shape[-1] == 5
    assert 4 not in np.unique(found.mask)


def test_few_images_are_learned_by_the_linear_classifier(tmp_path):
    config = class_config(linear_below=20)
    model = train_segmenter(class_items(4), config, ArtefactStore(tmp_path), legend=LEGEND).model
    assert model.unary.linear is not None
    assert model.unary.trees is None
    assert mean_iou(model, class_items(2, first=50)) > 0.6


def test_without_crf_weights_the_unaries_decide(tmp_path, caplog):
    config = class_config(C=1e-9)
    with pytest.warns(ConvergenceWarning, match="so small"):
        model = train_segmenter(class_items(), config, ArtefactStore(tmp_path), legend=LEGEND).model
    assert model.crf is None
    assert "set a larger C" in caplog.text
    assert mean_iou(model, class_items(2, first=50)) > 0.75


def test_methods_of_two_classes_are_refused_with_advice(tmp_path):
    config = class_config(preset="classic", method="adaboost")
    with pytest.raises(ValueError, match="--foreground"):
        train_segmenter(class_items(2), config, ArtefactStore(tmp_path), legend=LEGEND)


def test_two_classes_keep_their_legend(tmp_path):
    legend = ClassLegend(("soil", "plant"), ((0, 0, 0), (0, 200, 0)))
    items = class_items(n_classes=2)
    config = class_config()
    model = train_segmenter(items, config, ArtefactStore(tmp_path / "c"), legend=legend).model
    save_segmenter(model, tmp_path / "model")
    assert load_segmenter(tmp_path / "model").legend == legend


def test_sixty_classes_are_learned():
    """Each class has its own colour, in cells of 10 by 12 pixels at random places."""
    colours = np.random.default_rng(0).integers(0, 255, (60, 3))
    items = []
    for number in range(9):
        random = np.random.default_rng([60, number])
        mask = random.permutation(60).reshape(6, 10).repeat(12, 0).repeat(10, 1).astype(np.uint8)
        image = colours[mask] + random.normal(0, 4, (*mask.shape, 3))
        pixels = np.clip(image, 0, 255).astype(np.uint8)
        items.append(LabelledImage(f"{number}", ArraySource(pixels), ArraySource(mask)))
    config = class_config(C=100.0, linear_below=20)
    model = train_segmenter(items[:8], config, class_store(), legend=default_legend(60)).model
    assert mean_iou(model, items[8:]) > 0.75
    assert len(np.unique(model.predict(items[8].image()).mask)) > 45
