"""Labels of a table are encoded for a task and decoded again."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.pipelines.tables.labels import LabelRule

WORDS = np.array(["mid", "low", "top", "low"])


def test_ranks_follow_the_given_order():
    rule = LabelRule.from_labels("ordinal", WORDS, ranks=("low", "mid", "top"))
    assert rule.encode(WORDS).tolist() == [1, 0, 2, 0]
    assert rule.decode(np.array([2, 0])).tolist() == ["top", "low"]


def test_ranks_of_numbers_need_no_order():
    y = np.array([10.0, 2.5, 7.0])
    rule = LabelRule.from_labels("ordinal", y)
    assert rule.encode(y).tolist() == [2, 0, 1]
    assert rule.decode(rule.encode(y)).tolist() == y.tolist()


def test_the_positive_label_is_1_and_all_others_0():
    rule = LabelRule.from_labels("auc", WORDS, positive="low")
    assert rule.encode(WORDS).tolist() == [0, 1, 0, 1]
    assert LabelRule.from_labels("auc", np.array([3, 5, 3]), positive="3.0").encode(
        np.array([3, 5])
    ).tolist() == [1, 0]


def test_classes_are_not_changed():
    rule = LabelRule.from_labels("multiclass", WORDS)
    assert rule.values.tolist() == ["low", "mid", "top"]
    assert (rule.encode(WORDS) == WORDS).all()
    assert rule.knows(np.array(["low", "new"])).tolist() == [True, False]
    assert not rule.knows(np.array([1, 2])).any()


@pytest.mark.parametrize("task", ["multiclass", "auc", "ordinal"])
def test_json_and_back(task):
    rule = LabelRule.from_labels(task, np.array([4, 9, 4]))
    again = LabelRule.from_json(rule.to_json())
    assert again.task == task
    assert again.values.dtype == rule.values.dtype
    assert again.values.tolist() == rule.values.tolist()


@pytest.mark.parametrize(
    ("task", "y", "options", "message"),
    [
        ("auc", WORDS, {}, r"3 classes \(low, mid, top\): say with --positive"),
        ("auc", WORDS, {"positive": "high"}, "--positive: there is no label 'high'"),
        ("multiclass", WORDS, {"positive": "low"}, "--positive belongs to --task auc"),
        ("multiclass", WORDS, {"ranks": ("low",)}, "--ranks belong to --task ordinal"),
        ("ordinal", WORDS, {}, "the labels are text"),
        ("ordinal", WORDS, {"ranks": ("low", "mid")}, "--ranks leave out top"),
        ("ordinal", WORDS, {"ranks": ("low", "mid", "low")}, "--ranks name a label twice"),
        ("multiclass", np.array([0.5, 1.0]), {}, "the label 0.5"),
        ("multiclass", np.array(["a", "a"]), {}, "all labels are 'a'"),
    ],
)
def test_labels_that_do_not_fit_the_task(task, y, options, message):
    with pytest.raises(ValueError, match=message):
        LabelRule.from_labels(task, y, **options)
