"""Write the figures of a demo run into docs/start.md: ``python -m tests.docs.start_page FOLDER``.

FOLDER is the output of ``segboost demo --output FOLDER``. ``make start-page`` runs both.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from segboost.report.demo import METHODS
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "start.md"
BEGIN, END = "<!-- begin: written by make start-page -->\n", "<!-- end -->\n"
NAMES = {
    "structboost": "StructBoost",
    "ssvm": "linear structured SVM",
    "trees": "boosted trees without a CRF",
}


@dataclass(frozen=True)
class DemoFigures:
    """The numbers of scenes, and the mean IoU of every method in per cent, to one decimal."""

    n_train: int
    n_test: int
    mean_iou: dict[str, float]


def read_demo(folder: Path) -> DemoFigures:
    """Read the figures from the runs of a demo."""
    runs = {name: json.loads((folder / name / "scores.json").read_text()) for name in METHODS}
    tests = {name: run["test"]["scores"] for name, run in runs.items()}
    ((n_train, n_test),) = {(runs[name]["n_train"], tests[name]["n_images"]) for name in runs}
    return DemoFigures(
        n_train, n_test, {n: round(100 * s["mean_iou"], 1) for n, s in tests.items()}
    )


def render(figures: DemoFigures) -> str:
    """Return the part of the page between the markers."""
    head = f"method, {figures.n_train} training scenes | mean IoU on {figures.n_test} new scenes"
    lines = [f"| {head} |", "|---|---|"]
    lines += [f"| {NAMES[name]} | {iou:.1f} % |" for name, iou in figures.mean_iou.items()]
    return "\n".join(["", *lines, "", ""])


def parse(page: str) -> DemoFigures:
    """Return the figures between the markers of the page; the inverse of `render`."""
    part = page.partition(BEGIN)[2].partition(END)[0]
    ((n_train, n_test),) = re.findall(r"method, (\d+) training.*on (\d+) new scenes", part)
    method = {text: name for name, text in NAMES.items()}
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+) % \|$", part, re.M)
    return DemoFigures(int(n_train), int(n_test), {method[t]: float(v) for t, v in rows})


def replace_figures(page: str, figures: DemoFigures) -> str:
    """Return the page with new figures between its markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page lacks the markers {BEGIN.strip()} and {END.strip()}")
    return before + begin + render(figures) + end + after


if __name__ == "__main__":
    figures = read_demo(Path(sys.argv[1]))
    PAGE.write_text(replace_figures(PAGE.read_text(), figures))
    print(PAGE.relative_to(ROOT), figures)
