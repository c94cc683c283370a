"""Only leftovers of killed processes are removed."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from segboost.storage.leftovers import remove_leftovers
from segboost.storage.whole_file import open_whole, this_host

RANDOM = "0123456789abcdef"


def dead_pid():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def put(folder, name, days=0.0):
    path = folder / name
    path.write_bytes(b"12345")
    then = time.time() - days * 86400
    os.utime(path, (then, then))
    return name


def test_files_of_dead_processes_are_removed_and_those_of_living_ones_kept(tmp_path):
    put(tmp_path, f".segboost-{this_host()}-{dead_pid()}-{RANDOM}.tmp")
    put(tmp_path, f".segboost-{this_host()}-{dead_pid()}-{RANDOM}.tmp.mp4")
    alive = put(tmp_path, f".segboost-{this_host()}-{os.getppid()}-{RANDOM}.tmp")
    assert remove_leftovers(tmp_path) == 10
    assert names(tmp_path) == [alive]


def test_a_file_of_another_machine_stays_for_a_day(tmp_path):
    young = put(tmp_path, f".segboost-00000000-{dead_pid()}-{RANDOM}.tmp", 0.9)
    put(tmp_path, f".segboost-00000001-{dead_pid()}-{RANDOM}.tmp", 1.1)
    remove_leftovers(tmp_path)
    assert names(tmp_path) == [young]


def test_foreign_files_with_similar_names_stay(tmp_path):
    pid, host = dead_pid(), this_host()
    similar = [
        f"segboost-{host}-{pid}-{RANDOM}.tmp",
        f".segboost-{host}-{pid}-{RANDOM}.tmp~",
        f".segboost-{host}-{pid}-{RANDOM}",
        f".segboost-{host}-{pid}-{RANDOM[:-1]}.tmp",
        f".segboost-{host}-{pid}-{RANDOM.upper()}.tmp",
        f".segboost-{host}-0-{RANDOM}.tmp",
        f".segboost-{pid}-{RANDOM}.tmp",
        f".model.json.{pid}.tmp",
        "notes.tmp",
        f".segboost-{host}-{pid}-{RANDOM}.tmp.a b",
        f".segboost-{host}-{pid}-{RANDOM}.tmp.bak",
    ]
    for name in similar:
        put(tmp_path, name, 30)
    (tmp_path / f".segboost-{host}-{pid}-{RANDOM}.tmp").mkdir()
    (tmp_path / f".segboost-{host}-{pid}-{RANDOM[::-1]}.tmp").symlink_to("notes.tmp")
    before = names(tmp_path)
    assert remove_leftovers(tmp_path, tmp_path / "nowhere") == 0
    assert names(tmp_path) == before


def test_a_file_that_this_process_is_writing_stays(tmp_path):
    with open_whole(tmp_path / "a") as file:
        file.write(b"1")
        remove_leftovers(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"1"


def test_a_leftover_with_the_pid_of_this_process_is_removed(tmp_path):
    put(tmp_path, f".segboost-{this_host()}-{os.getpid()}-{RANDOM}.tmp")
    remove_leftovers(tmp_path)
    assert names(tmp_path) == []
