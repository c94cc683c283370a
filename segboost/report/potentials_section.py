"""What the model learned: the function of every potential, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from segboost.report.charts import function_chart, value_range
from segboost.report.html_elements import legend, section
from segboost.report.learned_functions import LearnedFunction
from segboost.report.report_data import ReportData, Values


def potentials(found: ReportData, key: str) -> str:
    """Return the learned function of every potential."""
    if found.functions is None:
        text = "This method has no CRF: it labels each superpixel alone."
        return section(f"model-{key}", "What the model learned", text, "")
    learned = found.functions
    unary = _functions(learned.unary, found.unary_values, True)
    pair = _functions(learned.pairwise, found.pairwise_values, False)
    text = (
        "The CRF adds up one learned function a potential, and nothing else: these pictures are "
        "the model. Those that change most come first; all charts of one kind share their scale."
    )
    body = (
        "<h3>Each superpixel</h3><p>How strongly a score (in deviations) speaks for foreground "
        f"(up) or background (down); a bias of {learned.bias:+.3g} comes on top.</p>"
        + legend(
            [
                ("strong", "learned"),
                ("front", "scores of true foreground"),
                ("back", "of true background"),
            ]
        )
        + unary
        + "<h3>Each pair of neighbours</h3><p>What it costs to give them different labels"
        + (f"; every pair costs {learned.constant:.3g} more" if learned.constant else "")
        + ".</p>"
        + legend(
            [
                ("strong", "learned"),
                ("front", "pairs across a true border"),
                ("back", "pairs within"),
            ]
        )
        + pair
    )
    return section(f"model-{key}", "What the model learned", text, body)


def _functions(functions: Sequence[LearnedFunction], values: Sequence[Values], signed: bool) -> str:
    """Return the charts of potentials in use, those that change most first, and who is left out."""
    met: list[Values] = list(values) if values else [{} for _ in functions]
    answers = [
        function.of(np.linspace(*value_range(function, found), 61))
        for function, found in zip(functions, met, strict=True)
    ]
    top = max([float(np.abs(y).max()) for y in answers] + [1e-9]) * 1.08
    order = sorted(range(len(functions)), key=lambda i: -float(np.ptp(answers[i])))
    used = [i for i in order if functions[i].weight > 0 and not functions[i].muted]
    drawn = "".join(
        f'<figure class="small"><figcaption>{escape(functions[i].name)}</figcaption>'
        f"{function_chart(functions[i], met[i], top, signed)}</figure>"
        for i in used
    )
    unused = [functions[i].name for i in order if i not in used and not functions[i].muted]
    muted = [f.name for f in functions if f.muted]
    notes = []
    if unused:
        notes.append(f"Not used: {escape(', '.join(unused))}.")
    if muted:
        names = escape(", ".join(muted))
        notes.append(f"Left out, as worthless on images not trained on: {names}.")
    below = f'<p class="soft">{" ".join(notes)}</p>' if notes else ""
    return f'<div class="smalls">{drawn}</div>{below}'
