"""Cost of training on 150 photographs from scratch, and of segmenting, by preset."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.figures import Figure, at_least, at_most, cpu_seconds

TITLE = "Presets: train on 150 images of 640×480 from scratch, segment one"

LIMITS = {"default": (700, 1.0, 91.5), "fast": (250, 0.5, 90.0)}
"""CPU seconds of training and of segmenting an image, and the mean IoU on new images."""
N_SEGMENTED = 40
TRAIN = """
import json, sys
from dataclasses import replace
from pathlib import Path
from segboost.datasets import load_graz02
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.training_run import run_training
from segboost.progress import QuietProgress
data = load_graz02(Path(sys.argv[1], "graz02"), "bike")
config = SegmentationConfig.for_preset(sys.argv[2])
folder = Path(sys.argv[3])
run = run_training(data, config, folder, folder / "cache", 2, QuietProgress(), {})
stages = {stage.stage: stage.cpu for stage in run.stages}
print(json.dumps([stages, run.peak_bytes, run.evaluation.scores.mean_iou]))
"""


def train(root: Path, preset: str, folder: Path) -> tuple[dict[str, float], int, float]:
    """Train with two jobs in a separate process; return CPU seconds, memory and mean IoU."""
    import json

    command = [sys.executable, "-c", TRAIN, str(root), preset, str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    stages, peak, mean_iou = json.loads(done.stdout)
    return stages, peak, mean_iou


def segment(root: Path, folder: Path) -> float:
    """Return the CPU seconds per image in this process, after a warm-up."""
    from segboost.datasets import read_image
    from segboost.pipelines.runtime.single_thread import single_threaded
    from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter

    model = load_segmenter(folder)
    paths = sorted((root / "graz02" / "bikes").glob("*.image.*"))[1 : 2 * N_SEGMENTED : 2]
    images = [read_image(path) for path in paths]
    with single_threaded():
        model.predict(images[0])
        seconds, _ = cpu_seconds(lambda: [model.predict(image).mask.sum() for image in images])
    return seconds / len(images)


def run() -> list[Figure]:
    root = Path(os.environ["SEGBOOST_DATA"])
    figures = []
    for preset, (training, segmenting, quality) in LIMITS.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place, "model")
            stages, peak, mean_iou = train(root, preset, folder)
            tested = stages.pop("test images")
            total = sum(stages.values())
            figures += [
                at_most(f"{preset}: train, CPU", total, training, "s"),
                *(Figure(f"{preset}: {name}, CPU", cpu, "s") for name, cpu in stages.items()),
                Figure(f"{preset}: 150 test images, CPU", tested, "s"),
                at_most(f"{preset}: memory of all processes", peak / 2**30, 4, "GB"),
                at_most(
                    f"{preset}: segment, CPU per image", segment(root, folder), segmenting, "s"
                ),
                at_least(f"{preset}: mean IoU, bike test images", 100 * mean_iou, quality, "%"),
            ]
    figures.append(Figure("memory of this process", resource.getrusage(0).ru_maxrss / 2**20, "GB"))
    return figures
