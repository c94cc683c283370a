"""The sections of the report on one data set, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from segboost.report import charts
from segboost.report.html_elements import (
    legend,
    panel,
    percent,
    seconds,
    section,
    settings_table,
    table,
    tile,
)
from segboost.report.measurements import RANKS, image_scores
from segboost.report.report_data import ReportData, ShownImage

TITLES = {
    "structboost": "StructBoost",
    "ssvm": "structured SVM",
    "trees": "boosted trees without a CRF",
    "adaboost": "AdaBoost on visual words",
    "svm": "SVM on visual words",
}
STEPS = ("image", "prediction", "ground truth")


def headline(found: ReportData) -> str:
    """Return the headline scores."""
    scores = found.main.scores
    if scores is None:
        return '<p class="lead">The run had no test images, so there are no scores.</p>'
    tiles = [
        tile(percent(scores.mean_iou), "%", "mean IoU (intersection over union)", "first"),
        tile(percent(scores.iou_foreground), "%", "foreground IoU"),
        tile(percent(scores.mean_recall), "%", "mean recall (pixel accuracy in the paper)"),
        tile(percent(scores.break_even), "%", "precision = recall (break-even point)"),
        tile(str(scores.n_images), "", "test images"),
        tile(*_training_time(found), "run time, cached stages excluded"),
    ]
    return f'<div class="tiles">{"".join(tiles)}</div>'


def images(found: ReportData, key: str) -> str:
    """Return the cards of the worst, median and best test images."""
    text = (
        "Ranked by mean IoU. Move the slider from the image to the prediction to the ground truth, "
        "or press 1, 2 or 3."
    )
    if found.gone:
        text = escape(found.gone)
    if not found.images:
        return section(f"images-{key}", "Test images", text, "")
    control = (
        f'<div class="all"><label for="all-{key}">All images</label>'
        f'<input type="range" id="all-{key}" class="every" min="0" max="2" step="0.05" value="1">'
        '<label class="check"><input type="checkbox" class="show-errors" checked> highlight errors'
        "</label></div>"
    )
    colours = legend(
        [
            ("missed", "missed"),
            ("false", "false positive"),
            ("predicted", "predicted border"),
            ("true", "true border"),
        ]
    )
    scale = _scale(found.main.model.calibration is not None)
    columns = []
    for rank in RANKS:
        cards = [
            _card(s, f"{key}-{s.rank}-{i}", scale)
            for i, s in enumerate(found.images)
            if s.rank == rank
        ]
        if cards:
            columns.append(f'<div class="rank"><h3>{rank.capitalize()}</h3>{"".join(cards)}</div>')
    body = f'{control}{colours}<div class="ranks">{"".join(columns)}</div>'
    return section(f"images-{key}", "Test images", text, body)


def _card(shown: ShownImage, key: str, scale: str) -> str:
    pictures, name = shown.pictures, escape(shown.name)
    width, height = pictures.size
    scores, counts = image_scores(shown.counts), shown.counts
    taken = counts.true_positive + counts.false_positive
    precision = counts.true_positive / taken if taken else None
    layers = "".join(
        f'<img class="layer {kind}" alt="{text} of {name}" src="{source}" width="{width}" '
        f'height="{height}">'
        for kind, text, source in (
            ("prediction", "prediction", pictures.prediction),
            ("truth", "ground truth", pictures.truth),
            ("errors", "errors", pictures.errors),
        )
    )
    steps = "".join(
        f'<button type="button" data-step="{i}">{text}</button>' for i, text in enumerate(STEPS)
    )
    numbers = "".join(
        f"<dt>{label}</dt><dd>{value}</dd>"
        for label, value in (
            ("mean IoU", percent(scores.mean_iou)),
            ("foreground IoU", percent(scores.iou_foreground)),
            ("precision", percent(precision)),
            ("recall", percent(scores.recall_foreground)),
        )
    )
    return f"""<article class="card" aria-label="{name}">
<div class="stage" style="aspect-ratio: {width} / {height}">
<img alt="{name}" src="{pictures.image}" width="{width}" height="{height}">{layers}</div>
<input type="range" class="wipe" id="wipe-{key}" min="0" max="2" step="0.05" value="1"
 aria-label="{name}: image, prediction, ground truth" aria-valuetext="prediction">
<div class="steps">{steps}</div>
<div class="beside"><figure><img class="score" alt="score map of {name}" src="{pictures.score}"
 width="{width}" height="{height}"><figcaption>{scale}</figcaption></figure>
<div><h4>{name}</h4><dl>{numbers}</dl></div></div>
</article>"""


def _scale(is_probability: bool) -> str:
    """Return the caption of a score map: what its colours mean, with numbers."""
    name = "probability of foreground" if is_probability else "score, not calibrated"
    ends = ("0 %", "50 %", "100 %") if is_probability else ("low", "0", "high")
    marks = "".join(f"<span>{text}</span>" for text in ends)
    return f'{name}<span class="ends">{marks}</span>'


def curves(found: ReportData, key: str) -> str:
    """Return the charts: precision-recall, convergence, calibration and the choice of C."""
    parts = []
    if found.measured:
        lines = {TITLES[m]: measured.curve for m, measured in found.measured.items()}
        marks = [
            (colour, f"{name} {percent(curve.break_even)} %")
            for (name, curve), colour in zip(lines.items(), charts.COLOURS, strict=False)
        ]
        parts.append(
            panel(
                "Precision and recall",
                charts.precision_recall(lines) + legend(marks),
                "The dot marks the point where precision equals recall.",
            )
        )
    parts += _learning(found)
    if found.reliability is not None:
        parts.append(
            panel(
                "Calibration",
                charts.calibration_chart(found.reliability)
                + legend([("c1", "foreground fraction"), ("c3", "fraction of all pixels")]),
                "If the probabilities are well calibrated, the line follows the diagonal.",
            )
        )
    trials = found.main.document.get("validation") or []
    if len({t["C"] for t in trials}) > 1:
        chosen = found.main.document["C"], found.main.document["loss"]
        losses = list(dict.fromkeys(t["loss"] for t in trials))
        marks = [(c, f"loss over {x}") for x, c in zip(losses, charts.COLOURS, strict=False)]
        parts.append(
            panel(
                "Choice of C",
                charts.choice_chart(trials, chosen) + legend(marks),
                _choice(found.main.document["C"], [float(t["C"]) for t in trials]),
            )
        )
    if not parts:
        return ""
    return section(f"curves-{key}", "Curves", "", f'<div class="panels">{"".join(parts)}</div>')


def _choice(chosen: float, tried: Sequence[float]) -> str:
    """Return what the chart of C shows, with a hint where a wider grid may be better."""
    text = (
        f"The ring marks the chosen value, C = {chosen:g}. Scores are those of CRFs that were "
        "trained on a part of the training images and measured on the others. They differ from "
        "the test scores: other images, fewer to learn from, and the final model is trained on "
        "all of them."
    )
    if chosen in (min(tried), max(tried)):
        end, beyond = ("smallest", "smaller") if chosen == min(tried) else ("largest", "larger")
        text += f" It is the {end} value tried: {beyond} ones may be better (C_choices)."
    return text


def _learning(found: ReportData) -> list[str]:
    crf = found.main.model.crf
    if crf is None or not crf.history_:
        return []
    end: Any = crf.certificate_
    gap = getattr(end, "global_gap", end.gap)
    keys = [("c2", "objective: upper bound"), ("c1", "lower bound")]
    if hasattr(end, "global_gap"):
        keys.append(("c3", "lower bound, current weak learners only"))
    marks = legend(keys)
    text = (
        f"The optimum lies in the shaded band. After {len(crf.history_)} rounds it is at most "
        f"{100 * gap:.2g} % below the objective, or {100 * end.gap:.2g} % with only the weak "
        "learners chosen so far."
    )
    return [
        panel(
            "Convergence of training",
            charts.learning_curve(crf.history_) + marks,
            text,
        )
    ]


def by_image(found: ReportData, key: str) -> str:
    """Return the correct, missed and false positive pixels of every test image."""
    measured = found.measured.get(found.main.method)
    if measured is None:
        return ""
    bars, rows = [], []
    names = measured.ranked()
    for name in names:
        counts = measured.images[name]
        scores = image_scores(counts)
        tp, fp, fn = counts.true_positive, counts.false_positive, counts.false_negative
        union = max(1, tp + fp + fn)
        told = (
            f"{name}: foreground IoU {percent(scores.iou_foreground)} %, of the union "
            f"{percent(tp / union, 0)} % correct, {percent(fn / union, 0)} % missed, "
            f"{percent(fp / union, 0)} % false positive"
        )
        parts = "".join(
            f'<i class="{kind}" style="height:{100 * n / union:.1f}%"></i>'
            for kind, n in (("false", fp), ("missed", fn), ("found", tp))
        )
        bars.append(f'<span class="bar" data-told="{escape(told)}">{parts}</span>')
        cells = [f"{n:,}" for n in (tp, fn, fp, counts.true_negative)]
        rows.append(
            (escape(name), percent(scores.mean_iou), percent(scores.iou_foreground), *cells)
        )
    head = (
        "image",
        "mean IoU",
        "foreground IoU",
        "correct foreground",
        "missed",
        "false positive",
        "correct background",
    )
    body = (
        legend([("found", "correct"), ("missed", "missed"), ("false", "false positive")])
        + f'<div class="bars" tabindex="0" role="slider" aria-label="test images, worst first" '
        f'aria-valuemin="1" aria-valuemax="{len(bars)}" aria-valuenow="1">{"".join(bars)}</div>'
        + '<p class="told" aria-live="polite">Point at a column, or use the arrow keys.</p>'
        + f"<details><summary>Table of all {len(rows)} images, in pixels</summary>"
        + table(head, rows, "errors per image")
        + "</details>"
    )
    text = (
        "Each column is a test image, from worst to best. Its full height stands for all pixels "
        "that are foreground in the ground truth, the prediction or both; the blue part is the "
        "foreground IoU."
    )
    return section(f"by-image-{key}", "Errors per image", text, body)


def timings(found: ReportData, key: str) -> str:
    """Return the duration of every stage."""
    stages = [e for e in found.main.events if e.get("event") == "stage ends" and _is_timed(e)]
    if not stages:
        return ""
    longest = max(max(e["wall"], e["cpu"]) for e in stages) or 1.0
    rows = "".join(
        f'<li><span class="stage-name">{escape(str(e["stage"]))}</span>'
        f'<span class="track"><i class="c1" style="width:{100 * e["wall"] / longest:.2f}%"></i>'
        f'<i class="c3" style="width:{100 * e["cpu"] / longest:.2f}%"></i></span>'
        f'<span class="took">{seconds(e["wall"])}</span></li>'
        for e in stages
    )
    text = "Stages whose results were cached take almost no time."
    peaks = [e.get("peak_total_bytes") for e in stages]
    peak = max((p for p in peaks if isinstance(p, int)), default=0) / 2**30
    body = (
        legend([("c1", "elapsed time"), ("c3", "CPU time")])
        + f'<ul class="timings">{rows}</ul><p class="soft">Peak memory {peak:.2f} GB.</p>'
    )
    return section(f"time-{key}", "Timings", text, body)


def _is_timed(event: Mapping[str, Any]) -> bool:
    """Whether an event has its times; a log may have been edited."""
    times = event.get("wall"), event.get("cpu")
    return all(map(_is_time, times)) and ("stage" in event or event.get("event") == "end")


def _is_time(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 1e12


def configuration(found: ReportData, key: str) -> str:
    """Return settings, versions and notes."""
    run = found.main
    start = run.events[0] if run.events else {}
    parts = []
    notes = [escape(str(n)) for n in run.document.get("notes", ())]
    if notes:
        parts.append(f"<ul>{''.join(f'<li>{n}</li>' for n in notes)}</ul>")
    settings: Mapping[str, Any] = run.model.config.to_dict()
    parts.append(_details("Configuration", settings_table(settings, "settings"), True))
    if run.options:
        parts.append(_details("Command-line options", settings_table(run.options, "options")))
    facts = [start.get(name) for name in ("machine", "versions")]
    machine = {k: v for fact in facts if isinstance(fact, dict) for k, v in fact.items()}
    if machine:
        parts.append(_details("Machine and versions", settings_table(machine, "versions")))
    return section(f"settings-{key}", "Settings", "", "".join(parts))


def _details(title: str, body: str, is_open: bool = False) -> str:
    return (
        f"<details{' open' if is_open else ''}><summary>{escape(title)}</summary>{body}</details>"
    )


def _training_time(found: ReportData) -> tuple[str, str]:
    end = [e for e in found.main.events if e.get("event") == "end" and _is_timed(e)]
    if not end:
        return "–", ""
    value, unit = seconds(end[-1]["wall"]).split(" ", 1)
    return value, f" {unit}"
