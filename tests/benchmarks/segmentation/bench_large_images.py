"""Large images in tiles: CPU time and memory against size, and agreement with untiled pages.

``SEGBOOST_LARGE_SIDES`` lists the sides of the mosaics; 20000 takes most of an hour.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import tifffile

from segboost.datasets.images.scientific import load_scientific
from segboost.features.presets import find_preset
from segboost.io.scientific.tiff_output import write_tiff_stack
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.training_run import run_training
from segboost.progress import QuietProgress
from tests.benchmarks.figures import Figure, at_least, at_most
from tests.benchmarks.problems.coin_mosaics import mosaic_bands, write_training

TITLE = "Large images: mosaics of 16-bit coins, one process"
SIDES = tuple(int(side) for side in os.environ.get("SEGBOOST_LARGE_SIDES", "550 2048 4000").split())
COMPARED = int(os.environ.get("SEGBOOST_LARGE_COMPARED", "4000"))
PRESETS = tuple(os.environ.get("SEGBOOST_LARGE_PRESETS", "fast").split())
"""All are compared with the untiled result; the first one is run on all sides."""
PICTURES = 3
COMMAND = "import sys; from segboost.cli.main import main; main(sys.argv[1:])"


@dataclass(frozen=True)
class Run:
    """CPU seconds, peak memory in GB and mask of a run of ``segboost segment``."""

    cpu: float
    memory: float
    mask: Path


def train(folder: Path, preset_name: str) -> Path:
    """Train a preset on some pictures; return the folder of the model."""
    write_training(folder, PICTURES)
    found = load_scientific(folder / "images", folder / "masks", test_fraction=0.0)
    config = SegmentationConfig.for_preset(preset_name)
    preset = find_preset(config.preset).with_intensities(found.intensities)
    config = replace(config, preset=preset.to_config())
    run_training(found, config, folder / "model", folder / "cache", 1, QuietProgress(), {})
    return folder / "model"


def write_mosaic(folder: Path, side: int) -> Path:
    """Write a mosaic unless it exists; band by band, so that it need not fit into memory."""
    path = folder / f"{side}.tif"
    if not path.exists():
        bands = (image for image, _ in mosaic_bands(side))
        write_tiff_stack(path, [bands], (1, side, side), np.uint16)
    return path


def segment(model: Path, image: Path, output: Path, *options: str) -> Run:
    """Segment an image with ``segboost segment``, in a separate process."""
    command = ["segment", "--model", str(model), "-o", str(output), "-j", "1", *options]
    printed = subprocess.run(
        [sys.executable, "-c", COMMAND, *command, str(image)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = re.search(r"([\d.]+) s CPU per image, peak memory ([\d.]+) GB", printed)
    return Run(float(found[1]), float(found[2]), output / image.name)


def overlap_share(one: np.ndarray, other: np.ndarray) -> float:
    """Return the intersection over union of two foregrounds."""
    return float((one & other).sum() / max(1, (one | other).sum()))


def describe(run: Run, side: int) -> list[Figure]:
    """Return speed and memory of a run on a mosaic."""
    size = side * side / 1e6
    return [
        Figure(f"{size:.1f} megapixels", size / run.cpu, "megapixels per CPU second"),
        at_most(f"{size:.1f} megapixels, memory", run.memory, 2, "GB"),
    ]


def compare(untiled: Run, tiled: Run, side: int, preset: str) -> list[Figure]:
    """Compare tiles with the whole page as a single tile, and both with the truth."""
    one, other = (tifffile.imread(run.mask) > 0 for run in (untiled, tiled))
    truth = np.concatenate([mask for _, mask in mosaic_bands(side)]) > 0
    name = f"{preset}, {side}×{side} pixels"
    return [
        at_least(f"{name}: equal to the untiled result", 100 * (one == other).mean(), 99.5, "%"),
        Figure(f"{name}: IoU of both foregrounds", 100 * overlap_share(one, other), "%"),
        Figure(f"{name}: foreground", 100 * one.mean(), "%"),
        Figure(f"{name}: IoU with the truth, untiled", 100 * overlap_share(one, truth), "%"),
        Figure(f"{name}: IoU with the truth, tiled", 100 * overlap_share(other, truth), "%"),
        at_most(f"{name}: memory of the tiled run", tiled.memory, 2, "GB"),
        Figure(f"{name}: memory of the untiled run", untiled.memory, "GB"),
    ]


def measure(folder: Path, preset: str, sides: tuple[int, ...]) -> list[Figure]:
    """Return speed and memory for all sides, and the agreement at `COMPARED`."""
    figures = []
    model = train(folder / preset, preset)
    for side in sides:
        image = write_mosaic(folder, side)
        tiled = segment(model, image, folder / f"{preset}-{side}")
        figures += describe(tiled, side)
        if side == COMPARED:
            single = -(-side // 256) * 256
            output = folder / f"{preset}-untiled"
            untiled = segment(model, image, output, "--tile", str(single))
            figures += compare(untiled, tiled, side, preset)
        image.unlink()
    return figures


def run() -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as place:
        for preset in PRESETS:
            sides = SIDES if preset == PRESETS[0] else (COMPARED,)
            figures += measure(Path(place), preset, sides)
    return figures
