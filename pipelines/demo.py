"""The demonstration: three small fits, their pictures, their figures and a page about them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from segboost._version import __version__
from segboost.pipelines.demo_classes import fit_digits
from segboost.pipelines.demo_graphs import fit_graphs
from segboost.pipelines.demo_page import render_page
from segboost.pipelines.demo_pictures import draw_digits, draw_graphs, draw_ranking
from segboost.pipelines.demo_ranking import fit_ranking
from segboost.pipelines.files import write_whole

PAGE = "index.html"
FIGURES = "demo.json"

Tell = Callable[[str], Any]


def run_demo(output: Path, seed: int = 0, tell: Tell | None = None) -> Path:
    """Fit, draw and write ``index.html``, ``demo.json`` and the pictures; return the page.

    Parameters
    ----------
    output : Path
        The folder; made where it does not exist. Files of an earlier run are replaced.
    seed : int
        Draws graphs and splits; the same seed gives the same figures but for the seconds.
    tell : callable, optional
        Called with a line of text before and after every part.
    """
    start = time.perf_counter()
    say = tell or (lambda text: None)
    streams = np.random.default_rng(seed).spawn(3)
    output.mkdir(parents=True, exist_ok=True)
    say("graphs: a CRF on noisy grids")
    graphs = fit_graphs(streams[0])
    say(f"  accuracy {graphs.accuracy['StructBoost']:.1%}, one by one {graphs.alone:.1%}")
    say("digits: ten classes")
    digits = fit_digits(streams[1])
    say(f"  test error {digits.curves[0].error:.1%} after {digits.curves[0].rounds} rounds")
    say("ranking: the area under the ROC curve")
    ranking = fit_ranking(streams[2])
    say(f"  AUC {ranking.mean('StructBoostRanker'):.3f}")
    pictures = {
        "graphs": draw_graphs(graphs),
        "digits": draw_digits(digits),
        "ranking": draw_ranking(ranking),
    }
    for name, versions in pictures.items():
        for theme, data in versions.items():
            write_whole(output / f"{name}{'' if theme == 'light' else f'-{theme}'}.png", data)
    figures = {
        "version": __version__,
        "seed": seed,
        "graphs": graphs.figures(),
        "digits": digits.figures(),
        "ranking": ranking.figures(),
        "seconds": round(time.perf_counter() - start, 1),
    }
    text = json.dumps(figures, indent=2, allow_nan=False)
    write_whole(output / FIGURES, f"{text}\n".encode())
    return write_whole(output / PAGE, render_page(figures, pictures).encode())
