"""Published figures: samples against the printed tables."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.experiments.published import paper_tracking
from segboost.pipelines.experiments.published.paper_tables import (
    AUC_SETS,
    MULTICLASS_SETS,
    PAPER_AUC,
    PAPER_ERRORS,
)


def test_the_papers_auc_table():
    assert set(PAPER_AUC) == set(AUC_SETS)
    assert PAPER_AUC["satimage"]["1-slack"].seconds.mean == 37769
    assert [s for s in AUC_SETS if "m-slack" not in PAPER_AUC[s]] == ["dna", "segment", "satimage"]
    assert PAPER_AUC["svmguide2"]["1-slack"].test.deviation == 0.036


def test_the_papers_multiclass_table():
    assert PAPER_ERRORS["StructBoost-per"]["vowel"].mean == 6.8
    assert PAPER_ERRORS["StructBoost-stump"]["usps"].deviation == 0.6
    assert PAPER_ERRORS["1-vs-all SVM"]["svmguide2"].mean == 17.7
    assert all(set(row) == set(MULTICLASS_SETS) for row in PAPER_ERRORS.values())


def test_published_means_match_the_data_notes():
    means = {m: np.mean(v) for m, v in paper_tracking.PUBLISHED_OVERLAP.items()}
    assert means["struck"] == pytest.approx(0.585, abs=5e-4)
    assert means["struck, second run"] == pytest.approx(0.642, abs=5e-4)
