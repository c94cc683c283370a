"""The table of trackers beside published figures, and reused measurements."""

from __future__ import annotations

import json

import numpy as np
import pytest

from segboost.datasets.synthetic.track import draw_track
from segboost.datasets.tracks.otb import load_sequence
from segboost.pipelines.experiments.reproduce import reproduce_tracking as experiment
from segboost.progress import QuietProgress
from tests.datasets.tracks.test_otb import write_sequence
from tests.pipelines.tracking.still_tracker import Still


@pytest.fixture
def sequences(tmp_path):
    for number, name in enumerate(("Coke", "Girl")):
        write_sequence(tmp_path / "data", name, draw_track(6, seed=number))
    return [load_sequence(tmp_path / "data", name) for name in ("Coke", "Girl")]


def test_the_table_has_ours_the_papers_and_the_published(sequences, tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "make_tracker", lambda name, seed: Still())
    table = experiment.reproduce_tracking(
        sequences, tmp_path / "out", QuietProgress(), methods=("struck", "structboost")
    )
    document = json.loads((tmp_path / "out" / "table.json").read_text())
    assert document == json.loads(json.dumps(experiment.to_document(table)))
    first = document["rows"][0]
    assert (first["method"], first["sequence"]) == ("struck", "Coke")
    assert (first["paper_overlap"], first["published_overlap"]) == (0.55, 0.673)
    assert first["ours"]["n_frames"] == 6
    means = document["means"]["struck"]
    both = [r["ours"]["mean_overlap"] for r in document["rows"] if r["method"] == "struck"]
    assert means["mean_overlap"] == pytest.approx(np.mean(both))
    assert means["published_overlap"] == pytest.approx((0.673 + 0.745) / 2)
    assert document["means"]["structboost"]["published_overlap"] is None
    assert "| struck |" in (tmp_path / "out" / "table.md").read_text()


def test_measurements_are_not_repeated(sequences, tmp_path, monkeypatch):
    begun = []

    class Counting(Still):
        settings = "first"

        def init(self, frame, box):
            begun.append(self.settings)
            super().init(frame, box)

    def measure(**keywords):
        progress = QuietProgress()
        return experiment.reproduce_tracking(
            sequences, tmp_path / "out", progress, methods=("struck",), **keywords
        ).rows

    monkeypatch.setattr(experiment, "make_tracker", lambda name, seed: Counting())
    assert measure() == measure()
    assert len(begun) == 2
    measure(n_given=3)
    assert len(begun) == 4
    Counting.settings = "second"
    measure()
    assert begun[4:] == ["second", "second"]


def test_methods_that_are_not_installed_are_left_out_with_the_reason(
    sequences, tmp_path, monkeypatch
):
    def missing(name, seed):
        raise experiment.OpenCVMissingError("install it")

    monkeypatch.setattr(experiment, "make_tracker", missing)
    table = experiment.reproduce_tracking(
        sequences, tmp_path / "out", QuietProgress(), methods=("boosting",)
    )
    assert table.rows == []
    assert table.left_out == {"boosting": "install it"}
    assert "install it" in (tmp_path / "out" / "table.md").read_text()
