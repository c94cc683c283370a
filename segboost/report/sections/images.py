"""The sections of the report that show the test images: their cards and their errors."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from segboost.report.run_data.measurements import RANKS, image_scores
from segboost.report.run_data.pictures import Pictures
from segboost.report.run_data.report_data import ReportData, ShownImage
from segboost.report.sections.html_elements import legend, percent, section, table

STEPS = ("image", "prediction", "ground truth")


def images(found: ReportData, key: str) -> str:
    """Return the cards of the worst, median and best test images."""
    text = (
        "Ranked by mean IoU. Move the slider from the image to the prediction to the ground truth, "
        "or press 1, 2 or 3."
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
    cards = [
        (s.rank, _binary_card(s, f"{key}-{s.rank}-{i}", scale)) for i, s in enumerate(found.images)
    ]
    return ranked_images(key, found.missing_reason, text, "highlight errors", colours, cards)


def ranked_images(
    key: str,
    missing_reason: str,
    text: str,
    errors: str,
    colours: str,
    cards: Sequence[tuple[str, str]],
) -> str:
    """Return the section of the test images: their cards by rank, below one slider for all.

    Parameters
    ----------
    key : str
        Unique in the page.
    missing_reason : str
        Why images are missing; shown in place of the text.
    text : str
    errors : str
        Label of the check box that shows errors.
    colours : str
        The legend.
    cards : sequence of (str, str)
        Rank and card of every image.
    """
    text = escape(missing_reason) if missing_reason else text
    if not cards:
        return section(f"images-{key}", "Test images", text, "")
    control = (
        f'<div class="all"><label for="all-{key}">All images</label>'
        f'<input type="range" id="all-{key}" class="every" min="0" max="2" step="0.05" value="1">'
        f'<label class="check"><input type="checkbox" class="show-errors" checked> {errors}'
        "</label></div>"
    )
    columns = []
    for rank in RANKS:
        ranked = "".join(card for of, card in cards if of == rank)
        if ranked:
            columns.append(f'<div class="rank"><h3>{rank.capitalize()}</h3>{ranked}</div>')
    body = f'{control}{colours}<div class="ranks">{"".join(columns)}</div>'
    return section(f"images-{key}", "Test images", text, body)


def _binary_card(shown: ShownImage, key: str, scale: str) -> str:
    scores, counts = image_scores(shown.counts), shown.counts
    taken = counts.true_positive + counts.false_positive
    precision = counts.true_positive / taken if taken else None
    numbers = [
        ("mean IoU", percent(scores.mean_iou)),
        ("foreground IoU", percent(scores.iou_foreground)),
        ("precision", percent(precision)),
        ("recall", percent(scores.recall_foreground)),
    ]
    return card(shown.name, shown.pictures, numbers, key, scale)


def card(
    image: str, pictures: Pictures, facts: Sequence[tuple[str, str]], key: str, scale: str
) -> str:
    """Return the card of a test image: its layers with a slider, its score map and its numbers."""
    name = escape(image)
    width, height = pictures.size
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
    numbers = "".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in facts)
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
    """Return the caption of a score map: the meaning and the range of its colours."""
    name = "probability of foreground" if is_probability else "score, not calibrated"
    ends = ("0 %", "50 %", "100 %") if is_probability else ("low", "0", "high")
    marks = "".join(f"<span>{text}</span>" for text in ends)
    return f'{name}<span class="ends">{marks}</span>'


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
