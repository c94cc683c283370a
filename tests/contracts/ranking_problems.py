"""Ranking problems: one atom per row; each `Example` of the LP is a pair of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from segboost.tasks.ranking import RankingTask
from tests.contracts.enumeration import Example
from tests.contracts.problem import Problem
from tests.contracts.tables import draw_table, repeat_table, shuffle_table


def _enumerate_pairs(data: dict[str, Any]) -> list[Example]:
    ranks, n = data["y"], len(data["y"])
    weight = data.get("sample_weight")
    weight = np.ones(n) if weight is None else np.asarray(weight, float)
    pairs = [(i, j) for i in range(n) for j in range(n) if ranks[i] > ranks[j]]
    total = sum(weight[i] * weight[j] for i, j in pairs)
    upper = {i: u for u, i in enumerate(np.flatnonzero(ranks > ranks.min()))}
    examples = []
    for i, j in pairs:
        difference = np.zeros((1, n))
        difference[0, i], difference[0, j] = 1.0, -1.0
        examples.append(Example(weight[i] * weight[j] / total, np.ones(1), difference, upper[i]))
    return examples


def ranking(name: str, seed: int, n: int, k: int) -> Problem:
    return Problem(
        name,
        draw_table(seed, n, 3, k),
        lambda d: RankingTask(d["X"], d["y"], d.get("sample_weight")),
        _enumerate_pairs,
        shuffle_table,
        repeat_table,
    )
