"""The demo: train several methods on synthetic scenes, segment a folder, write the report."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from segboost.datasets.base import LabelledImage
from segboost.datasets.synthetic.dataset import load_synthetic
from segboost.pipelines.batch.segmenting import BatchOptions, ImageResult, segment_files
from segboost.pipelines.batch.table import write_results
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.recorded_data import DRAWN
from segboost.pipelines.segmentation.run import CACHE, TrainingRun, run_training
from segboost.progress import Progress, QuietProgress, Report, track
from segboost.report.write_report import write_report
from segboost.storage.whole_file import write_whole

SETTINGS: dict[str, Any] = {
    "unary": {"n_stumps": 100, "n_folds": 3},
    # Context potentials also look at neighbours; without them the effect of the CRF is clearer.
    "context": False,
    "C_choices": [1, 10, 100],
    "losses": ["pixels"],
    "n_iterations": 30,
}
METHODS = ("structboost", "ssvm", "adaboost")
PAGE, IMAGES, RESULTS = "index.html", "images", "segmented"
TITLE = "segboost demo: synthetic scenes"


@dataclass(frozen=True)
class SceneSizes:
    """Number and size of the scenes; the defaults take a minute or two on two cores."""

    n_train: int = 40
    n_test: int = 20
    height: int = 120
    width: int = 160


@dataclass(frozen=True, eq=False)
class Demo:
    """Result of the demo: its page, the runs by method, and the segmented images."""

    page: Path
    runs: dict[str, TrainingRun]
    batch: list[ImageResult]


def run_demo(
    output: Path,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
    sizes: SceneSizes | None = None,
) -> Demo:
    """Train on synthetic scenes, segment others, and write a report.

    The output is that of three commands: ``<output>/structboost`` and so on of ``segboost train``,
    ``<output>/segmented`` of ``segboost segment`` on ``<output>/images``, and
    ``<output>/index.html`` of ``segboost report``.

    Parameters
    ----------
    output : Path
        The folder; created if missing. Cached results of an earlier run are reused.
    seed : int
        Random seed of the scenes; the same seed gives the same results, timings apart.
    n_jobs : int
        Number of processes.
    progress : Progress, optional
    sizes : SceneSizes, optional
    """
    tell = progress or QuietProgress()
    drawn = {**asdict(sizes or SceneSizes()), "seed": seed}
    data = load_synthetic(**drawn)
    runs = {}
    for method in METHODS:
        named = _named(tell, method)
        config = SegmentationConfig.from_dict({**SETTINGS, "method": method, "seed": seed})
        options = {"dataset": DRAWN, DRAWN: drawn, "config": SETTINGS, "method": method}
        cache = output / CACHE
        runs[method] = run_training(data, config, output / method, cache, n_jobs, named, options)
    batch = _segment_folder(output, data.test, n_jobs, tell)
    page = write_report(output, output / PAGE, None, n_jobs, tell, TITLE)
    return Demo(page, runs, batch)


def _named(progress: Progress, method: str) -> Progress:
    """Return a progress callback that prefixes stages with the method."""

    def tell(report: Report, /) -> None:
        progress(Report(**{**vars(report), "stage": f"{method}: {report.stage}"}))

    return tell


def _segment_folder(
    output: Path, items: Sequence[LabelledImage], n_jobs: int, progress: Progress
) -> list[ImageResult]:
    paths = [output / IMAGES / f"{item.name}.png" for item in items]
    (output / IMAGES).mkdir(parents=True, exist_ok=True)
    for item, path in zip(items, paths, strict=True):
        data = io.BytesIO()
        Image.fromarray(item.image()).save(data, format="PNG")
        write_whole(path, data.getvalue())
    options = BatchOptions(output / RESULTS, overlay=True, scores=True, probabilities=True)
    results = segment_files(output / METHODS[0], paths, options, n_jobs)
    kept = write_results(results, options.output / "results.csv")
    return list(track(kept, progress, "segmentation", len(paths)))
