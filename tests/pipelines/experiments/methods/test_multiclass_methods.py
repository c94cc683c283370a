"""Paths of StructBoost over increasing C."""

from __future__ import annotations

from sklearn.datasets import load_iris

from segboost.pipelines.experiments.methods.multiclass_methods import structboost_path


def test_a_path_keeps_the_columns_of_smaller_loss_weights():
    X, y = load_iris(return_X_y=True)
    C_candidates = [{"C": C} for C in (5.0, 50.0)]
    path = structboost_path(X, y, C_candidates, 0, "stump", 4, 1e-2)
    first = next(path)
    columns, stages = first.certificate_.n_columns, len(first.history_)
    second = next(path)
    assert second.C == 50.0
    assert second.certificate_.n_columns > columns > 0
    assert stages < len(second.history_) <= stages + 4
    assert second.certificate_.gap <= 1e-2


def test_every_depth_of_trees_starts_from_scratch():
    X, y = load_iris(return_X_y=True)
    C_candidates = [{"C": 10.0}, {"C": 100.0}]
    deep = [{**c, "max_depth": 8} for c in C_candidates]

    def objectives(candidates):
        path = structboost_path(X, y, candidates, 0, "tree", 3, 1e-2)
        return [(m.weak_learner.max_depth, m.certificate_.objective) for m in path]

    assert objectives(C_candidates + deep) == objectives(C_candidates) + objectives(deep)
    assert [depth for depth, _ in objectives(C_candidates + deep)] == [5, 5, 8, 8]
