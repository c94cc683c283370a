"""Demonstration, part one: objects in scenes, through the pipeline that photographs take."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from segboost.datasets.base import LabelledImage
from segboost.datasets.synthetic import load_synthetic
from segboost.pipelines.artefacts import ArtefactStore
from segboost.pipelines.batch import BatchOptions, ImageResult, mask_probability, segment_files
from segboost.pipelines.batch_table import write_results
from segboost.pipelines.demo_compare import Comparison, compare
from segboost.pipelines.demo_labellers import make_labellers
from segboost.pipelines.files import write_whole
from segboost.pipelines.progress import Progress, Report, track
from segboost.pipelines.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation_files import load_segmenter
from segboost.pipelines.segmentation_training import feature_stage
from segboost.pipelines.single_thread import single_threaded
from segboost.pipelines.training_run import CACHE, TrainingRun, run_training

SETTINGS: dict[str, Any] = {
    "unary": {"n_stumps": 100, "n_folds": 3},
    # Context potentials look at neighbours too: without them the CRF's part is plain to see.
    "context": False,
    "C_choices": [1, 10, 100],
    "losses": ["pixels"],
    "n_iterations": 30,
}
MODEL, IMAGES, RESULTS = "model", "images", "segmented"


@dataclass(frozen=True)
class SceneSizes:
    """How many scenes of which size; the default takes a minute or two on two cores."""

    n_train: int = 40
    n_test: int = 20
    height: int = 120
    width: int = 160


@dataclass(frozen=True, eq=False)
class SceneDemo:
    """What was trained, segmented and compared.

    Parameters
    ----------
    run : TrainingRun
        Of the model with the CRF.
    batch : list of ImageResult
        Of the folder of test images.
    comparison : Comparison
    probability_cut : float
        Where the masks are cut.
    sizes : SceneSizes
    """

    run: TrainingRun
    batch: list[ImageResult]
    comparison: Comparison
    probability_cut: float
    sizes: SceneSizes

    def figures(self) -> dict[str, Any]:
        """Return the numbers for ``demo.json``."""
        scores = self.comparison.scores
        return {
            **asdict(self.sizes),
            "C": self.run.C,
            "scores": {name: found.to_dict() for name, found in scores.items()},
            "calibration_error": self.comparison.calibration_error,
            "probability_cut": self.probability_cut,
            "train_seconds": round(self.run.seconds, 1),
            "segment_seconds": round(float(np.mean([r.cpu_seconds for r in self.batch])), 3),
        }


def fit_scenes(
    output: Path, seed: int, n_jobs: int, progress: Progress, sizes: SceneSizes
) -> SceneDemo:
    """Train on synthetic scenes, segment a folder of others, and compare labellers on them.

    ``<output>/model`` is what ``segboost train`` makes, ``<output>/segmented`` what ``segboost
    segment`` makes of ``<output>/images``.
    """
    shape = {"height": sizes.height, "width": sizes.width}
    data = load_synthetic(sizes.n_train, sizes.n_test, seed=seed, **shape)
    config = SegmentationConfig.from_dict({**SETTINGS, "seed": seed})
    folder = output / MODEL
    options = {"config": SETTINGS, "seed": seed}
    run = run_training(data, config, folder, folder / CACHE, n_jobs, progress, options)
    batch = _segment_folder(output, data.test, n_jobs, progress)
    calibration = load_segmenter(folder).calibration
    if calibration is None:
        raise RuntimeError(f"{folder} was trained without calibration")
    store = ArtefactStore(folder / CACHE)
    progress(Report("comparison", 0, len(data.test)))
    with single_threaded():
        stage = feature_stage(data.train, config, store, lambda *_: None)
        labellers = make_labellers(data.train, stage, config, store, n_jobs)
        comparison = compare(labellers, calibration, stage, data.test, progress)
    return SceneDemo(run, batch, comparison, mask_probability(folder), sizes)


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
    results = segment_files(output / MODEL, paths, options, n_jobs)
    kept = write_results(results, options.output / "results.csv")
    return list(track(kept, progress, "segmentation", len(paths)))
