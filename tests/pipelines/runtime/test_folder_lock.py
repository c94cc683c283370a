"""One run at a time in a folder."""

import json
import os
import signal
import subprocess
import sys

import pytest

from segboost.pipelines.runtime import folder_lock
from segboost.pipelines.runtime.folder_lock import (
    LOCK,
    FolderBusyError,
    FolderLock,
    shared_folder,
)
from segboost.storage.whole_file import NotReplaceableError

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


def test_a_lock_file_that_vanishes_between_opening_and_locking(tmp_path, monkeypatch):
    """The holder ends at exactly that moment: its removed file must not count as locked."""
    flock = folder_lock.fcntl.flock

    def gone_at_first(descriptor, mode):
        monkeypatch.setattr(folder_lock.fcntl, "flock", flock)
        (tmp_path / LOCK).unlink()
        flock(descriptor, mode)

    monkeypatch.setattr(folder_lock.fcntl, "flock", gone_at_first)
    with FolderLock(tmp_path):
        assert FolderLock(tmp_path).is_held()


@pytest.mark.parametrize("text", ['{"pid": 17, "ho', '{"pid": "x"}', '{"p'])
def test_a_damaged_lock_file_is_ignored(tmp_path, text):
    (tmp_path / LOCK).write_text(text)
    assert not FolderLock(tmp_path).is_held()
    with FolderLock(tmp_path):
        assert FolderLock(tmp_path).is_held()
    assert not FolderLock(tmp_path).is_held()


def test_the_lock_holds_within_a_process_and_is_released_after_errors(tmp_path):
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


def test_other_files_with_the_name_of_the_lock_are_kept(tmp_path):
    precious = tmp_path / "precious.txt"
    precious.write_text("kept")
    folder = tmp_path / "run"
    folder.mkdir()
    lock = folder / LOCK
    lock.symlink_to(precious)
    for held in (FolderLock(folder), shared_folder(folder)):
        with pytest.raises(NotReplaceableError, match="link"), held:
            pass
    assert precious.read_text() == "kept"
    assert lock.is_symlink()
    lock.unlink()
    os.mkfifo(lock)
    with pytest.raises(NotReplaceableError, match="pipe"), FolderLock(folder):
        pass
    lock.unlink()
    lock.write_text("notes of mine")
    with pytest.raises(NotReplaceableError, match="not a lock"), FolderLock(folder):
        pass
    assert lock.read_text() == "notes of mine"
    lock.write_text("")  # left by a process killed before it wrote its number
    with FolderLock(folder):
        pass
    assert not lock.exists()


def test_a_file_that_replaced_the_lock_is_kept(tmp_path):
    with FolderLock(tmp_path):
        (tmp_path / LOCK).unlink()
        (tmp_path / LOCK).write_text("notes of mine")
    assert (tmp_path / LOCK).read_text() == "notes of mine"
