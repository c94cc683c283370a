"""The section on the learned functions of the potentials, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from segboost.report.run_data.learned_functions import LearnedFunction
from segboost.report.run_data.report_data import ReportData, Values
from segboost.report.sections.charts import function_chart, value_range
from segboost.report.sections.html_elements import legend, section

NEGLIGIBLE = 1e-12
"""Uninformative potentials up to this weight count as excluded; linear CRFs never give 0."""


def potentials(found: ReportData, key: str) -> str:
    """Return the learned function of every potential."""
    if found.functions is None:
        text = "This method has no CRF: it classifies each superpixel on its own."
        return section(f"model-{key}", "Learned functions", text, "")
    learned = found.functions
    unary = _functions(learned.unary, found.unary_values, True)
    pair = _functions(learned.pairwise, found.pairwise_values, False)
    text = (
        "The CRF's energy is the sum of one learned function per potential, so these charts are "
        "the whole model. Functions with the largest range come first; all charts of a kind share "
        "the same scale."
    )
    body = (
        "<h3>Unary potentials</h3><p>How strongly a score (in standard deviations) favours "
        f"foreground (up) or background (down). A bias of {learned.bias:+.3g} is added.</p>"
        + legend(
            [
                ("strong", "learned function"),
                ("front", "scores of true foreground"),
                ("back", "scores of true background"),
            ]
        )
        + unary
        + "<h3>Pairwise potentials</h3><p>The cost of giving two neighbours different labels"
        + (f", to which {learned.constant:.3g} is added" if learned.constant else "")
        + ".</p>"
        + legend(
            [
                ("strong", "learned function"),
                ("front", "pairs across a true border"),
                ("back", "pairs within a region"),
            ]
        )
        + pair
    )
    return section(f"model-{key}", "Learned functions", text, body)


def _functions(functions: Sequence[LearnedFunction], values: Sequence[Values], signed: bool) -> str:
    """Return the charts of the potentials in use, largest range first, and name the unused ones."""
    met: list[Values] = list(values) if values else [{} for _ in functions]
    responses = [
        function.of(np.linspace(*value_range(function, found), 61))
        for function, found in zip(functions, met, strict=True)
    ]
    top = max([float(np.abs(y).max()) for y in responses] + [1e-9]) * 1.08
    order = sorted(range(len(functions)), key=lambda i: -float(np.ptp(responses[i])))
    used = [i for i in order if functions[i].weight > 0 and not functions[i].uninformative]
    drawn = "".join(
        f'<figure class="small"><figcaption>{escape(functions[i].name)}</figcaption>'
        f"{function_chart(functions[i], met[i], top, signed)}</figure>"
        for i in used
    )
    unused = [functions[i].name for i in order if i not in used and not functions[i].uninformative]
    excluded = [f.name for f in functions if f.uninformative and f.weight <= NEGLIGIBLE]
    faint = [f.name for f in functions if f.uninformative and f.weight > NEGLIGIBLE]
    notes = []
    if unused:
        notes.append(f"Not used: {escape(', '.join(unused))}.")
    if excluded:
        names = escape(", ".join(excluded))
        notes.append(f"Excluded, as uninformative on held-out images: {names}.")
    if faint:
        names = escape(", ".join(faint))
        notes.append(f"Used, though uninformative on held-out images, and not drawn: {names}.")
    below = f'<p class="soft">{" ".join(notes)}</p>' if notes else ""
    return f'<div class="smalls">{drawn}</div>{below}'
