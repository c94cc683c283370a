"""The sections of the report that show scores and curves of one data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from segboost.pipelines.segmentation.metrics.scores import SegmentationScores
from segboost.report.run_data.load_runs import Run
from segboost.report.run_data.report_data import ReportData
from segboost.report.sections import charts
from segboost.report.sections.html_elements import legend, panel, percent, section, tile
from segboost.report.sections.run import training_time

TITLES = {
    "structboost": "StructBoost",
    "ssvm": "structured SVM",
    "trees": "boosted trees without a CRF",
    "adaboost": "AdaBoost on visual words",
    "svm": "SVM on visual words",
}


def headline(found: ReportData) -> str:
    """Return the headline scores."""
    scores = found.main.scores
    if not isinstance(scores, SegmentationScores):
        return '<p class="lead">The run had no test images, so there are no scores.</p>'
    tiles = [
        tile(percent(scores.mean_iou), "%", "mean IoU (intersection over union)", "first"),
        tile(percent(scores.iou_foreground), "%", "foreground IoU"),
        tile(percent(scores.mean_recall), "%", "mean recall (pixel accuracy in the paper)"),
        tile(percent(scores.break_even), "%", "precision = recall (break-even point)"),
        tile(str(scores.n_images), "", "test images"),
        tile(*training_time(found.main), "run time, cached stages excluded"),
    ]
    return f'<div class="tiles">{"".join(tiles)}</div>'


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
    parts += convergence_panel(found.main)
    if found.reliability is not None:
        parts.append(
            panel(
                "Calibration",
                charts.calibration_chart(found.reliability)
                + legend([("c1", "foreground fraction"), ("c3", "fraction of all pixels")]),
                "If the probabilities are well calibrated, the line follows the diagonal.",
            )
        )
    parts += choice_panel(found.main)
    if not parts:
        return ""
    return section(f"curves-{key}", "Curves", "", f'<div class="panels">{"".join(parts)}</div>')


def choice_panel(run: Run) -> list[str]:
    """Return the chart of the values of C that were tried, if there were several."""
    trials = run.document.get("validation") or []
    if len({t["C"] for t in trials}) < 2:
        return []
    chosen = run.document["C"], run.document["loss"]
    losses = list(dict.fromkeys(t["loss"] for t in trials))
    marks = [(c, f"loss over {x}") for x, c in zip(losses, charts.COLOURS, strict=False)]
    text = _choice(run.document["C"], [float(t["C"]) for t in trials])
    return [panel("Choice of C", charts.choice_chart(trials, chosen) + legend(marks), text)]


def _choice(chosen: float, tried: Sequence[float]) -> str:
    """Return the caption of the chart of C, with a hint if a wider grid may be better."""
    text = (
        f"The ring marks the chosen value, C = {chosen:g}. Scores are those of CRFs that were "
        "trained on part of the training images and evaluated on the rest. They differ from the "
        "test scores because the images differ, and because the final model is trained on all "
        "training images."
    )
    if chosen in (min(tried), max(tried)):
        end, beyond = ("smallest", "smaller") if chosen == min(tried) else ("largest", "larger")
        text += f" It is the {end} value tried: {beyond} ones may be better (setting C_choices)."
    return text


def convergence_panel(run: Run) -> list[str]:
    """Return the chart of the objective per round; an empty list without a CRF or bounds."""
    crf = run.model.crf
    if crf is None or not (chart := charts.learning_curve(crf.history_)):
        return []
    end: Any = crf.certificate_
    gap = getattr(end, "global_gap", end.gap)
    keys = [("c2", "objective: upper bound"), ("c1", "lower bound")]
    if hasattr(end, "global_gap"):
        keys.append(("c3", "lower bound, current weak learners only"))
    marks = legend(keys)
    text = _proved(len(crf.history_), gap, end.gap) if end.exact else _estimated(gap, end.gap, run)
    return [
        panel(
            "Convergence of training",
            chart + marks,
            text,
        )
    ]


def _proved(n_rounds: int, gap: float, of_columns: float) -> str:
    """Return the caption for bounds that are proofs."""
    return (
        f"The optimum lies in the shaded band. After {n_rounds} rounds it is at most "
        f"{100 * gap:.2g} % below the objective, or {100 * of_columns:.2g} % with only the weak "
        "learners chosen so far."
    )


def _estimated(gap: float, of_columns: float, run: Run) -> str:
    """Return the caption for estimates: violated constraints or weak learners may be missed."""
    several = run.model.n_classes > 2
    what = "inference with more than two classes" if several else "the search for weak learners"
    return (
        f"The gap between the bounds is {100 * gap:.2g} %, or {100 * of_columns:.2g} % with only "
        f"the weak learners chosen so far. This is an estimate, not a proof: {what} is "
        "approximate, so the true objective may be higher than the upper curve."
    )
