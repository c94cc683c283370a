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
from segboost.pipelines.batch.run import BatchRun, run_batch
from segboost.pipelines.batch.segmenting import BatchOptions
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.recorded_data import DRAWN
from segboost.pipelines.segmentation.training_run import CACHE, TrainingRun, run_training
from segboost.progress import Progress, QuietProgress, Report
from segboost.report.write_report import check_page, write_report
from segboost.storage.output_record import Outputs, check_outputs, recorded_outputs
from segboost.storage.whole_file import write_whole

SETTINGS: dict[str, Any] = {"preset": "fast"}
METHODS = ("structboost", "ssvm", "trees")
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
    batch: BatchRun


def run_demo(
    output: Path,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
    sizes: SceneSizes | None = None,
    overwrite: bool = False,
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
        Random seed of scenes and training; the same seed gives the same results except timings.
    n_jobs : int
        Number of processes.
    progress : Progress, optional
    sizes : SceneSizes, optional
    overwrite : bool
        Whether images and masks that segboost did not write may be replaced.
    """
    tell = progress or QuietProgress()
    check_page(output / PAGE, output)
    drawn = {**asdict(sizes or SceneSizes()), "seed": seed}
    data = load_synthetic(**drawn)
    scenes = Outputs(tuple(f"{IMAGES}/{item.name}.png" for item in data.test))
    check_outputs(output, scenes, overwrite=overwrite)
    runs = {}
    for method in METHODS:
        named = _named(tell, method)
        config = SegmentationConfig.from_dict({**SETTINGS, "method": method, "seed": seed})
        options = {"dataset": DRAWN, DRAWN: drawn, "config": SETTINGS, "method": method}
        cache = output / CACHE
        runs[method] = run_training(data, config, output / method, cache, n_jobs, named, options)
    with recorded_outputs(output, scenes, overwrite=overwrite):
        paths = _write_scenes(output / IMAGES, data.test)
    wanted = BatchOptions(
        output / RESULTS, overlay=True, scores=True, probabilities=True, overwrite=overwrite
    )
    batch = run_batch(output / METHODS[0], paths, wanted, n_jobs, None, tell)
    page = write_report(output, output / PAGE, None, n_jobs, tell, TITLE)
    return Demo(page, runs, batch)


def _named(progress: Progress, method: str) -> Progress:
    """Return a progress callback that prefixes stages with the method."""

    def tell(report: Report, /) -> None:
        progress(Report(**{**vars(report), "stage": f"{method}: {report.stage}"}))

    return tell


def _write_scenes(folder: Path, items: Sequence[LabelledImage]) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{item.name}.png" for item in items]
    for item, path in zip(items, paths, strict=True):
        data = io.BytesIO()
        Image.fromarray(item.image()).save(data, format="PNG")
        write_whole(path, data.getvalue())
    return paths
