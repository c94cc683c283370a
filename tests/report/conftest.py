"""Two small runs on the same synthetic scenes, made once for all tests of the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from segboost.datasets import load_synthetic
from segboost.pipelines.segmentation.training_run import run_training
from segboost.progress import QuietProgress
from segboost.report.write_report import write_report
from tests.pipelines.segmentation.tiny_models import shared_cache, tiny_config

SIZES = {"n_train": 6, "n_test": 6, "height": 72, "width": 96}


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the runs of two methods."""
    folder = tmp_path_factory.mktemp("runs")
    options = {"dataset": "synthetic", "synthetic": SIZES}
    data = load_synthetic(**SIZES)
    for method in ("structboost", "adaboost"):
        config = tiny_config(method=method, C=None, C_choices=(1.0, 10.0))
        quiet = QuietProgress()
        run_training(data, config, folder / method, shared_cache(), 1, quiet, options)
    return folder


@pytest.fixture(scope="session")
def page(runs: Path) -> Path:
    return write_report(runs)
