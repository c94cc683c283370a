from __future__ import annotations

import os
import pty
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


def read_terminal(descriptor):
    """Return what is printed on a pseudo-terminal until its other end is closed."""
    found = b""
    while True:
        try:
            part = os.read(descriptor, 10_000)
        except OSError:  # Linux reports the closed end as an error
            part = b""
        if not part:
            return found
        found += part


def shown_on_a_terminal(arguments, setting):
    """Return what a command prints if both its output and its errors go to a terminal."""
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    ours, theirs = pty.openpty()
    command = subprocess.Popen(
        [*SEGBOOST, *arguments],
        stdout=theirs,
        stderr=theirs,
        env={**clean, "TERM": "xterm-256color", **setting},
    )
    os.close(theirs)
    try:
        printed = read_terminal(ours)
    finally:
        os.close(ours)
        command.wait(60)
    return printed


@pytest.mark.parametrize("force", [{}, {"FORCE_COLOR": "1"}])
def test_no_colour_if_it_is_disabled(force):
    coloured = shown_on_a_terminal(["dmeo"], force)
    assert b"\x1b[31m" in coloured
    for arguments, text in ((["--help"], b"Usage: segboost"), (["dmeo"], b"segboost: No such")):
        plain = shown_on_a_terminal(arguments, {**force, "NO_COLOR": "1"})
        assert text in plain
        assert b"\x1b[" not in plain


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--help"], 1, b""),
        (["--version"], 1, b""),
        # This prints nothing on standard output.
        (["dmeo"], 2, b"segboost: No such command 'dmeo'. Did you mean 'demo'? See segboost"),
    ],
)
def test_a_closed_pipe_gives_the_status_and_no_traceback(arguments, status, message):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*SEGBOOST, *arguments], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert done.returncode == status
    assert done.stderr.startswith(message)
    # Without a message of ours, Python adds none at exit either.
    assert done.stderr.count(b"\n") == (1 if message else 0)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["dmeo"], 2),
        (["features", "show", "none.png"], 2),
        (["segment", "none.png", "--model", "none", "-o", "out"], 1),
    ],
)
@pytest.mark.parametrize("both", [False, True])
def test_errors_set_the_status_if_nobody_reads_the_message(arguments, status, both, tmp_path):
    read, write = os.pipe()
    os.close(read)
    output = write if both else subprocess.PIPE
    done = subprocess.run([*SEGBOOST, *arguments], stdout=output, stderr=write, cwd=tmp_path)
    os.close(write)
    assert done.returncode == status
    assert not done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "taken"),
    [(["train"], "DIR|FILE"), (["evaluate"], "DIR|FILE"), (["datasets", "verify"], "DIR")],
)
def test_the_help_says_whether_masks_may_be_a_file(command, taken, capsys):
    assert run([*command, "--help"]) == 0
    assert f"--masks {taken} " in capsys.readouterr().out
