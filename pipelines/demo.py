"""The demonstration: a segmenter and two small fits, their pictures, figures and a page."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segboost._version import __version__
from segboost.pipelines.demo_classes import fit_digits
from segboost.pipelines.demo_page import render_page
from segboost.pipelines.demo_panels import scene_panels
from segboost.pipelines.demo_pictures import draw_digits, draw_ranking, draw_scenes
from segboost.pipelines.demo_ranking import fit_ranking
from segboost.pipelines.demo_scenes import SceneDemo, SceneSizes, fit_scenes
from segboost.pipelines.files import write_whole
from segboost.pipelines.progress import Progress, QuietProgress, Report

PAGE = "index.html"
FIGURES = "demo.json"
SHOWN = 5
"""Test images on the page: the first ones, not chosen ones."""


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demonstration made: its page, and the segmentation in it."""

    page: Path
    scenes: SceneDemo


def run_demo(
    output: Path,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
    sizes: SceneSizes | None = None,
) -> Demo:
    """Train, segment, draw and write ``index.html`` and ``demo.json``.

    Parameters
    ----------
    output : Path
        The folder; made where it does not exist. Files of an earlier run are replaced, and what
        its training kept is used again.
    seed : int
        Draws scenes and splits; the same seed gives the same figures but for the seconds.
    n_jobs : int
        Processes.
    progress : Progress, optional
    sizes : SceneSizes, optional
    """
    start = time.perf_counter()
    tell = progress or QuietProgress()
    digits_rng, ranking_rng = np.random.default_rng(seed).spawn(2)
    output.mkdir(parents=True, exist_ok=True)
    scenes = fit_scenes(output, seed, n_jobs, tell, sizes or SceneSizes())
    tell(Report("digits", 0, 1))
    digits = fit_digits(digits_rng)
    tell(Report("digits", 1, 1, finished=True))
    tell(Report("ranking", 0, 1))
    ranking = fit_ranking(ranking_rng)
    tell(Report("ranking", 1, 1, finished=True))
    pictures = {
        "scenes": draw_scenes(scenes.comparison),
        "digits": draw_digits(digits),
        "ranking": draw_ranking(ranking),
    }
    shown = {e.name: scene_panels(e) for e in scenes.comparison.examples[:SHOWN]}
    figures: dict[str, Any] = {
        "version": __version__,
        "seed": seed,
        "scenes": {**scenes.figures(), "folder": str(output)},
        "digits": digits.figures(),
        "ranking": ranking.figures(),
        "seconds": round(time.perf_counter() - start, 1),
    }
    text = json.dumps(figures, indent=2, allow_nan=False)
    write_whole(output / FIGURES, f"{text}\n".encode())
    page = write_whole(output / PAGE, render_page(figures, shown, pictures).encode())
    return Demo(page, scenes)
