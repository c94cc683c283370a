"""Every warning is printed once, as one plain line."""

from __future__ import annotations

import inspect
import logging
import warnings

import pytest
import typer
from sklearn.exceptions import ConvergenceWarning

from segboost.cli import main
from segboost.cli.display.warning_lines import HARMLESS, plain_warnings


def test_one_line_per_message_without_location_or_source(capsys):
    with plain_warnings(), warnings.catch_warnings():
        warnings.simplefilter("always")
        for _ in range(3):
            warnings.warn("C=1 is\n  small", ConvergenceWarning, stacklevel=1)
        logging.getLogger("segboost.pipelines").warning("no image has %r", "sky")
        logging.getLogger("segboost.pipelines").warning("C=1 is small")
        logging.getLogger("segboost").info("round 1")
    captured = capsys.readouterr()
    lines = ["segboost: warning: C=1 is small", "segboost: warning: no image has 'sky'"]
    assert captured.err.splitlines() == lines
    assert captured.out == ""


def test_replaced_workers_are_not_mentioned(capsys):
    from joblib.externals.loky import process_executor

    source = inspect.getsource(process_executor)
    # joblib still uses this wording.
    assert HARMLESS[0] in " ".join(source.replace('"', "").split())
    with plain_warnings(), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"{HARMLESS[0]}. This can be caused by a leak.", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == ""


def test_filters_still_apply(capsys):
    with plain_warnings(), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.warn("kept", UserWarning, stacklevel=1)
    assert [str(w.message) for w in caught] == ["kept"]
    assert capsys.readouterr().err == ""


def test_handlers_are_restored():
    show, handlers = warnings.showwarning, list(logging.getLogger("segboost").handlers)
    with pytest.raises(KeyError), plain_warnings():
        raise KeyError
    assert warnings.showwarning is show
    assert logging.getLogger("segboost").handlers == handlers


def test_the_command_line_prints_plain_warnings(capsys, monkeypatch):
    app = typer.Typer()

    @app.command()
    def work() -> None:
        warnings.warn("doubtful", UserWarning, stacklevel=1)

    monkeypatch.setattr(main, "app", app)
    monkeypatch.setattr(main, "attach_examples", lambda command: command)
    assert main.run([]) == 0
    assert capsys.readouterr().err == "segboost: warning: doubtful\n"
