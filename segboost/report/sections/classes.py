"""The sections of the report on a data set of several classes, as HTML."""

from __future__ import annotations

from html import escape

import numpy as np

from segboost.io.legend import ClassLegend, colour_code
from segboost.report.run_data.class_data import ClassReportData, ShownClasses
from segboost.report.sections import charts
from segboost.report.sections.html_elements import legend as marks
from segboost.report.sections.html_elements import panel, percent, section, table, tile
from segboost.report.sections.images import card, ranked_images
from segboost.report.sections.run import training_time
from segboost.report.sections.scores import choice_panel, convergence_panel

DARK = 55
"""Cells of the confusion matrix with at least this percentage have white text."""


def class_headline(found: ClassReportData) -> str:
    """Return the headline scores."""
    scores = found.main.scores
    if scores is None:
        return '<p class="lead">The run had no test images, so there are no scores.</p>'
    tiles = [
        tile(percent(scores.mean_iou), "%", "mean IoU (intersection over union)", "first"),
        tile(percent(scores.mean_recall), "%", "mean recall (class average)"),
        tile(percent(scores.accuracy), "%", "global accuracy"),
        tile(str(found.legend.n_classes), "", "classes"),
        tile(str(scores.n_images), "", "test images"),
        tile(*training_time(found.main), "run time, cached stages excluded"),
    ]
    return f'<div class="tiles">{"".join(tiles)}</div>'


def class_images(found: ClassReportData, key: str) -> str:
    """Return the cards of the worst, median and best test images, with one legend."""
    text = (
        "Ranked by mean IoU of the classes in the image. Move the slider from the image to the "
        "prediction to the ground truth, or press 1, 2 or 3."
    )
    cards = [
        (shown.rank, _card(shown, f"{key}-{shown.rank}-{i}", found.legend))
        for i, shown in enumerate(found.images)
    ]
    colours = class_legend(found.legend)
    return ranked_images(key, found.missing_reason, text, "hatch errors in white", colours, cards)


def class_legend(legend: ClassLegend) -> str:
    """Return the colours of all classes, with void."""
    keys = "".join(
        f'<span><i class="key" style="background:{colour_code(colour)}"></i>{escape(name)}</span>'
        for name, colour in zip(legend.names, legend.colours, strict=True)
    )
    void = '<span><i class="key" style="background:#82828c"></i>void</span>'
    return f'<p class="legend">{keys}{void}</p>'


def _card(shown: ShownClasses, key: str, legend: ClassLegend) -> str:
    matrix = shown.matrix
    present = np.flatnonzero(matrix.pixels)
    worst = present[np.argsort(matrix.iou[present], kind="stable")][:2]
    numbers = [
        ("mean IoU", percent(matrix.mean_iou)),
        ("mean recall", percent(matrix.mean_recall)),
        ("accuracy", percent(matrix.accuracy)),
        *((f"IoU {escape(legend.names[k])}", percent(float(matrix.iou[k]))) for k in worst),
    ]
    marks_of_scale = "".join(f"<span>{text}</span>" for text in ("0 %", "50 %", "100 %"))
    scale = f'probability of the predicted class<span class="ends">{marks_of_scale}</span>'
    return card(shown.name, shown.pictures, numbers, key, scale)


def class_bars(found: ClassReportData, key: str) -> str:
    """Return IoU and recall of every class as bars."""
    measured = found.measured.get(found.main.method)
    if measured is None:
        return ""
    matrix = measured.matrix
    total = max(1, int(matrix.pixels.sum()))
    rows = []
    for k, (name, colour) in enumerate(zip(found.legend.names, found.legend.colours, strict=True)):
        bars = "".join(
            f'<i class="{kind}" style="width:{_width(value):.2f}%"></i>'
            for kind, value in (("c1", matrix.iou[k]), ("c3", matrix.recall[k]))
        )
        share = percent(matrix.pixels[k] / total)
        rows.append(
            f'<li><span class="stage-name"><i class="key" style="background:{colour_code(colour)};'
            f'display:inline-block"></i> {escape(name)} <small class="soft">{share} % of pixels'
            f'</small></span><span class="track">{bars}</span><span class="took">'
            f"{percent(float(matrix.iou[k]))} / {percent(float(matrix.recall[k]))}</span></li>"
        )
    body = (
        marks([("c1", "IoU, %"), ("c3", "recall, %")])
        + f'<ul class="timings classes">{"".join(rows)}</ul>'
    )
    text = "Over the pixels of all test images; void pixels are ignored."
    return section(f"classes-{key}", "Classes", text, body)


def confusion(found: ClassReportData, key: str) -> str:
    """Return the confusion matrix, in per cent of each true class."""
    measured = found.measured.get(found.main.method)
    if measured is None:
        return ""
    counts, pixels = measured.matrix.counts, measured.matrix.pixels
    names = found.legend.names
    head = "".join(f'<th scope="col"><span>{escape(name)}</span></th>' for name in names)
    rows = []
    for k, name in enumerate(names):
        cells = "".join(
            _cell(counts[k, j], pixels[k], f"{name} predicted as {other}")
            for j, other in enumerate(names)
        )
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    body = (
        '<div class="wide" tabindex="0" role="region" aria-label="confusion matrix">'
        f'<table class="confusion"><thead><tr><th>true \\ predicted</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
    text = (
        "Each row is a true class; its cells are the percentages of its pixels that were predicted "
        "as each class. The diagonal is the recall."
    )
    return section(f"confusion-{key}", "Confusion matrix", text, body)


def _cell(count: int, pixels: int, description: str) -> str:
    if not pixels:
        return '<td class="soft">–</td>'
    share = 100 * count / pixels
    shown = f"{share:.1f}" if share >= 0.05 else "·"
    white = ";color:#fff" if share >= DARK else ""
    style = f"background:color-mix(in srgb, #1f5fb8 {share:.0f}%, transparent){white}"
    title = escape(f"{description}: {count:,} pixels")
    return f'<td style="{style}" title="{title}">{shown}</td>'


def class_curves(found: ClassReportData, key: str) -> str:
    """Return the charts: convergence, calibration and the choice of C."""
    parts = [*convergence_panel(found.main)]
    if found.reliability is not None:
        parts.append(
            panel(
                "Calibration",
                charts.calibration_chart(found.reliability)
                + marks([("c1", "fraction of that class"), ("c3", "fraction of predictions")]),
                "Probabilities of all classes together. If they are well calibrated, the line "
                "follows the diagonal.",
            )
        )
    parts += choice_panel(found.main)
    if not parts:
        return ""
    return section(f"curves-{key}", "Curves", "", f'<div class="panels">{"".join(parts)}</div>')


def images_by_score(found: ClassReportData, key: str) -> str:
    """Return a table of the scores of every test image, worst first."""
    measured = found.measured.get(found.main.method)
    if measured is None:
        return ""
    rows = []
    for name in measured.ranked():
        matrix = measured.images[name]
        scores = matrix.mean_iou, matrix.mean_recall, matrix.accuracy
        present = int((matrix.pixels > 0).sum())
        rows.append((escape(name), *(percent(value) for value in scores), str(present)))
    head = ("image", "mean IoU", "mean recall", "accuracy", "classes present")
    body = table(head, rows, "scores per image")
    text = "In per cent; means over the classes that are present in the image."
    return section(f"by-image-{key}", "Scores per image", text, body)


def _width(value: float) -> float:
    return 0.0 if np.isnan(value) else 100 * float(value)
