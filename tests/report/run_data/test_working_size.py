"""A model that reduces its images: the page shows them at the size of the evaluation."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image

from segboost.datasets import load_synthetic
from segboost.pipelines.segmentation.saved_predictions import FILE
from segboost.pipelines.segmentation.training_run import run_training
from segboost.progress import QuietProgress
from segboost.report.run_data.load_runs import find_runs
from segboost.report.run_data.report_data import collect
from segboost.report.write_report import write_report
from tests.pipelines.segmentation.tiny_models import shared_cache, tiny_config

SIZES = {"n_train": 6, "n_test": 3, "height": 108, "width": 144}


@pytest.fixture(scope="module")
def reduced(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reduced") / "run"
    options = {"dataset": "synthetic", "synthetic": SIZES}
    config, quiet = tiny_config(longest_side=96), QuietProgress()
    run_training(load_synthetic(**SIZES), config, folder, shared_cache(), 1, quiet, options)
    return folder


def pixels(address):
    data = base64.b64decode(address.partition(",")[2])
    return np.asarray(Image.open(io.BytesIO(data)))


def test_coloured_pixels_equal_the_counts(reduced):
    found = collect(find_runs(reduced), None, 1, QuietProgress(), 480)
    assert [shown.rank for shown in found.images] == ["worst", "median", "best"]
    for shown in found.images:
        assert shown.pictures.size == (96, 72)
        errors, counts = pixels(shown.pictures.errors), shown.counts
        assert np.count_nonzero(errors == 1) == counts.false_negative
        assert np.count_nonzero(errors == 2) == counts.false_positive
        assert np.count_nonzero(pixels(shown.pictures.truth) != 0) == (
            counts.true_positive + counts.false_negative
        )


def test_saved_and_recomputed_predictions_give_the_same_page(reduced):
    page = write_report(reduced).read_bytes()
    assert b"Worst" in page
    (reduced / FILE).unlink()
    assert write_report(reduced).read_bytes() == page
