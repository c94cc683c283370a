"""The demonstration's pictures, each for light and for dark pages."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from segboost.pipelines.demo_classes import DigitsDemo
from segboost.pipelines.demo_compare import Comparison
from segboost.pipelines.demo_ranking import RankingDemo

Picture = dict[str, bytes]
"""Theme to PNG."""
Place = Literal["best", "lower right", "lower left", "upper left"]


@dataclass(frozen=True)
class Theme:
    """The colours of a picture."""

    name: str
    ground: str
    ink: str
    faint: str
    first: str
    second: str
    third: str


THEMES = (
    Theme("light", "#ffffff", "#22262b", "#d5d9de", "#1f6fb4", "#d9701e", "#6b7580"),
    Theme("dark", "#1b1f24", "#e3e7eb", "#3a424b", "#6cb2f0", "#f2a65a", "#9aa5b1"),
)


def draw_scenes(found: Comparison) -> Picture:
    """Return precision and recall of the labellers, and how true the probabilities are."""
    return _both(lambda theme: _scenes_figure(found, theme))


def draw_digits(demo: DigitsDemo) -> Picture:
    """Return the test error by rounds and the bounds that close on the optimum."""
    return _both(lambda theme: _digits_figure(demo, theme))


def draw_ranking(demo: RankingDemo) -> Picture:
    """Return the AUC of every split, both methods joined by a line."""
    return _both(lambda theme: _ranking_figure(demo, theme))


def _scenes_figure(found: Comparison, theme: Theme) -> Figure:
    figure = Figure(figsize=(11.5, 4.3), facecolor=theme.ground)
    left, right = figure.subplots(1, 2)
    colours = (theme.third, theme.second, theme.first)
    for (name, curve), colour in zip(found.curves.items(), colours, strict=True):
        even = curve.break_even
        left.plot(curve.recall, curve.precision, color=colour, lw=2, label=f"{name}: {even:.1%}")
        left.plot([even], [even], "o", color=colour, ms=6)
    left.plot([0, 1], [0, 1], color=theme.third, lw=0.8, ls=":")
    left.set(xlim=(0, 1.01), ylim=(0, 1.02), xlabel="recall", ylabel="precision")
    left.set_title("Dots: precision = recall")
    mean, share, pixels = found.reliability.T
    right.plot([0, 1], [0, 1], color=theme.third, lw=0.8, ls=":")
    right.plot(mean, share, "o-", color=theme.first, lw=2, ms=5, label="foreground among pixels")
    right.bar(mean, pixels, width=0.05, color=theme.first, alpha=0.3, label="share of all pixels")
    right.set(xlim=(0, 1.01), ylim=(0, 1.02), xlabel="probability", ylabel="share")
    right.set_title("Calibrated: the line follows the diagonal")
    _dress(left, theme, place="lower left")
    _dress(right, theme, place="upper left")
    figure.tight_layout(pad=0.8)
    return figure


def _digits_figure(demo: DigitsDemo, theme: Theme) -> Figure:
    figure = Figure(figsize=(11.5, 4.0), facecolor=theme.ground)
    left, right = figure.subplots(1, 2)
    colours = (theme.first, theme.second)
    for curve, colour in zip(demo.curves, colours, strict=True):
        percent = 100 * np.array(curve.errors)
        label = f"StructBoost, {curve.weak_learner}s: {percent[-1]:.1f} %"
        left.plot(np.arange(1, len(percent) + 1), percent, color=colour, lw=2, label=label)
    reference = 100 * demo.reference
    note = f"AdaBoost.MH, 200 stumps: {reference:.1f} %"
    left.axhline(reference, color=theme.third, lw=1.2, ls="--", label=note)
    left.set(xlabel="rounds", ylabel="test error, %", ylim=(0, 40), title="Error on new digits")
    stumps = demo.curves[-1]
    rounds = np.arange(1, stumps.rounds + 1)
    upper = np.array([s.objective for s in stumps.history])
    lower = np.array([s.global_bound for s in stumps.history])
    right.fill_between(rounds, lower, upper, color=theme.second, alpha=0.18, lw=0)
    right.plot(rounds, upper, color=theme.second, lw=2, label="objective: upper bound")
    right.plot(rounds, lower, color=theme.first, lw=2, label="lower bound over all stumps")
    right.set(xlabel="rounds", ylabel="objective", title="The optimum lies in the shaded band")
    right.set_ylim(0, None)
    for ax in (left, right):
        _dress(ax, theme)
    figure.tight_layout(pad=0.8)
    return figure


def _ranking_figure(demo: RankingDemo, theme: Theme) -> Figure:
    figure = Figure(figsize=(11.5, 3.0), facecolor=theme.ground)
    ax = figure.subplots()
    order = np.argsort(demo.auc["StructBoostRanker"])
    place = np.arange(1, len(order) + 1)
    pairs = zip(demo.auc.items(), (theme.first, theme.second), "os", strict=True)
    for (name, values), colour, marker in pairs:
        label = f"{name}: mean {demo.mean(name):.3f}, {np.mean(demo.learners[name]):.0f} stumps"
        ax.plot(place, np.array(values)[order], marker, color=colour, ms=8, label=label, zorder=3)
    first, second = (np.array(values)[order] for values in demo.auc.values())
    ax.vlines(place, first, second, color=theme.third, lw=1.2)
    ax.set(xlabel="split, from the ranker's worst to its best", ylabel="AUC on new cases")
    ax.set_xticks(place)
    _dress(ax, theme, place="lower right")
    figure.tight_layout(pad=0.8)
    return figure


def _dress(ax: Axes, theme: Theme, place: Place = "best") -> None:
    """Give axes, text and legend the colours of the theme."""
    ax.set_facecolor(theme.ground)
    ax.grid(color=theme.faint, lw=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(colors=theme.ink)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(theme.third)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_color(theme.ink)
    legend = ax.legend(frameon=False, labelcolor=theme.ink, loc=place)
    legend.set_zorder(4)


def _both(draw: Callable[[Theme], Figure]) -> Picture:
    return {theme.name: _png(draw(theme)) for theme in THEMES}


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    options: dict[str, Any] = {"format": "png", "dpi": 130, "metadata": {"Software": None}}
    figure.savefig(buffer, **options)
    return buffer.getvalue()
