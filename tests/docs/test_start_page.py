"""docs/start.md shows the figures of the demo."""

from __future__ import annotations

import pytest

from segboost.report.demo import METHODS, SceneSizes, run_demo
from tests.docs.start_page import PAGE, DemoFigures, parse, read_demo, replace_figures


def test_the_page_is_what_the_generator_writes():
    page = PAGE.read_text()
    figures = parse(page)
    assert replace_figures(page, figures) == page
    assert (figures.n_train, figures.n_test) == (SceneSizes.n_train, SceneSizes.n_test)
    assert tuple(figures.mean_iou) == METHODS


def test_new_figures_replace_old_ones():
    other = DemoFigures(1, 2, dict.fromkeys(METHODS, 12.5))
    page = replace_figures(PAGE.read_text(), other)
    assert parse(page) == other
    assert replace_figures(page, parse(PAGE.read_text())) == PAGE.read_text()


def test_a_page_without_markers_is_refused():
    with pytest.raises(ValueError, match="lacks the markers"):
        replace_figures("# Start", parse(PAGE.read_text()))


@pytest.mark.slow
def test_the_page_shows_the_demo_of_this_version(tmp_path):
    """Other processors may round differently, which can move a figure by a little."""
    run_demo(tmp_path, n_jobs=2)
    measured, shown = read_demo(tmp_path), parse(PAGE.read_text())
    assert (measured.n_train, measured.n_test) == (shown.n_train, shown.n_test)
    assert measured.mean_iou == pytest.approx(shown.mean_iou, abs=0.5)
