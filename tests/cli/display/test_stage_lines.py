"""Stage lines of a run, printed to files and pipes."""

from __future__ import annotations

import io

from segboost.cli.display import progress
from segboost.cli.display.progress import TrainingProgress
from segboost.progress import Report


def run_twice(shown):
    """Report two models that have a stage of the same name."""
    for _ in range(2):
        shown(Report("features", 0, 3))
        shown(Report("features", 1, 3, finished=True))  # cut short by an error
        shown(Report("features", 3, 3, finished=True))


def test_every_model_has_its_own_times(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    lines = progress.StageLines(stream := io.StringIO())
    for _ in range(2):
        lines(Report("features", 0, 3))
        now[0] += 9
        lines(Report("features", 3, 3, finished=True))
    assert stream.getvalue() == "features: 3 of 3, 9 s\n" * 2


def test_lines_go_to_the_stream_that_is_not_a_terminal(capsys):
    stream = io.StringIO()
    with TrainingProgress(stream) as shown:
        run_twice(shown)
    assert stream.getvalue() == "features: 3 of 3, 0 s\n" * 2
    assert capsys.readouterr() == ("", "")  # neither bars nor lines
    with TrainingProgress() as shown:
        run_twice(shown)
    assert capsys.readouterr().out == "features: 3 of 3, 0 s\n" * 2


def test_a_terminal_gets_no_lines():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    with TrainingProgress(stream := Terminal()) as shown:
        run_twice(shown)
    assert stream.getvalue() == ""
