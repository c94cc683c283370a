"""Two runs into one folder: the second is refused and changes nothing."""

from __future__ import annotations

import os
import signal
import time

import pytest

from segboost.pipelines.runtime.folder_lock import LOCK, FolderLock
from tests.crashes.command_processes import finish, start
from tests.crashes.complete_files import contents


@pytest.mark.parametrize("verb", ["train", "segment"])
def test_the_second_is_refused(verb, command, segment_command, tmp_path):
    folder, printed = tmp_path / "out", tmp_path / "printed"
    options = [*(command if verb == "train" else segment_command), "--output", str(folder)]
    first = start(options)
    try:
        # The owner is written once the lock is held; trying the lock itself could interfere.
        lock = folder / LOCK
        while first.is_alive() and not (lock.exists() and lock.read_text()):
            time.sleep(0.005)
        os.kill(first.pid, signal.SIGSTOP)
        before = contents(folder)
        assert finish(options, printed) == 1
        line = printed.read_text()
        assert f"is in use by process {first.pid}" in line
        assert line.count("\n") == 1
        assert contents(folder) == before
    finally:
        first.kill()
        first.join()
    # A stale lock is ignored.
    assert not FolderLock(folder).is_held()
    with FolderLock(folder):
        pass
