"""Ctrl-C: the command ends soon, with one line, and leaves whole files only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.crashes.wholeness import check_masks, check_training, contents

STARTED = "import sys; from segboost.cli.main import main; main(sys.argv[1:])"


def interrupt(arguments, is_time, told):
    """Start a command with its own processes, press Ctrl-C when it is time; return the status."""
    with open(told, "w") as file:
        # As a terminal does, the signal goes to the command and all that it started.
        process = subprocess.Popen(
            [sys.executable, "-c", STARTED, *arguments],
            stdout=file,
            stderr=file,
            start_new_session=True,
            # Shells start background jobs, this test perhaps among them, deaf to Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        while process.poll() is None and not is_time():
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        try:
            return process.wait(60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_segment(jobs, segment_command, masks, tmp_path):
    output, told = tmp_path / "out", tmp_path / "told"
    options = [*segment_command[:-1], jobs, "--output", str(output)]
    status = interrupt(options, lambda: len(contents(output)) >= 4, told)
    assert status == 130
    assert told.read_text() == "segboost: interrupted\n"
    check_masks(output)
    assert contents(output).items() <= contents(masks).items()
    assert len(contents(output)) < len(contents(masks))
    assert not (output / "results.csv").exists()


@pytest.mark.slow
def test_train(command, undisturbed, tmp_path):
    folder, told = tmp_path / "model", tmp_path / "told"
    options = [*command, "--output", str(folder)]
    status = interrupt(options, lambda: any(folder.glob("cache/superpixels/*.npz")), told)
    assert status == 130
    assert told.read_text().splitlines()[-1] == "segboost: interrupted"
    check_training(folder)
    assert not list(folder.rglob("*.tmp"))
    assert not (folder / ".segboost.lock").exists()
