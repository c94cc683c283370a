"""A limit on file size simulates a full disk: a one-line error, and nothing is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.crashes.command_processes import finish
from tests.crashes.complete_files import check_training, contents

LIMIT = 400
"""Bytes: less than a score map, more than its row in the table."""


@pytest.mark.parametrize("limit", [60, 3_000, 100_000])
def test_train(limit, command, undisturbed, tmp_path):
    folder, printed = tmp_path / "model", tmp_path / "printed"
    options = [*command, "--output", str(folder)]
    assert finish(options, printed, limit) == 1
    *stages, line = printed.read_text().splitlines()
    assert line.startswith("segboost: ")
    assert "File too large" in line
    assert all(" of " in stage for stage in stages)
    assert "visual words" not in printed.read_text() or limit == 100_000
    check_training(folder)
    assert not list(folder.rglob("*.tmp"))
    assert not (folder / "model.json").exists()
    if limit == 3_000:
        assert finish(options) == 0
        assert contents(folder) == contents(undisturbed)


def test_a_full_disk_keeps_the_old_model(command, undisturbed, tmp_path):
    folder = tmp_path / "model"
    cache = ["--cache", str(undisturbed / "cache")]
    assert finish([*command, *cache, "--output", str(folder)]) == 0
    before = contents(folder)
    printed = tmp_path / "printed"
    # All stages before the learning of the CRF are cached.
    assert finish([*command, *cache, "--output", str(folder), "--C", "1"], printed, 4_000) == 1
    assert "File too large" in printed.read_text()
    after = contents(folder)
    before.pop("run.json"), after.pop("run.json")
    assert after == before


def test_segment_stops_at_once(segment_command, masks, tmp_path):
    printed, output = tmp_path / "printed", tmp_path / "out"
    options = [*segment_command, "--output", str(output)]
    assert finish(options, printed, LIMIT) == 1
    line = printed.read_text()
    assert "File too large: free some space" in line
    assert line.count("\n") == 1
    assert contents(output) == {}
    assert not list(output.rglob("*.tmp"))
    assert finish(options) == 0
    assert contents(output) == contents(masks)


def test_segment_keeps_the_images_that_were_finished_before_the_disk_was_full(
    segment_command, masks, tmp_path
):
    whole = contents(masks)
    sizes = {name: len(data) for name, data in whole.items() if name.startswith("scores/")}
    small, large = (Path(choose(sizes, key=sizes.get)).name for choose in (min, max))
    images, output, printed = (tmp_path / name for name in ("images", "out", "printed"))
    images.mkdir()
    verb, source, *rest = segment_command
    for new, old in (("a.png", small), ("b.png", large)):
        shutil.copy(Path(source) / old, images / new)
    options = [verb, str(images), *rest, "--output", str(output)]
    # The score map of the second image does not fit.
    assert finish(options, printed, sizes[f"scores/{large}"] - 1) == 1
    assert "File too large: free some space" in printed.read_text()
    first = {"a.png": whole[small], "scores/a.png": whole[f"scores/{small}"]}
    assert contents(output) == first
    assert not list(output.rglob("*.tmp"))
    assert finish(options) == 0
    second = {"b.png": whole[large], "scores/b.png": whole[f"scores/{large}"]}
    assert contents(output) == first | second


def test_a_full_disk_keeps_the_old_masks(segment_command, masks, tmp_path):
    options = [*segment_command, "--output", str(masks)]
    before = contents(masks)
    assert finish(options, tmp_path / "printed", LIMIT) == 1
    assert contents(masks) == before
