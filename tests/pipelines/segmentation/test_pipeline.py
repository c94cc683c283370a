from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from segboost.pipelines import SegmentationPipeline
from segboost.pipelines.segmentation.metrics.scores import SegmentationEvaluation
from tests.pipelines.segmentation.tiny_models import SETTINGS, shared_cache, tiny_data

DATA = tiny_data()
IMAGES, MASKS = ([getattr(i, part)() for i in DATA.train] for part in ("image", "mask"))
NEW, TRUTH = ([getattr(i, part)() for i in DATA.test] for part in ("image", "mask"))


def pipeline(**options):
    return SegmentationPipeline(C=10.0, settings=SETTINGS, **options)


@pytest.fixture(scope="module")
def fitted():
    return pipeline(cache=shared_cache()).fit(IMAGES, MASKS)


def test_masks_have_the_size_of_the_image_and_two_values(fitted):
    for shape in ((72, 96), (40, 33), (65, 50)):
        image = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
        mask = fitted.predict(image)
        assert mask.shape == shape
        assert mask.dtype == np.uint8
        assert set(np.unique(mask)) <= {0, 1}
        scores = fitted.predict_scores(image)
        assert scores.shape == shape
        assert ((scores > 0) == (mask == 1)).all()


def test_new_images_are_segmented_better_than_by_chance(fitted):
    """Scores without information break even at the share of foreground."""
    share = np.mean([mask.mean() for mask in TRUTH])
    assert share < 0.2
    found = fitted.evaluate(NEW, TRUTH)
    assert found.n_images == len(NEW)
    assert found.break_even > 3 * share
    # Labelling everything as background gives 0.41.
    assert found.mean_iou > 0.65


def test_swapped_classes_give_the_opposite_masks(fitted):
    exchanged = pipeline(cache=shared_cache()).fit(IMAGES, [1 - mask for mask in MASKS])
    found = exchanged.evaluate(NEW, TRUTH)
    assert found.mean_iou < 0.2
    assert found.break_even < 0.1


def test_all_image_types_give_the_same_scores(fitted):
    image = NEW[0]
    expected = fitted.predict_scores(image)
    for other in (image / np.float64(255), image.astype(np.uint16) * 257):
        np.testing.assert_allclose(fitted.predict_scores(other), expected, atol=1e-3)
    assert fitted.predict(image[..., 0]).shape == image.shape[:2]


def test_a_loaded_pipeline_predicts_the_same(fitted, tmp_path):
    again = SegmentationPipeline.load(fitted.save(tmp_path / "model"))
    assert again.config() == fitted.config()
    for image in NEW:
        assert (again.predict_scores(image) == fitted.predict_scores(image)).all()
        assert (again.predict(image) == fitted.predict(image)).all()


def test_a_cache_changes_nothing(tmp_path):
    small = [image[:40, :48] for image in IMAGES[3:]], [mask[:40, :48] for mask in MASKS[3:]]
    one, two = (pipeline(cache=c, preset="paper").fit(*small) for c in (None, tmp_path / "cache"))
    assert (one.predict_scores(NEW[1]) == two.predict_scores(NEW[1])).all()


def test_void_pixels_are_not_evaluated(fitted):
    masks = [mask.copy() for mask in TRUTH]
    for mask in masks:
        mask[:, 48:] = 255
    expected = SegmentationEvaluation()
    for image, mask in zip(NEW, TRUTH, strict=True):
        expected.add(
            fitted.predict(image)[:, :48], mask[:, :48], fitted.predict_scores(image)[:, :48]
        )
    assert fitted.evaluate(NEW, masks) == expected.result()


def test_void_pixels_are_not_learned_from():
    """Every image is given twice, with a different half void: no label contradicts another.

    If void counted as background, mean IoU and break-even would be 0.41 and 0.19; as foreground,
    0.10 and 0.07.
    """
    left = np.arange(96) < 48
    void = [np.where(half, m, 255).astype(np.uint8) for half in (left, ~left) for m in MASKS]
    model = pipeline(cache=shared_cache()).fit([*IMAGES, *IMAGES], void)
    found = model.evaluate(NEW, TRUTH)
    assert found.mean_iou > 0.5
    assert found.break_even > 0.4


def test_255_alone_is_foreground(fitted):
    masks = [mask * np.uint8(255) for mask in TRUTH]
    assert fitted.evaluate(NEW, masks) == fitted.evaluate(NEW, TRUTH)
    assert fitted.evaluate(NEW, [m.astype(bool) for m in TRUTH]) == fitted.evaluate(NEW, TRUTH)


@pytest.mark.parametrize(("value", "missing"), [(0, "foreground"), (1, "background")])
def test_masks_of_a_single_class_are_refused(value, missing):
    masks = [np.full_like(mask, value) for mask in MASKS]
    with pytest.raises(ValueError, match=f"no training image has a {missing} pixel"):
        pipeline().fit(IMAGES, masks)


@pytest.mark.parametrize(
    ("images", "masks", "text"),
    [
        ([], [], "at least one"),
        (IMAGES[:2], MASKS[:1], "one for each image"),
        (IMAGES[:1], [MASKS[0][:-1]], r"masks\[0\]: expected shape"),
        (IMAGES[:1], [MASKS[0] + 7], "expected 0, 1 and 255"),
        ([IMAGES[0][..., :2]], MASKS[:1], r"images\[0\]"),
        (IMAGES[:1], [np.zeros((72, 96, 3))], r"shape \(H, W\)"),
    ],
)
def test_wrong_input_is_named(images, masks, text):
    with pytest.raises(ValueError, match=text):
        pipeline().fit(images, masks)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"preset": "none"}, "preset"),
        ({"method": "none"}, "method"),
        ({"settings": {"stumps": 3}}, "'stumps'"),
        ({"settings": {"unary": {"n_stumps": "many"}}}, r"unary\.n_stumps"),
    ],
)
def test_wrong_settings_are_named(options, text):
    with pytest.raises(ValueError, match=text):
        SegmentationPipeline(**options).fit(IMAGES, MASKS)


def test_not_fitted():
    with pytest.raises(NotFittedError, match="call fit or load"):
        pipeline().predict(NEW[0])
