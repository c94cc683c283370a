from __future__ import annotations

import os

import pytest

from segboost.storage.regular_file import read_regular


def test_files_and_links_to_files_are_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(path) == read_regular(tmp_path / "link", 3) == b"abc"
    with pytest.raises(OSError, match="more than 2 bytes"):
        read_regular(path, 2)


def test_other_kinds_of_files_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name in ("pipe", "endless"):
        with pytest.raises(OSError, match="pipe or device"):
            read_regular(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "nothing")
