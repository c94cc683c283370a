"""From scores to probabilities: the mapping itself, and its calibration on new images."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segboost.datasets import load_synthetic
from segboost.pipelines import SegmentationPipeline
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.checked_training import StageReporter, check_and_train
from segboost.pipelines.segmentation.config.segmentation_config import METHODS
from segboost.pipelines.segmentation.decisions.calibration import (
    Calibration,
    calibration_error,
    fit_calibration,
)
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter, save_segmenter
from segboost.progress import QuietProgress
from segboost.storage.folder import read_folder, write_folder
from tests.pipelines.segmentation.tiny_models import (
    shared_cache,
    tiny_config,
    tiny_data,
    trained,
)

IMAGE = tiny_data().test[0].image()
HELD_OUT = ("structboost", "adaboost", "svm")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def regions(n, seed=0, probability=lambda s: sigmoid(2 * s - 1)):
    """Return regions of 50 pixels with a known probability of foreground."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n)
    foreground = rng.binomial(50, probability(score))
    return score, foreground, 50 - foreground


def test_a_known_probability_is_found():
    found = fit_calibration([regions(4000, seed) for seed in range(2)])
    at = np.linspace(-1.5, 1.5, 31)
    np.testing.assert_allclose(found(at), sigmoid(2 * at - 1), atol=0.03)


def test_no_sigmoid_is_needed():
    def steps(score):
        return np.where(score < -0.5, 0.05, np.where(score < 1, 0.4, 0.6))

    found = fit_calibration([regions(5000, probability=steps)])
    np.testing.assert_allclose(found([-2, -1, 0, 0.5, 2]), [0.05, 0.05, 0.4, 0.4, 0.6], atol=0.03)


@given(
    st.lists(
        st.tuples(st.floats(-50, 50), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=60
    )
)
def test_probabilities_never_descend_nor_leave_the_unit_interval(rows):
    score, foreground, background = (np.array(column) for column in zip(*rows, strict=True))
    if not (foreground + background).any():
        with pytest.raises(ValueError, match="labelled"):
            fit_calibration([(score, foreground, background)])
        return
    # Slightly shifted copies, so that there are several bins.
    parts = [(score + shift, foreground, background) for shift in np.linspace(0, 1, 7)]
    found = fit_calibration(parts)
    values = found(np.linspace(-60, 60, 500))
    assert (np.diff(values) >= 0).all()
    assert ((values > 0) & (values < 1)).all()


def test_order_and_division_of_images_do_not_matter():
    parts = [regions(300, seed) for seed in range(4)]
    whole = tuple(np.concatenate(column) for column in zip(*parts, strict=True))
    one, two, three = (fit_calibration(p) for p in (parts, parts[::-1], [whole]))
    for other in (two, three):
        assert (one.score == other.score).all()
        assert (one.probability == other.probability).all()


def test_pixels_count_not_regions():
    score = np.repeat([0.0, 1.0], 100) + np.linspace(0, 0.5, 200)
    large = np.where(np.arange(200) % 2, 900, 100)  # the large regions are foreground
    foreground = np.where(np.arange(200) % 2, large, 0)
    found = fit_calibration([(score, foreground, large - foreground)])
    np.testing.assert_allclose(found(score).mean(), 0.9, atol=0.01)


@pytest.mark.parametrize(
    ("score", "probability", "text"),
    [
        ([], [], "at least one"),
        ([0.0, 1.0], [0.5], "as many"),
        ([1.0, 0.0], [0.2, 0.5], "ascend"),
        ([0.0, np.inf], [0.2, 0.5], "ascend"),
        ([0.0, 1.0], [0.5, 0.2], "descend"),
        ([0.0, 1.0], [0.5, 1.0], "between 0 and 1"),
        ([0.0, 1.0], [np.nan, 0.5], "between 0 and 1"),
    ],
)
def test_invalid_calibrations_are_refused(score, probability, text):
    with pytest.raises(ValueError, match=text):
        Calibration(np.array(score), np.array(probability))


def test_the_error_matches_its_definition():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    foreground, background = rng.integers(0, 20, (2, 200))
    pixel_p = np.repeat(p, foreground + background)
    truth = np.concatenate([[1] * f + [0] * b for f, b in zip(foreground, background, strict=True)])
    expected = 0.0
    for k in range(15):
        mine = (pixel_p >= k / 15) & (pixel_p < (k + 1) / 15)
        if mine.any():
            expected += mine.mean() * abs(truth[mine].mean() - pixel_p[mine].mean())
    assert calibration_error(p, foreground, background) == pytest.approx(expected)
    assert calibration_error(np.array([1.0]), np.array([5]), np.array([0])) == 0.0


@functools.cache
def held_out():
    """Return models trained on 24 synthetic images, and 32 prepared test images; made once."""
    data = load_synthetic(24, 32, height=72, width=96)
    store, models = ArtefactStore(shared_cache()), {}
    for method in HELD_OUT:
        with StageReporter(QuietProgress()) as report:
            # C is chosen, as by default: the threshold then also sees CRFs trained on fewer images.
            config = tiny_config(method=method, context=False, C=None, C_choices=(1.0, 10.0, 100.0))
            models[method] = check_and_train(data.train, config, store, 1, report).model
    any_model = models["adaboost"]  # they share their features
    return models, [any_model.prepare(i.image()).with_truth(i.mask()) for i in data.test]


@pytest.mark.slow
@pytest.mark.parametrize("method", HELD_OUT)
def test_probabilities_are_calibrated_on_new_images(method):
    """A share p of the pixels with probability p is foreground; raw scores have no such scale."""
    models, images = held_out()
    model = models[method]
    score = np.concatenate([model.node_scores(image) for image in images])
    truth = [np.concatenate(counts) for counts in zip(*(i.truth for i in images), strict=True)]
    error = calibration_error(model.probabilities(score), *truth)
    raw = calibration_error(sigmoid(score), *truth)
    assert error < 0.05
    assert raw > 2 * error


@pytest.mark.parametrize("method", METHODS)
def test_a_folder_keeps_the_probabilities(method, tmp_path):
    model = trained(method).model
    again = load_segmenter(save_segmenter(model, tmp_path))
    scores = np.linspace(-20, 20, 1001)
    assert (model.probabilities(scores) == again.probabilities(scores)).all()
    assert 0 < again.probability_cut < 1


def without_calibration(folder):
    """Write a model folder without a calibration, as older versions did."""
    save_segmenter(trained().model, folder)
    document, arrays = read_folder(folder, "segmenter")
    del document["calibration"]
    for name in ("calibration_score", "calibration_probability"):
        del arrays[name]
    write_folder(folder, "segmenter", document, arrays)
    return folder


def test_an_older_model_segments_but_has_no_probabilities(tmp_path):
    pipeline = SegmentationPipeline.load(without_calibration(tmp_path))
    assert (pipeline.predict(IMAGE) == trained().model.predict(IMAGE).mask).all()
    with pytest.raises(ValueError, match="train it again"):
        pipeline.predict_proba(IMAGE)


def test_the_pipeline_gives_a_map_that_agrees_with_mask_and_scores(tmp_path):
    pipeline = SegmentationPipeline.load(save_segmenter(trained().model, tmp_path))
    found, scores = pipeline.predict_proba(IMAGE), pipeline.predict_scores(IMAGE)
    assert found.shape == IMAGE.shape[:2]
    order = np.argsort(scores, axis=None)
    assert (np.diff(found.ravel()[order]) >= 0).all()
    cut = pipeline.probability_cut
    mask = pipeline.predict(IMAGE) == 1
    assert (found[mask] >= cut).all()
    assert (found[~mask] <= cut).all()
