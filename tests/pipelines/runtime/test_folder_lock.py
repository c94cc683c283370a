"""One run at a time in a folder."""

import json
import os
import signal
import subprocess
import sys

import pytest

from segboost.pipelines.runtime import folder_lock
from segboost.pipelines.runtime.folder_lock import LOCK, FolderBusyError, FolderLock

HOLD = """
import sys
from segboost.pipelines.runtime.folder_lock import FolderLock
with FolderLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "run")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_one_run_at_a_time(tmp_path, holder):
    lock = FolderLock(tmp_path / "run")
    assert lock.is_held()
    with pytest.raises(FolderBusyError, match=f"in use by process {holder.pid} on .*: wait"), lock:
        pass
    holder.communicate("")
    assert holder.returncode == 0
    assert not lock.is_held()
    with lock:
        assert json.loads((tmp_path / "run" / LOCK).read_text())["pid"] == os.getpid()
    assert list((tmp_path / "run").iterdir()) == []


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert (tmp_path / "run" / LOCK).exists()
    with FolderLock(tmp_path / "run") as lock:
        assert lock.is_held()


def test_a_lock_file_that_goes_between_opening_and_locking(tmp_path, monkeypatch):
    """The holder ends in just that moment: its removed file must not count as locked."""
    flock = folder_lock.fcntl.flock

    def gone_at_first(descriptor, mode):
        monkeypatch.setattr(folder_lock.fcntl, "flock", flock)
        (tmp_path / LOCK).unlink()
        flock(descriptor, mode)

    monkeypatch.setattr(folder_lock.fcntl, "flock", gone_at_first)
    with FolderLock(tmp_path):
        assert FolderLock(tmp_path).is_held()


def test_a_lock_file_of_rubbish_locks_nothing(tmp_path):
    (tmp_path / LOCK).write_text("{" * 1000)
    assert not FolderLock(tmp_path).is_held()
    with FolderLock(tmp_path):
        assert FolderLock(tmp_path).is_held()
    assert not FolderLock(tmp_path).is_held()


def test_the_lock_holds_within_a_process_and_is_given_back_after_errors(tmp_path):
    def fail():
        with FolderLock(tmp_path) as lock:
            with pytest.raises(FolderBusyError, match=str(os.getpid())), FolderLock(tmp_path):
                pass
            with pytest.raises(FolderBusyError, match="already"), lock:
                pass
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not FolderLock(tmp_path).is_held()
