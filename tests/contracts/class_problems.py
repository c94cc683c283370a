"""Class problems: atoms are (code entry, example), or (example, class) if label-augmented."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from segboost.tasks.hierarchy import LabelAugmentedTask, hierarchy_task
from segboost.tasks.multiclass import MulticlassTask, binary_task
from segboost.tasks.taxonomy import Taxonomy
from tests.contracts.enumeration import Example
from tests.contracts.problem import Problem, Shuffled, example_weights
from tests.contracts.tables import draw_table, repeat_table, shuffle_table

TREE = Taxonomy.from_nested({"all": {"left": ["a", "b"], "right": {"far": ["c", "d"]}}})
COST = np.array([[0.0, 1.0, 3.0], [0.5, 0.0, 1.0], [2.0, 0.25, 0.0]])


def _enumerate_codes(data: dict[str, Any], codes: np.ndarray, cost: np.ndarray) -> list[Example]:
    y, m = data["y"], len(data["y"])
    examples = []
    for i, v in enumerate(example_weights(data, m)):
        difference = np.zeros((len(codes), codes.shape[1], m))
        difference[:, :, i] = codes[y[i]] - codes
        examples.append(Example(v, cost[y[i]], difference.reshape(len(codes), -1), i))
    return examples


def binary() -> Problem:
    return Problem(
        "binary",
        draw_table(1, 14, 3, 2),
        lambda d: binary_task(d["X"], d["y"], d.get("sample_weight")),
        lambda d: _enumerate_codes(d, np.array([[-0.5], [0.5]]), 1.0 - np.eye(2)),
        shuffle_table,
        repeat_table,
    )


def multiclass() -> Problem:
    return Problem(
        "multiclass",
        draw_table(2, 15, 3, 3),
        lambda d: MulticlassTask(d["X"], d["y"], 3, None, d.get("sample_weight")),
        lambda d: _enumerate_codes(d, np.eye(3), 1.0 - np.eye(3)),
        partial(shuffle_table, n_codes=3),
        repeat_table,
    )


def cost_matrix() -> Problem:
    return Problem(
        "cost matrix",
        draw_table(3, 15, 2, 3),
        lambda d: MulticlassTask(d["X"], d["y"], 3, COST, d.get("sample_weight")),
        lambda d: _enumerate_codes(d, np.eye(3), COST),
        partial(shuffle_table, n_codes=3),
        repeat_table,
    )


# Γ over left, a, b, right, far, c, d: the nodes in the order of TREE, written out.
TREE_CODES = np.array(
    [
        [1, 1, 0, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 1, 1, 0],
        [0, 0, 0, 1, 1, 0, 1],
    ],
    float,
)
# a and b meet one step above the leaves, c and d too; the root is three steps above c.
TREE_LOSS = np.array([[0, 1, 3, 3], [1, 0, 3, 3], [3, 3, 0, 1], [3, 3, 1, 0]], float)


def hierarchy() -> Problem:
    return Problem(
        "hierarchy",
        draw_table(4, 14, 2, 4),
        lambda d: hierarchy_task(d["X"], d["y"], TREE, "abcd", d.get("sample_weight")),
        lambda d: _enumerate_codes(d, TREE_CODES, TREE_LOSS),
        partial(shuffle_table, n_codes=7),
        repeat_table,
    )


# Label-augmented: atoms (example, class).


def _enumerate_augmented(data: dict[str, Any]) -> list[Example]:
    y, m, k = data["y"], len(data["y"]), 4
    examples = []
    for i, v in enumerate(example_weights(data, m)):
        difference = np.zeros((k, m, k))
        difference[:, i, y[i]] += 1
        difference[np.arange(k), i, np.arange(k)] -= 1
        examples.append(Example(v, TREE_LOSS[y[i]], difference.reshape(k, -1), i))
    return examples


def _shuffle_augmented(data: dict[str, Any], rng: np.random.Generator) -> Shuffled:
    plain = shuffle_table(data, rng)
    atoms = (4 * plain.atoms[:, None] + np.arange(4)).ravel()
    return Shuffled(plain.data, atoms, plain.map_outputs)


def label_augmented() -> Problem:
    return Problem(
        "label-augmented",
        draw_table(5, 10, 2, 4),
        lambda d: LabelAugmentedTask(d["X"], d["y"], TREE_CODES, TREE_LOSS, d.get("sample_weight")),
        _enumerate_augmented,
        _shuffle_augmented,
        repeat_table,
    )
