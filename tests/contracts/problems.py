"""One small problem of every task, with all its outputs listed."""

from __future__ import annotations

from tests.contracts.box_problems import candidates
from tests.contracts.class_problems import (
    binary,
    cost_matrix,
    hierarchy,
    label_augmented,
    multiclass,
)
from tests.contracts.graph_problems import crf
from tests.contracts.ranking_problems import ranking

PROBLEMS = [
    binary(),
    multiclass(),
    cost_matrix(),
    hierarchy(),
    label_augmented(),
    ranking("AUC", 7, 12, 2),
    ranking("ordinal", 8, 10, 4),
    candidates(),
    crf("CRF", 9, weighted=False),
    crf("CRF with node weights", 10, weighted=True),
]
