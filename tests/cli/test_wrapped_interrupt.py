"""A KeyboardInterrupt that compiled code wraps in a SystemError still counts as Ctrl-C."""

from __future__ import annotations

import numpy as np
import pytest

from segboost._interrupt import is_interrupt
from segboost.cli import main as cli
from segboost.pipelines.batch.image_result import segment_image
from segboost.pipelines.runtime.run_log import RunLog, read_run_log
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig


def wrapped_interrupt():
    error = SystemError("returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    return error


class InterruptedModel:
    """A model that is interrupted while it segments."""

    config = SegmentationConfig()

    def predict(self, image, name):
        raise wrapped_interrupt()


class BrokenModel:
    config = SegmentationConfig()

    def predict(self, image, name):
        raise SystemError("something else") from ValueError("broken")


def test_a_command_ends_as_interrupted(monkeypatch, capsys):
    def fail(*arguments, **options):
        raise wrapped_interrupt()

    monkeypatch.setattr(cli.typer.main, "get_command", lambda app: cli.app)
    monkeypatch.setattr(cli, "attach_examples", lambda command: type("C", (), {"main": fail})())
    assert cli.run([]) == 130
    assert capsys.readouterr().err == "segboost: interrupted\n"


def test_a_batch_stops_instead_of_reporting_the_image_as_failed():
    image = np.zeros((4, 4, 3), np.uint8)
    with pytest.raises(KeyboardInterrupt):
        segment_image(InterruptedModel(), "a.png", lambda: image, frozenset())
    assert segment_image(BrokenModel(), "a.png", lambda: image, frozenset()).result.failed


def test_the_log_says_interrupted(tmp_path):
    path = tmp_path / "run.jsonl"
    with pytest.raises(SystemError), RunLog(path, {}):
        raise wrapped_interrupt()
    assert read_run_log(path)[-1]["status"] == "interrupted"


def test_other_errors_are_not_interrupts():
    assert is_interrupt(KeyboardInterrupt())
    assert not is_interrupt(None)
    assert not is_interrupt(SystemError())
