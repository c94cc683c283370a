"""The first frames of real sequences, if they are available."""

import os
from pathlib import Path

import pytest

from segboost import StructBoostTracker
from segboost.datasets.tracks.otb import load_sequence
from segboost.pipelines.tracking.metrics import score_track
from segboost.pipelines.tracking.run import follow

pytestmark = pytest.mark.data


@pytest.mark.parametrize(("name", "least"), [("Coke", 0.6), ("Girl", 0.7), ("David", 0.65)])
def test_the_first_frames_are_followed(name, least):
    root = Path(os.environ.get("SEGBOOST_DATA", ""))
    if not (root / "tracking" / name).is_dir() or "SEGBOOST_DATA" not in os.environ:
        pytest.skip(f"SEGBOOST_DATA is not set or holds no tracking/{name}")
    sequence = load_sequence(root, name)
    frames = [frame for frame, _ in zip(sequence.frames(), range(30), strict=False)]
    found = follow(StructBoostTracker(), frames, sequence.boxes[:1].tolist())
    assert score_track(found.boxes, sequence.boxes[:30]).mean_overlap > least
