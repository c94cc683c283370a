"""Files may grow to a limit only, as on a disk that fills up: one line, and no harm."""

from __future__ import annotations

import pytest

from tests.crashes.wholeness import check_masks, check_training, contents
from tests.crashes.work import finish

LIMIT = 400
"""Less than a score map, more than the line that tells of it."""


@pytest.mark.parametrize("limit", [60, 3_000, 100_000])
def test_train(limit, command, undisturbed, tmp_path):
    folder, told = tmp_path / "model", tmp_path / "told"
    options = [*command, "--output", str(folder)]
    assert finish(options, told, limit) == 1
    *stages, line = told.read_text().splitlines()
    assert line.startswith("segboost: ")
    assert "File too large" in line
    assert all(" of " in stage for stage in stages)
    assert "visual words" not in told.read_text() or limit == 100_000
    check_training(folder)
    assert not list(folder.rglob("*.tmp"))
    assert not (folder / "model.json").exists()
    if limit == 3_000:
        assert finish(options) == 0
        assert contents(folder) == contents(undisturbed)


def test_a_model_stays_where_the_next_one_does_not_fit(command, undisturbed, tmp_path):
    folder = tmp_path / "model"
    cache = ["--cache", str(undisturbed / "cache")]
    assert finish([*command, *cache, "--output", str(folder)]) == 0
    before = contents(folder)
    told = tmp_path / "told"
    # Everything is in the cache but the learned CRF and what follows it.
    assert finish([*command, *cache, "--output", str(folder), "--C", "1"], told, 4_000) == 1
    assert "File too large" in told.read_text()
    after = contents(folder)
    before.pop("run.json"), after.pop("run.json")
    assert after == before


def test_segment_stops_at_once(segment_command, masks, tmp_path):
    told, output = tmp_path / "told", tmp_path / "out"
    options = [*segment_command, "--output", str(output)]
    assert finish(options, told, LIMIT) == 1
    line = told.read_text()
    assert "File too large: free some space" in line
    assert line.count("\n") == 1
    assert contents(output) == {}
    assert not list(output.rglob("*.tmp"))
    check_masks(output)
    assert finish(options) == 0
    assert contents(output) == contents(masks)


def test_masks_stay_where_new_ones_do_not_fit(segment_command, masks, tmp_path):
    options = [*segment_command, "--output", str(masks)]
    before = contents(masks)
    assert finish(options, tmp_path / "told", LIMIT) == 1
    assert contents(masks) == before
