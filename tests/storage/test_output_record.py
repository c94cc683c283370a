"""Outputs replace only files that segboost wrote."""

from __future__ import annotations

import json
import os

import pytest

from segboost.storage.output_record import (
    RECORD,
    OutputRecord,
    Outputs,
    check_outputs,
    recorded_outputs,
)
from segboost.storage.ownership import ForeignFileError
from segboost.storage.whole_file import NotReplaceableError, this_host
from tests.storage.test_leftovers import RANDOM, dead_pid

TWO = Outputs(("a.png", "sub/b.png"))


def run(folder, text="ours", outputs=TWO, **options):
    with recorded_outputs(folder, outputs, **options):
        (folder / "sub").mkdir(exist_ok=True)
        for name in outputs.names:
            (folder / name).write_text(text)


def test_a_run_may_replace_the_files_of_the_last_one(tmp_path):
    run(tmp_path / "o")
    run(tmp_path / "o", "new")
    assert (tmp_path / "o" / "sub/b.png").read_text() == "new"


def test_the_record_depends_only_on_the_files(tmp_path):
    run(tmp_path / "one")
    run(tmp_path / "two", "other")
    run(tmp_path / "two")
    assert (tmp_path / "one" / RECORD).read_bytes() == (tmp_path / "two" / RECORD).read_bytes()


def test_foreign_files_are_refused_and_counted(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in TWO.names:
        (tmp_path / name).write_text("mine")
    with pytest.raises(ForeignFileError, match=r"a\.png and 1 more were not written by segboost"):
        run(tmp_path)
    assert (tmp_path / "a.png").read_text() == "mine"
    assert not (tmp_path / RECORD).exists()
    run(tmp_path, overwrite=True)
    assert (tmp_path / "a.png").read_text() == "ours"


def test_an_edited_output_belongs_to_the_user(tmp_path):
    run(tmp_path)
    (tmp_path / "a.png").write_text("corrected by hand")
    with pytest.raises(ForeignFileError, match=r"a\.png was not written"):
        run(tmp_path)


def test_outputs_of_other_runs_into_the_folder_stay_known(tmp_path):
    run(tmp_path)
    run(tmp_path, outputs=Outputs(("c.png",)))
    (tmp_path / "a.png").write_text("corrected by hand")
    with pytest.raises(ForeignFileError, match=r"a\.png was not written"):
        run(tmp_path)
    (tmp_path / "a.png").write_text("ours")
    run(tmp_path)
    assert (tmp_path / "a.png").read_text() == "ours"


def test_an_interrupted_run_keeps_its_claim(tmp_path):
    def interrupted():
        with recorded_outputs(tmp_path, TWO):
            (tmp_path / "a.png").write_text("half of the work")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    run(tmp_path)
    assert (tmp_path / "a.png").read_text() == "ours"
    assert OutputRecord.read(tmp_path).claimed_names == set()


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("link", [None, "soft", "hard"])
def test_inputs_are_never_replaced(tmp_path, overwrite, link):
    run(tmp_path)
    source = tmp_path / "a.png"
    if link == "soft":
        source = tmp_path / "link.png"
        source.symlink_to("a.png")
    elif link == "hard":
        source = tmp_path / "link.png"
        os.link(tmp_path / "a.png", source)
    with pytest.raises(ForeignFileError, match=r"a\.png is an input and would be overwritten"):
        run(tmp_path, "new", inputs=[tmp_path / "nowhere", source], overwrite=overwrite)
    assert source.read_text() == "ours"


@pytest.mark.parametrize("overwrite", [False, True])
def test_links_and_folders_are_never_replaced(tmp_path, overwrite):
    (tmp_path / "other").write_text("mine")
    (tmp_path / "a.png").symlink_to("other")
    with pytest.raises(NotReplaceableError, match="symbolic link"):
        run(tmp_path, overwrite=overwrite)
    assert (tmp_path / "other").read_text() == "mine"
    assert (tmp_path / "a.png").is_symlink()


def test_every_file_of_a_claimed_folder_counts(tmp_path):
    frames = Outputs(folders=("frames",))
    (tmp_path / "frames").mkdir()
    with recorded_outputs(tmp_path, frames):
        (tmp_path / "frames" / "0.jpg").write_text("ours")
    check_outputs(tmp_path, frames)
    (tmp_path / "frames" / "mine.jpg").write_text("mine")
    with pytest.raises(ForeignFileError, match=r"mine\.jpg"):
        check_outputs(tmp_path, frames)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "segboost outputs"}', "\0"])
def test_a_damaged_record_makes_files_foreign(tmp_path, text):
    run(tmp_path)
    (tmp_path / RECORD).write_text(text)
    with pytest.raises(ForeignFileError, match="and 1 more"):
        run(tmp_path)


@pytest.mark.parametrize("name", [5, None, "../outside", "/outside", "a/../../outside"])
@pytest.mark.parametrize("part", ["claimed", "folders"])
def test_names_in_an_edited_record_do_not_leave_the_folder(tmp_path, part, name):
    folder = tmp_path / "out"
    run(folder)
    document = json.loads((folder / RECORD).read_text())
    document[part] = [name]
    (folder / RECORD).write_text(json.dumps(document))
    (tmp_path / "outside").write_text("mine")
    run(folder)
    assert "outside" not in (folder / RECORD).read_text()


def test_a_pipe_instead_of_the_record_is_not_read(tmp_path):
    os.mkfifo(tmp_path / RECORD)
    assert OutputRecord.read(tmp_path).wrote == {}


def test_leftovers_of_a_killed_run_are_removed_at_the_next_start(tmp_path):
    run(tmp_path)
    left = [f".segboost-{this_host()}-{dead_pid()}-{RANDOM}.tmp"] * 2
    left[1] = f"sub/{left[1]}"
    for name in left:
        (tmp_path / name).write_text("half")
    run(tmp_path)
    assert not any((tmp_path / name).exists() for name in left)
