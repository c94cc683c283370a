"""Photographs above the limit are segmented by tiles in memory, with the result of `--tile`."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from segboost.io.image_files import read_image
from segboost.pipelines import SegmentationPipeline
from segboost.pipelines.batch.scientific.options import ScientificOptions
from segboost.pipelines.batch.segmenting import BatchOptions, segment_files
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.checked_training import StageReporter, check_and_train
from segboost.pipelines.segmentation.images import crops, tiling
from segboost.pipelines.segmentation.model.large_image import segment_image, segment_parts
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.progress import QuietProgress
from tests.pipelines.segmentation.tiny_class_models import trained_classes
from tests.pipelines.segmentation.tiny_models import (
    array_items,
    shared_cache,
    tiny_config,
)
from tests.pipelines.segmentation.tiny_pages import drawn_page, fast_model, page_pixels


@pytest.fixture
def small_limits(monkeypatch):
    monkeypatch.setattr(tiling, "LARGEST_UNTILED", 256 * 256)
    monkeypatch.setattr(tiling, "DEFAULT_TILE", 256)


def known(kind):
    if kind == "binary":
        return fast_model(0), page_pixels()
    return trained_classes().model, drawn_page()


def segment(folder, image, output, **options):
    Image.fromarray(image).save(output.parent / "photo.png")
    made = segment_files(folder, [output.parent / "photo.png"], BatchOptions(output, **options))
    (result,) = made
    assert not result.failed, result.status
    return result


@pytest.mark.parametrize("kind", ["binary", "classes"])
def test_tiles_in_memory_equal_tiles_on_disk(small_limits, tmp_path, kind):
    using, image = known(kind)
    folder = save_segmenter(using, tmp_path / "model")
    here = segment(folder, image, tmp_path / "here", overlay=True, scores=True, probabilities=True)
    segment(folder, image, tmp_path / "there", scientific=ScientificOptions(tile=256))
    mask = read_image(tmp_path / "here" / "photo.png")
    assert np.unique(mask).size > 1
    assert np.array_equal(mask, read_image(tmp_path / "there" / "photo.png"))
    found = segment_image(using, image)
    assert here.superpixels == found.superpixels.max() + 1
    assert here.superpixels == np.unique(found.superpixels).size
    maps = sorted(path.name for path in (tmp_path / "here" / "probabilities").iterdir())
    assert len(maps) == (1 if kind == "binary" else using.n_classes)
    first = np.asarray(Image.open(tmp_path / "here" / "probabilities" / maps[0]))
    expected = using.probabilities(found.scores)
    expected = expected if kind == "binary" else expected[..., 0]
    assert np.abs(first / 65535 - expected).max() < 1e-4


def test_parts_cover_the_image_and_fit_together(small_limits):
    using, image = fast_model(0), page_pixels()
    count = np.zeros(image.shape[:2], int)
    for window, found in segment_parts(using, image):
        count[window.rows, window.columns] += 1
        assert found.mask.shape == found.scores.shape == found.superpixels.shape
        assert found.mask.size <= 256 * 256
    assert (count == 1).all()
    found = segment_image(using, image)
    assert np.array_equal(found.mask == 1, found.scores > 0)


def test_small_images_are_one_part():
    using, image = fast_model(0), page_pixels()
    ((window, found),) = segment_parts(using, image)
    assert (window.bottom, window.right) == image.shape[:2]
    assert np.array_equal(found.mask, using.predict(image).mask)


def test_images_that_the_model_scales_down_are_one_part(small_limits):
    with StageReporter(QuietProgress()) as report:
        store = ArtefactStore(shared_cache())
        using = check_and_train(array_items(), tiny_config(longest_side=64), store, 1, report).model
    ((_, found),) = segment_parts(using, page_pixels())
    assert found.mask.shape == page_pixels().shape[:2]


def test_training_and_evaluation_use_crops(small_limits, monkeypatch):
    monkeypatch.setattr(crops, "SIDE", 128)
    monkeypatch.setattr(crops, "LARGEST_PIXELS", 128 * 128)
    image = page_pixels()[:, :550]
    mask = (image[..., 0] > image[..., 0].mean()).astype(np.uint8)
    settings = tiny_config().to_dict() | {"preset": "fast"}
    del settings["method"], settings["C"], settings["seed"]
    pipeline = SegmentationPipeline(settings=settings, C=10.0).fit([image], [mask])
    assert pipeline.predict(image).shape == mask.shape
    scores = pipeline.evaluate([image], [mask])
    assert scores.n_images == 3 * 5
