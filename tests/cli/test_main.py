from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from segboost import __version__
from segboost.cli.main import run

SEGBOOST = [sys.executable, "-c", "from segboost.cli.main import main; main()"]
HEAVY = ("numpy", "scipy", "sklearn", "numba", "highspy", "maxflow", "matplotlib", "skimage", "PIL")


def test_building_the_app_imports_nothing_heavy():
    code = (
        "import sys, typer; from segboost.cli.main import app; typer.main.get_command(app);"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_is_fast():
    command = [*SEGBOOST, "--help"]
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds.append(time.perf_counter() - start)
    assert "demo" in done.stdout
    assert "features" in done.stdout
    # The fastest run counts, as the machine may be busy.
    assert min(seconds) < 0.5


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"segboost {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["demo", "--ouput", "x"], "--output"),
        (["dmeo"], "'demo'"),
        (["demo", "--seed", "-1"], "--seed"),
        (["demo", "--seed", "one"], "--seed"),
        (["demo", "surplus"], "surplus"),
        (["features", "shwo", "x"], "'show'"),
    ],
)
def test_misuse_is_one_line_and_status_2(arguments, hint, capsys):
    assert run(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert hint in printed.err
    assert "--help" in printed.err


@pytest.mark.parametrize("arguments", [[], ["features"]])
def test_no_verb_shows_the_help(arguments, capsys):
    assert run(arguments) == 2
    printed = capsys.readouterr()
    assert "Commands:" in printed.out + printed.err


def test_output_that_is_a_file_is_misuse(tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("")
    assert run(["demo", "--output", str(file)]) == 2
    assert "is a file, not a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (ValueError("C must be\nabove 0"), 1, "segboost: C must be above 0\n"),
        (PermissionError(13, "Permission denied", "x"), 1, "Permission denied"),
        (KeyError("x"), 1, "SEGBOOST_DEBUG"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_failures_are_one_line_without_traceback(monkeypatch, capsys, error, status, text):
    def fail(*args: object, **named: object) -> None:
        raise error

    monkeypatch.delenv("SEGBOOST_DEBUG", raising=False)
    monkeypatch.setattr("segboost.report.demo.run_demo", fail)
    assert run(["demo", "--output", "unused"]) == status
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert text in printed.err
    assert "Traceback" not in printed.err


def test_debug_shows_the_traceback(monkeypatch):
    def fail(*args: object, **options: object) -> None:
        raise KeyError("x")

    monkeypatch.setenv("SEGBOOST_DEBUG", "1")
    monkeypatch.setattr("segboost.report.demo.run_demo", fail)
    with pytest.raises(KeyError):
        run(["demo", "--output", "unused"])


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}])
def test_no_colour_if_it_is_disabled(setting):
    for arguments in (["--help"], ["dmeo"]):
        done = subprocess.run(
            [*SEGBOOST, *arguments], capture_output=True, env={**os.environ, **setting}
        )
        assert b"\x1b[" not in done.stdout + done.stderr


def test_a_closed_pipe_gives_no_traceback():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*SEGBOOST, "--help"], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert b"Traceback" not in done.stderr
