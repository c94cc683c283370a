"""Reports of stages, and their display on a terminal."""

import io
import re
import threading

import numpy as np
import pytest

from segboost import CRFInstance, CRFStructBoost
from segboost.baselines import CRFStructuredSVM
from segboost.cli.display.progress import RichProgress
from segboost.progress import (
    Progress,
    QuietProgress,
    Report,
    step_reporter,
    track,
)

COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-8]|4[0-8]|9[0-7])[0-9;]*m")


class Terminal(io.StringIO):
    def isatty(self):
        return True

    def text(self):
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.getvalue())


@pytest.fixture(autouse=True)
def a_terminal(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "JPY_PARENT_PID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "140")


def last_line(terminal, stage):
    return [line for line in re.split(r"[\r\n]+", terminal.text()) if line.startswith(stage)][-1]


def test_details():
    assert Report("crf", 1).details() == ""
    assert Report("crf", 1, message="cached").details() == "cached"
    assert Report("crf", 1, objective=1234.567).details() == "objective 1234.6"
    assert Report("crf", 1, gap=0.5).details() == "gap 50%"


def test_tracking_reports_every_item_and_the_end():
    reports = []
    assert list(track("abc", reports.append, "features")) == ["a", "b", "c"]
    assert [(r.done, r.total, r.finished) for r in reports] == [
        (0, 3, False), (1, 3, False), (2, 3, False), (3, 3, False), (3, 3, True),
    ]  # fmt: skip


def test_tracking_without_a_total_and_with_a_failure():
    reports = []
    list(track(iter("ab"), reports.append, "features"))
    assert {r.total for r in reports} == {None}
    reports.clear()

    def broken():
        yield 1
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011
        list(track(broken(), reports.append, "features", total=5))
    assert reports[-1] == Report("features", 1, 5, finished=True)


def test_an_item_counts_when_its_work_is_done():
    reports = []
    items = track([1, 2], reports.append, "features")
    next(items)
    assert reports[-1].done == 0
    next(items)
    assert reports[-1].done == 1


def graphs():
    rng = np.random.default_rng(0)
    edges = np.column_stack([np.arange(5), np.arange(1, 6)])
    for _ in range(3):
        labels = rng.integers(0, 2, 6)
        unary = rng.normal(size=(6, 2)) + (1 - 2 * labels)[:, None]
        yield CRFInstance(unary, edges, rng.random((5, 1)), labels)


@pytest.mark.parametrize("estimator", [CRFStructBoost(n_iterations=4), CRFStructuredSVM(gap=0.05)])
def test_learning_reports_objective_and_gap_of_every_round(estimator):
    reports = []
    estimator.set_params(callback=step_reporter(reports.append, "crf", 4, "C = 1"))
    estimator.fit(list(graphs()))
    assert [(r.objective, r.gap) for r in reports] == [
        (s.objective, s.gap) for s in estimator.history_
    ]
    assert [r.done for r in reports] == list(range(1, len(reports) + 1))
    assert {(r.stage, r.total, r.message) for r in reports} == {("crf", 4, "C = 1")}


def test_quiet_progress_prints_nothing(capfd):
    progress: Progress = QuietProgress()
    assert list(track([1, 2], progress, "features")) == [1, 2]
    assert capfd.readouterr() == ("", "")


def test_the_display_has_a_line_for_every_stage():
    terminal = Terminal()
    with RichProgress(terminal) as progress:
        progress(Report("superpixels", 1, 7))
        progress(Report("superpixels", 7, 7, finished=True))
        progress(Report("crf", 2, 50, "C = 10", objective=2.5, gap=0.013))
    assert "7/7" in last_line(terminal, "superpixels")
    line = last_line(terminal, "crf")
    assert "2/50" in line
    assert "C = 10, objective 2.5, gap 1.3%" in line


def test_a_stage_that_ends_early_is_shown_as_complete():
    terminal = Terminal()
    with RichProgress(terminal) as progress:
        progress(Report("crf", 3, 50))
        progress(Report("crf", 3, 50, finished=True))
        assert progress._display.finished
    assert "3/3" in last_line(terminal, "crf")


def test_text_with_brackets_is_shown_literally():
    terminal = Terminal()
    with RichProgress(terminal) as progress:
        progress(Report("words", 1, 2, "[bold]file[0].png :smile:"))
    assert "[bold]file[0].png :smile:" in last_line(terminal, "words")


@pytest.mark.parametrize("variable", ["", "FORCE_COLOR"])
def test_quiet_without_a_terminal(variable, monkeypatch, capfd):
    if variable:
        monkeypatch.setenv(variable, "1")
    stream = io.StringIO()
    for progress in (RichProgress(stream), RichProgress(), RichProgress(Terminal(), quiet=True)):
        with progress:
            progress(Report("features", 1, 2))
            progress(Report("features", 2, 2, finished=True))
    assert stream.getvalue() == ""
    assert capfd.readouterr() == ("", "")


def test_quiet_on_a_terminal_that_cannot_move_its_cursor(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal()
    with RichProgress(terminal) as progress:
        progress(Report("features", 1, 2))
    assert terminal.getvalue() == ""


def test_no_color(monkeypatch):
    def shown():
        terminal = Terminal()
        with RichProgress(terminal) as progress:
            progress(Report("features", 1, 2))
        return terminal

    assert COLOUR.search(shown().getvalue())
    monkeypatch.setenv("NO_COLOR", "1")
    plain = shown()
    assert not COLOUR.search(plain.getvalue())
    assert "1/2" in last_line(plain, "features")


def test_many_threads_share_one_line_per_stage():
    terminal = Terminal()
    with RichProgress(terminal) as progress:
        threads = [
            threading.Thread(target=progress, args=(Report(f"stage{k % 2}", k, 20),))
            for k in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(progress._display.tasks) == 2
