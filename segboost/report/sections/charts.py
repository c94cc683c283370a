"""The charts of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from segboost._types import FloatArray
from segboost.baselines.cutting_plane import SVMStep
from segboost.pipelines.segmentation.metrics.precision_recall import PrecisionRecallCurve
from segboost.report.run_data.learned_functions import LearnedFunction
from segboost.report.sections.html_elements import percent
from segboost.report.sections.svg import Chart
from segboost.solver.steps import Step

COLOURS = ("c1", "c2", "c3", "c4")
MOST_POINTS = 300


def precision_recall(curves: Mapping[str, PrecisionRecallCurve]) -> str:
    """Return the precision-recall curve of every method, with a dot where the two are equal.

    Curves of images without foreground have no recall and are left out.
    """
    evens = {name: curve.break_even for name, curve in curves.items()}
    known = [even for even in evens.values() if np.isfinite(even)]
    low = 0.0 if min(known, default=0.0) < 0.55 else 0.4
    title = "Precision against recall. Precision = recall: " + ", ".join(
        f"{name} {percent(even)} %" for name, even in evens.items()
    )
    chart = Chart((0, 1), (low, 1.005), title)
    chart.line([low, 1], [low, 1], "line faint dashed")
    for (name, curve), colour in reversed(list(zip(curves.items(), COLOURS, strict=False))):
        if not np.isfinite(evens[name]):
            continue
        recall, precision = thin(curve.recall, curve.precision)
        chart.line(recall, precision, f"line {colour}")
        chart.dots([evens[name]], [evens[name]], f"dot {colour}", 5)
    return chart.axes("recall, %", "precision, %", percent=True).svg()


def thin(xs: FloatArray, ys: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return at most a few hundred points, spread evenly along the curve, ends included."""
    if len(xs) <= MOST_POINTS:
        return xs, ys
    length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(xs)) + np.abs(np.diff(ys)))])
    at = np.searchsorted(length, np.linspace(0, length[-1], MOST_POINTS))
    keep = np.unique(np.clip(at, 0, len(xs) - 1))
    return xs[keep], ys[keep]


def learning_curve(history: Sequence[Step] | Sequence[SVMStep]) -> str:
    """Return the upper and lower bounds of the objective per round; the optimum lies between.

    Rounds without finite bounds are left out; if there are no others, the result is empty.
    """
    rounds = np.arange(1, len(history) + 1)
    upper = np.array([step.objective for step in history])
    lower = np.array([getattr(s, "global_bound", s.lower_bound) for s in history])
    finite = np.isfinite(upper) & np.isfinite(lower)
    if not finite.any():
        return ""
    rounds, upper, lower = rounds[finite], upper[finite], np.maximum(lower[finite], 0)
    # The first rounds may be a thousand times higher than the interesting part.
    top = float(min(upper.max(), 4 * upper[-1])) * 1.05
    title = (
        f"Objective per round: upper bound {upper[-1]:.4g}, lower bound {lower[-1]:.4g} after "
        f"{len(history)} rounds"
    )
    chart = Chart((1, max(2, len(history))), (0, top), title)
    chart.band(rounds, lower, upper, "fill c1")
    if hasattr(history[0], "global_bound"):
        own = np.array([step.lower_bound for step in history])[finite]
        chart.line(rounds, np.maximum(own, 0), "line c3 dashed")
    chart.line(rounds, upper, "line c2").line(rounds, lower, "line c1")
    return chart.axes("rounds", "objective").svg()


def calibration_chart(bins: FloatArray) -> str:
    """Return the observed fraction by predicted probability, with a histogram of predictions."""
    mean, share, pixels = bins.T
    chart = Chart((0, 1), (0, 1), "Observed fraction by predicted probability")
    for m, p in zip(mean, pixels, strict=True):
        chart.bars([max(0.0, m - 0.03), min(1.0, m + 0.03)], [p], "fill c3")
    chart.line([0, 1], [0, 1], "line faint dashed")
    chart.line(mean, share, "line c1").dots(mean, share, "dot c1", 4)
    return chart.axes("predicted probability, %", "fraction, %", percent=True).svg()


def choice_chart(trials: Sequence[Mapping[str, Any]], chosen: tuple[Any, Any]) -> str:
    """Return the validation score of every C, one line per loss."""
    values = [t["mean_iou"] for t in trials if t["mean_iou"] is not None]
    span = max(values) - min(values) or 0.01
    C = sorted({float(t["C"]) for t in trials})
    at = {c: float(np.log10(c)) for c in C}
    ends = at[C[0]] - 0.2, at[C[-1]] + 0.2
    title = f"Mean IoU on validation images by C; chosen: C = {chosen[0]:g}, loss over {chosen[1]}"
    chart = Chart(ends, (min(values) - 0.15 * span, max(values) + 0.15 * span), title)
    losses = list(dict.fromkeys(t["loss"] for t in trials))
    for loss, colour in zip(losses, COLOURS, strict=False):
        own = sorted((float(t["C"]), t["mean_iou"]) for t in trials if t["loss"] == loss)
        own = [(c, v) for c, v in own if v is not None]
        chart.line([at[c] for c, _ in own], [v for _, v in own], f"line {colour}")
        chart.dots([at[c] for c, _ in own], [v for _, v in own], f"dot {colour}", 3.5)
    for t in trials:
        if (t["C"], t["loss"]) == chosen and t["mean_iou"] is not None:
            chart.dots([at[float(t["C"])]], [t["mean_iou"]], "ring", 8)
    ticks, names = [at[c] for c in C], [f"{c:g}" for c in C]
    return chart.axes("C", "mean IoU, %", ticks, x_names=names, percent=True, n_ticks=4).svg()


def function_chart(
    function: LearnedFunction,
    values: Mapping[str, FloatArray],
    top: float,
    signed: bool,
) -> str:
    """Return the learned function of one potential over its typical values.

    Parameters
    ----------
    function : LearnedFunction
    values : mapping of kind to ndarray
        Values in the shown images by true label, drawn as two faint histograms. May be empty.
    top : float
        The largest contribution of all potentials, so that charts share their scale.
    signed : bool
        Whether contributions can be negative.
    """
    ends = value_range(function, values)
    x = np.unique(np.concatenate([np.linspace(*ends, 121), _corners(function, ends)]))
    y = function.of(x)
    bottom = -top if signed else 0.0
    title = (
        f"{function.name}: from {y[0]:.3g} at {x[0]:.3g} to {y[-1]:.3g} at {x[-1]:.3g}, "
        f"weight {function.weight:.3g}"
    )
    chart = Chart(ends, (bottom, top), title, (240, 150), (34, 8, 8, 22))
    edges = np.linspace(*ends, 25)
    for kind, found in values.items():
        counts = np.histogram(np.clip(found, *ends), edges)[0]
        if counts.sum():
            share = counts / counts.max() * 0.55
            chart.bars(edges, bottom + share * (top - bottom), f"fill {kind}")
    if signed:
        chart.line(ends, [0, 0], "line faint")
    chart.line(x, y, "line strong")
    return chart.axes(n_ticks=4).svg()


def value_range(function: LearnedFunction, values: Mapping[str, FloatArray]) -> tuple[float, float]:
    """Return the range over which a function is drawn: the bulk of the observed values."""
    found = np.concatenate([*values.values(), np.zeros(0)])
    if not found.size:
        return function.reach
    low, high = np.quantile(found, [0.005, 0.995])
    return (float(low), float(high)) if high > low else function.reach


def _corners(function: LearnedFunction, ends: tuple[float, float]) -> FloatArray:
    """Return points just beside the ends of the function's range, within the drawn range."""
    tiny = 1e-6 * (ends[1] - ends[0])
    corners = np.array([k + s for k in function.reach for s in (-tiny, tiny)])
    return corners[(corners >= ends[0]) & (corners <= ends[1])]
