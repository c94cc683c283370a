"""The page of published benchmarks, made from the figures and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEAD = """# Benchmarks

`make bench` measures all of this anew and rewrites this page from `docs/benchmarks.json`; do not
edit it by hand. `python -m tests.benchmarks NAME` measures one table. Every benchmark runs in a
process of its own with one thread. Times are CPU seconds, kernels compiled before; peers get the
same inputs in the same run, so that ratios mean more than times. A target is what the project
holds itself to.
"""

NOTES = {
    "adaboost": "Binning is part of the time. The stumps are those of the plain NumPy twin.",
    "auc": (
        "The default is 10 blocks, stabilised, idle cuts purged, in dual form; literal mode is "
        "the paper's algorithm as printed."
    ),
    "digits": (
        "Read it with two reservations. The list of candidates (perceptrons with three values of "
        "C, trees with one) was written after a first look at two of these splits, test part "
        "included; the choice within the list is made on the validation part alone. And the "
        "searches are short: four candidates for us and for the SVM, two for the others. On five "
        "other splits (seeds 100 to 104), first looked at after everything was fixed, the errors "
        "were 2.9 ± 0.6 % for us, 4.6 % for the SVM and 4.4 % for XGBoost."
    ),
    "crf_structboost": (
        "On these graphs, whose potentials are nearly linear, boosted and linear weights label "
        "the test nodes equally well."
    ),
    "features": "What the features are is told on [their page](features.md).",
    "ssvm_dlib": (
        "dlib calls back into Python for every example, which is how its Python users would write"
        " it; passes over the examples compare the solvers without that."
    ),
    "trackers": (
        "A drawn target is easy; the sequences of the paper are on [the results page](results-"
        "tracking.md)."
    ),
}


def render(document: Mapping[str, Any]) -> str:
    """Return the page of a document of figures."""
    parts = [HEAD, "## The machine\n", _machine(document["machine"])]
    for result in document["benchmarks"]:
        parts.append(f"## {result['title']}\n")
        parts.append(f"`{result['name']}`, measured on {result['measured']}.\n")
        if result["name"] in NOTES:
            parts.append(f"{NOTES[result['name']]}\n")
        parts.append(_table(result["figures"]))
    return "\n".join(parts)


def show(value: float) -> str:
    """Return a number with three digits that count.

    Examples
    --------
    >>> show(0.012345), show(428.6), show(1797.0), show(0.0), show(3e-6)
    ('0.0123', '429', '1,797', '0', '3e-06')
    """
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _machine(machine: Mapping[str, Any]) -> str:
    return "\n".join(f"- {key}: {value}" for key, value in machine.items()) + "\n"


def _table(figures: list[Mapping[str, Any]]) -> str:
    lines = ["| figure | value | target |", "|---|---|---|"]
    for figure in figures:
        verdict = "" if figure["met"] is None else "met" if figure["met"] else "**missed**"
        target = f"{figure['target']}, {verdict}" if verdict else ""
        value = f"{show(figure['value'])} {figure['unit']}".strip()
        name = figure["name"].replace("|", "\\|")
        lines.append(f"| {name} | {value} | {target} |")
    return "\n".join(lines) + "\n"
