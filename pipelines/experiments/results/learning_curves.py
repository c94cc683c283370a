"""Learning curves as PNG and SVG; the same numbers give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from segboost._types import FloatArray
from segboost.storage.whole_file import write_whole

SIZE = (3.6, 2.9)
"""Width and height of a panel in inches."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes with its curves.

    Parameters
    ----------
    title, y_label : str
    lines : mapping of legend to ndarray
        Values after 1, 2, … rounds.
    levels : mapping of legend to float
        Horizontal lines for methods without rounds.
    logarithmic : bool
        Whether the y axis is logarithmic.
    rising : bool
        Whether the values increase; the legend is then placed at the bottom.
    """

    title: str
    y_label: str
    lines: Mapping[str, FloatArray]
    levels: Mapping[str, float] = field(default_factory=dict)
    logarithmic: bool = False
    rising: bool = False


def draw_panels(panels: Sequence[Panel], path: Path, n_columns: int = 3) -> list[Path]:
    """Draw a grid of panels into ``path.png`` and ``path.svg``.

    Parameters
    ----------
    panels : sequence of Panel
    path : Path
        Path without a suffix; both files are written atomically.
    n_columns : int

    Returns
    -------
    list of Path
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    n_columns = min(n_columns, len(panels))
    n_rows = -(-len(panels) // n_columns)
    # A fixed salt makes the ids inside the SVG the same in every run; text stays text.
    with matplotlib.rc_context({"svg.hashsalt": "segboost", "svg.fonttype": "none"}):
        figure = Figure(figsize=(SIZE[0] * n_columns, SIZE[1] * n_rows), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for ax, panel in zip(axes, panels, strict=False):
            _draw(ax, panel)
        for ax in axes[len(panels) :]:
            ax.set_axis_off()
        # No date and no version: the file must depend on the numbers alone.
        return [
            _write(figure, path, "png", {"Software": None}),
            _write(figure, path, "svg", {"Date": None, "Creator": None}),
        ]


def _draw(ax: Any, panel: Panel) -> None:
    for i, (name, values) in enumerate(panel.lines.items()):
        ax.plot(np.arange(1, len(values) + 1), values, label=name, color=f"C{i}", linewidth=1.2)
    for i, (name, level) in enumerate(panel.levels.items()):
        style = ("--", ":", "-.")[i % 3]
        ax.axhline(level, label=name, color="0.4", linestyle=style, linewidth=1.0)
    ax.set_title(panel.title, fontsize=9)
    ax.set_xlabel("iterations", fontsize=8)
    ax.set_ylabel(panel.y_label, fontsize=8)
    ax.set_xscale("log")
    if panel.logarithmic:
        ax.set_yscale("log")
        low, high = ax.get_ylim()
        ax.set_ylim(top=high * (high / low) ** 0.35)  # room for the legend
    ax.tick_params(which="both", labelsize=7)
    if panel.lines or panel.levels:
        # Errors fall and the AUC rises, which leaves this corner free; "best" is slow.
        ax.legend(fontsize=6, loc="lower right" if panel.rising else "upper right")


def _write(figure: Any, path: Path, ending: str, metadata: Mapping[str, Any]) -> Path:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=ending, dpi=130, metadata=metadata)
    return write_whole(path.with_name(f"{path.name}.{ending}"), buffer.getvalue())
