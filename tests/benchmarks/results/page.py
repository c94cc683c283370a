"""The benchmark page of the documentation, rendered from the published figures alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

HEAD = """# Benchmarks

`make bench` re-runs all benchmarks and rewrites this page from `docs/benchmarks.json`; do not edit
it by hand. `python -m tests.benchmarks NAME` runs one of them. Every benchmark runs in its own
process with one thread. Times are CPU seconds, after the kernels have been compiled. Other packages
get the same inputs in the same run, so ratios mean more than times; times of different machines are
not comparable. Targets are the project's own.
"""

NOTES = {
    "adaboost": "The time includes binning. The stumps equal those of the plain NumPy version.",
    "auc": (
        "The default uses 10 blocks, stabilisation, purging of idle cuts and the dual form; "
        "literal mode is the paper's algorithm with corrections and nothing added."
    ),
    "digits": (
        "Two caveats. The list of candidates (perceptrons with three values of C, trees with one) "
        "was drawn up after a first look at two of these splits, including their test parts; the "
        "choice within the list is made on the validation part alone. And the searches are short: "
        "four candidates for StructBoost and for the SVM, two for the others. On five other splits "
        "(seeds 100 to 104), first evaluated after everything was fixed, the errors were 2.9 ± "
        "0.6 % for StructBoost, 4.6 % for the SVM and 4.4 % for XGBoost."
    ),
    "crf_structboost": (
        "On these graphs, whose potentials are nearly linear, boosted and linear weights label "
        "the test nodes equally well."
    ),
    "features": "The features are described in [Image features](features.md).",
    "ssvm_dlib": (
        "dlib calls back into Python for every example, as it would for any Python user; the "
        "number of passes over the examples compares the solvers without that overhead."
    ),
    "trackers": (
        "A synthetic target is easy to track; for the paper's sequences see [the tracking results]"
        "(results-tracking.md)."
    ),
}


def render(document: Mapping[str, Any]) -> str:
    """Render the page from a document of figures."""
    machines = list(
        {json.dumps(r["machine"]): r["machine"] for r in document["benchmarks"]}.values()
    )
    parts = [HEAD, "## Machines\n", *(_machine(n + 1, m) for n, m in enumerate(machines))]
    for result in document["benchmarks"]:
        number = machines.index(result["machine"]) + 1
        parts.append(f"## {result['title']}\n")
        parts.append(f"`{result['name']}`, measured on {result['measured']}, machine {number}.\n")
        if result["name"] in NOTES:
            parts.append(f"{NOTES[result['name']]}\n")
        parts.append(_table(result["figures"]))
    return "\n".join(parts)


def show(value: float) -> str:
    """Format a number with three significant digits.

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


def _machine(number: int, machine: Mapping[str, Any]) -> str:
    facts = "\n".join(f"- {key}: {value}" for key, value in machine.items())
    return f"Machine {number}\n\n{facts}\n"


def _table(figures: list[Mapping[str, Any]]) -> str:
    lines = ["| figure | value | target |", "|---|---|---|"]
    for figure in figures:
        verdict = "" if figure["met"] is None else "met" if figure["met"] else "**missed**"
        target = f"{figure['target']}, {verdict}" if verdict else ""
        value = f"{show(figure['value'])} {figure['unit']}".strip()
        name = figure["name"].replace("|", "\\|")
        lines.append(f"| {name} | {value} | {target} |")
    return "\n".join(lines) + "\n"
