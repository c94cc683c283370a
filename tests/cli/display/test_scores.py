from __future__ import annotations

from dataclasses import asdict

from segboost.cli.display.scores import show_scores
from segboost.pipelines.segmentation.evaluation import Evaluation
from segboost.pipelines.segmentation.metrics.scores import SegmentationScores


def test_every_score_is_shown_under_the_name_of_its_json_key(capsys):
    names = [f for f in SegmentationScores.__dataclass_fields__ if f != "n_images"]
    values = {name: (k + 1) / 16 for k, name in enumerate(names)}
    scores = SegmentationScores(**{**values, "break_even": float("nan")}, n_images=2)
    show_scores(Evaluation(scores, {}, {}))
    shown = {line.split()[0]: line.split()[1] for line in capsys.readouterr().out.splitlines()}
    expected = {n: f"{v:.4f}" for n, v in asdict(scores).items() if n in values}
    assert shown == {**expected, "break_even": "--"}
