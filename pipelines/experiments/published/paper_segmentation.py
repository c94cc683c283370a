"""The segmentation table of the StructBoost paper, in per cent.

C. Shen, G. Lin, A. van den Hengel, "StructBoost: Boosting methods for predicting structured
output variables", IEEE TPAMI 36(10), 2014, table "Image segmentation results on the Graz-02
dataset". Its masks had a little more foreground than those of IG02 v1.0 that are in use today
(about 24.8, 10.3 and 17.6 % of the test pixels against 21.5, 9.9 and 16.0 %), so the figures are
not exactly comparable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CATEGORIES = ("bike", "car", "people")


@dataclass(frozen=True)
class PaperScores:
    """One method on one category: mean, foreground and background, in per cent."""

    mean_iou: float
    iou_foreground: float
    iou_background: float
    mean_recall: float
    recall_foreground: float
    recall_background: float
    break_even: float


PAPER: Mapping[str, Mapping[str, PaperScores]] = {
    "adaboost": {
        "bike": PaperScores(69.2, 57.6, 80.7, 84.4, 83.8, 85.1, 72.7),
        "car": PaperScores(72.2, 51.7, 92.7, 82.9, 69.8, 96.0, 67.8),
        "people": PaperScores(68.9, 51.2, 86.5, 81.0, 70.0, 92.1, 67.0),
    },
    "svm": {
        "bike": PaperScores(65.2, 53.0, 77.4, 81.9, 81.8, 82.1, 68.3),
        "car": PaperScores(68.6, 45.0, 92.3, 77.0, 57.2, 96.9, 63.4),
        "people": PaperScores(62.9, 41.0, 84.8, 73.5, 53.8, 93.2, 61.2),
    },
    "ssvm": {
        "bike": PaperScores(74.5, 64.4, 84.6, 87.9, 87.9, 88.0, 77.3),
        "car": PaperScores(80.2, 64.9, 95.4, 86.9, 75.8, 98.1, 78.3),
        "people": PaperScores(74.3, 58.8, 89.7, 83.5, 71.8, 95.2, 74.4),
    },
    "structboost": {
        "bike": PaperScores(76.5, 66.3, 86.7, 87.4, 83.3, 91.5, 78.9),
        "car": PaperScores(80.8, 66.1, 95.6, 87.6, 77.0, 98.1, 79.3),
        "people": PaperScores(75.7, 61.0, 90.4, 84.6, 73.6, 95.6, 75.9),
    },
}
"""The paper's rows by method and category."""
