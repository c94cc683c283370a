"""Scores by hand, output files of a track, and the table with published figures."""

import csv
import json

import numpy as np
import pytest

from segboost.datasets.synthetic.track import draw_track
from segboost.datasets.tracks.otb import load_sequence
from segboost.pipelines.experiments import paper_tracking, reproduce_tracking
from segboost.pipelines.tracking.metrics import score_track
from segboost.pipelines.tracking.output import draw_box, write_boxes
from segboost.pipelines.tracking.run import Track, follow
from segboost.progress import QuietProgress
from tests.datasets.tracks.test_otb import write_sequence


def test_scores_by_hand():
    truth = np.array([[0, 0, 10, 10], [0, 0, 10, 10], [0, 0, 10, 10], [np.nan] * 4])
    boxes = np.array([[0, 0, 10, 10], [5, 0, 10, 10], [40, 30, 10, 10], [0, 0, 1, 1]], float)
    scores = score_track(boxes, truth)
    assert scores.n_frames == 3
    assert scores.mean_overlap == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert scores.mean_centre_error == pytest.approx((0 + 5 + 50) / 3)
    assert scores.precision == pytest.approx(2 / 3)
    # Above 0: two of three; above 0.05 … 0.30: two; up to 0.95: one; above 1: none.
    assert scores.success_area == pytest.approx((7 * 2 / 3 + 13 * 1 / 3) / 21)
    assert np.isnan(scores.overlap[3])


def test_boxes_that_cannot_be_scored_are_refused():
    with pytest.raises(ValueError, match="shape"):
        score_track(np.zeros((2, 4)), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="no known box"):
        score_track(np.zeros((1, 4)), np.full((1, 4), np.nan))


class Still:
    """A tracker that never moves."""

    def init(self, frame, box):
        self.box = tuple(box)
        self.examples = 1

    def add_example(self, frame, box):
        self.box = tuple(box)
        self.examples += 1

    def update(self, frame):
        return self.box, 0.25

    def close(self):
        pass


def test_following_gives_boxes_confidences_and_calls_back():
    track = draw_track(5)
    seen = []
    tracker = Still()
    found = follow(
        tracker, track.frames, track.boxes[:2].tolist(), lambda n, f, b, c: seen.append((n, c))
    )
    assert tracker.examples == 2
    np.testing.assert_array_equal(found.boxes[2:], np.tile(track.boxes[1], (3, 1)))
    assert seen == [(0, 1.0), (1, 1.0), (2, 0.25), (3, 0.25), (4, 0.25)]
    with pytest.raises(ValueError, match="3 boxes were given for 2 frames"):
        follow(Still(), track.frames[:2], track.boxes[:3].tolist())


def test_the_table_of_boxes(tmp_path):
    found = Track(np.array([[1.5, 2, 3, 4], [2, 2, 3, 4]]), np.array([1.0, 0.5]), 1.0, 1.0)
    scores = score_track(found.boxes, np.array([[1.5, 2, 3, 4], [np.nan] * 4]))
    path = write_boxes(tmp_path / "boxes.csv", found, scores)
    rows = list(csv.DictReader(path.open()))
    assert [r["x"] for r in rows] == ["1.5000", "2.0000"]
    assert [r["overlap"] for r in rows] == ["1.0000", ""]


def test_a_drawn_box_is_yellow_or_red_and_the_frame_is_not_changed():
    frame = np.zeros((20, 20), np.uint8)
    sure = draw_box(frame, np.array([5.0, 5, 8, 8]), True)
    doubtful = draw_box(frame, np.array([5.0, 5, 8, 8]), False, np.array([1.0, 1, 3, 3]))
    assert sure[5, 5].tolist() == [255, 210, 0]
    assert doubtful[5, 5].tolist() == [230, 60, 40]
    assert doubtful[1, 1].tolist() == [60, 200, 90]
    assert not frame.any()


@pytest.fixture
def sequences(tmp_path):
    for number, name in enumerate(("Coke", "Girl")):
        write_sequence(tmp_path / "data", name, draw_track(6, seed=number))
    return [load_sequence(tmp_path / "data", name) for name in ("Coke", "Girl")]


def test_the_table_has_ours_the_papers_and_the_published(sequences, tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce_tracking, "make_tracker", lambda name, seed: Still())
    table = reproduce_tracking.reproduce(
        sequences, tmp_path / "out", QuietProgress(), methods=("struck", "structboost")
    )
    document = json.loads((tmp_path / "out" / "table.json").read_text())
    assert document == json.loads(json.dumps(reproduce_tracking.to_document(table)))
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
        return reproduce_tracking.reproduce(
            sequences, tmp_path / "out", progress, methods=("struck",), **keywords
        ).rows

    monkeypatch.setattr(reproduce_tracking, "make_tracker", lambda name, seed: Counting())
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
        raise reproduce_tracking.OpenCVMissingError("install it")

    monkeypatch.setattr(reproduce_tracking, "make_tracker", missing)
    table = reproduce_tracking.reproduce(
        sequences, tmp_path / "out", QuietProgress(), methods=("boosting",)
    )
    assert table.rows == []
    assert table.left_out == {"boosting": "install it"}
    assert "install it" in (tmp_path / "out" / "table.md").read_text()


def test_published_means_match_the_data_notes():
    means = {m: np.mean(v) for m, v in paper_tracking.PUBLISHED_OVERLAP.items()}
    assert means["struck"] == pytest.approx(0.585, abs=5e-4)
    assert means["struck, second run"] == pytest.approx(0.642, abs=5e-4)
