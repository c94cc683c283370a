"""Atomic writes: complete, flushed, and replacing only regular files."""

from __future__ import annotations

import multiprocessing
import os
import socket
import stat

import pytest

from segboost.storage import whole_file
from segboost.storage.whole_file import (
    TEMPORARY,
    NotReplaceableError,
    PendingFile,
    open_whole,
    scratch_file,
    write_whole,
)


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_new_files_and_replaced_files(tmp_path):
    path = tmp_path / "a.txt"
    assert write_whole(path, b"one") == path
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(tmp_path) == ["a.txt"]


def test_the_longest_name_that_a_file_can_have(tmp_path):
    path = tmp_path / ("x" * 255)
    write_whole(path, b"one")
    assert path.read_bytes() == b"one"


def test_file_and_folder_are_flushed_around_the_rename(tmp_path, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace

    def log_fsync(descriptor):
        mode = os.fstat(descriptor).st_mode
        calls.append("flush folder" if stat.S_ISDIR(mode) else "flush file")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", log_fsync)
    monkeypatch.setattr(os, "replace", lambda a, b: (calls.append("rename"), replace(a, b)))
    write_whole(tmp_path / "a", b"1")
    assert calls == ["flush file", "rename", "flush folder"]
    pending = PendingFile(tmp_path / "b.mp4", ".mp4")
    pending.temporary.write_bytes(b"2")
    pending.commit()
    assert calls[3:] == ["flush file", "rename", "flush folder"]
    assert names(tmp_path) == ["a", "b.mp4"]


def test_scratch_files_are_private_and_removed(tmp_path):
    with scratch_file(tmp_path) as file:
        [name] = names(tmp_path)
        assert TEMPORARY.fullmatch(name)
        assert whole_file.is_active(name)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
        file.write(b"one")
        file.seek(1)
        assert file.read() == b"ne"
    assert names(tmp_path) == []
    assert not whole_file.is_active(name)

    def fail():
        with scratch_file(tmp_path):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert names(tmp_path) == []


def test_a_failure_keeps_the_old_bytes_and_leaves_nothing(tmp_path):
    path = write_whole(tmp_path / "a", b"old")

    def fail_half_way():
        with open_whole(path) as file:
            file.write(b"new")
            assert [n for n in names(tmp_path) if TEMPORARY.fullmatch(n)]
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail_half_way()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket", "link", "broken link", "device link"])
def test_only_regular_files_are_replaced(kind, tmp_path):
    path, other = tmp_path / "target", tmp_path / "other"
    other.write_bytes(b"keep")
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(path))
        server.close()
    else:
        path.symlink_to({"link": other, "broken link": "nowhere", "device link": "/dev/null"}[kind])
    before = os.lstat(path)
    with pytest.raises(NotReplaceableError) as caught:
        write_whole(path, b"new")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert os.path.samestat(os.lstat(path), before)
    assert other.read_bytes() == b"keep"
    assert len(names(tmp_path)) == 2


def test_a_device_stays_a_device():
    with pytest.raises(NotReplaceableError, match=r"/dev/full is a device"):
        write_whole(whole_file.Path("/dev/full"), b"new")
    assert stat.S_ISCHR(os.lstat("/dev/full").st_mode)


def write_often(path, text, start):
    start.wait()
    for _ in range(50):
        write_whole(path, text * 2000)


def test_writers_at_the_same_time_do_not_clash(tmp_path):
    context = multiprocessing.get_context("fork")
    start = context.Barrier(4)
    texts = [b"a", b"b", b"c", b"d"]
    processes = [
        context.Process(target=write_often, args=(tmp_path / "f", t, start)) for t in texts
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [p.exitcode for p in processes] == [0] * 4
    assert (tmp_path / "f").read_bytes() in [t * 2000 for t in texts]
    assert names(tmp_path) == ["f"]


def test_only_the_owner_can_read_private_files(tmp_path):
    path = tmp_path / "f"
    write_whole(path, b"open to all")
    path.chmod(0o644)
    with open_whole(path, private=True) as file:
        file.write(b"secret")
        (temporary,) = tmp_path.glob(".segboost-*")
        assert temporary.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == b"secret"
