"""Charts of values that are missing or not finite."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from segboost.baselines.cutting_plane import SVMStep
from segboost.pipelines.segmentation.metrics.precision_recall import PrecisionRecallCurve
from segboost.report.sections.charts import learning_curve, precision_recall
from segboost.report.sections.scores import convergence_panel


def curve(n_foreground):
    counts = np.array([1, 2, 4])
    true = np.minimum(counts, n_foreground)
    return PrecisionRecallCurve(np.array([3.0, 2.0, 1.0]), true, counts, n_foreground)


def steps(*bounds):
    return [SVMStep(upper, lower, 1.0, 1, 0.0) for upper, lower in bounds]


def test_a_curve_without_foreground_is_left_out():
    chart = precision_recall({"one": curve(2), "none": curve(0)})
    assert "nan" not in chart
    assert "one 100.0 %, none – %" in chart
    assert chart.count("<circle") == 1
    assert chart.count('class="line c1"') == 1
    assert 'class="line c2"' not in chart


def test_rounds_without_finite_bounds_are_left_out():
    chart = learning_curve(steps((np.inf, 0.0), (8.0, 2.0), (6.0, 4.0)))
    assert "upper bound 6, lower bound 4 after 3 rounds" in chart
    assert "nan" not in chart
    assert "inf" not in chart


@pytest.mark.parametrize("history", [[], steps((np.inf, 0.0), (np.nan, 1.0), (5.0, -np.inf))])
def test_without_finite_bounds_there_is_no_chart_of_convergence(history):
    assert learning_curve(history) == ""
    run = SimpleNamespace(model=SimpleNamespace(crf=SimpleNamespace(history_=history)))
    assert convergence_panel(run) == []
