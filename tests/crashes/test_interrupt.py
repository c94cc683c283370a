"""Ctrl-C ends a command quickly, with one line, and leaves only complete files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.crashes.complete_files import check_masks, check_training, contents

STARTED = "import sys; from segboost.cli.main import main; main(sys.argv[1:])"


def interrupt(arguments, is_time, printed):
    """Start a command in its own session, interrupt it once `is_time()`, return its status."""
    with open(printed, "w") as file:
        # As in a terminal, the signal goes to the command and all its processes.
        process = subprocess.Popen(
            [sys.executable, "-c", STARTED, *arguments],
            stdout=file,
            stderr=file,
            start_new_session=True,
            # Shells start background jobs, possibly this test, with SIGINT ignored.
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
    output, printed = tmp_path / "out", tmp_path / "printed"
    options = [*segment_command[:-1], jobs, "--output", str(output)]
    status = interrupt(options, lambda: len(contents(output)) >= 4, printed)
    assert status == 130
    assert printed.read_text() == "segboost: interrupted\n"
    check_masks(output)
    assert contents(output).items() <= contents(masks).items()
    assert len(contents(output)) < len(contents(masks))
    assert not (output / "results.csv").exists()


@pytest.mark.slow
def test_train(command, undisturbed, tmp_path):
    folder, printed = tmp_path / "model", tmp_path / "printed"
    options = [*command, "--output", str(folder)]
    status = interrupt(options, lambda: any(folder.glob("cache/superpixels/*.npz")), printed)
    assert status == 130
    assert printed.read_text().splitlines()[-1] == "segboost: interrupted"
    check_training(folder)
    assert not list(folder.rglob("*.tmp"))
    assert not (folder / ".segboost.lock").exists()
