"""Class hierarchies: errors, codes and the tree loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segboost.tasks.hierarchy import hierarchy_task
from segboost.tasks.taxonomy import Taxonomy

NESTED = {"all": {"left": ["a", "b"], "right": {"far": ["c", "d"]}}}
PARENTS = {
    "left": "all", "a": "left", "b": "left",
    "right": "all", "far": "right", "c": "far", "d": "far",
}  # fmt: skip


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({}, "empty"),
        ({"a": "b", "b": "a"}, "cycle"),
        ({"a": "a"}, "cycle"),
        ({"c": "root", "a": "b", "b": "a"}, "cycle"),
        ({"c": "root", "a": "b", "b": "d", "d": "b"}, "cycle"),
        ({"a": "x", "b": "y"}, "2 roots"),
        ({"a": None, "b": None}, "2 roots"),
        ({"a": "x", "b": None}, "2 roots"),
    ],
)
def test_descriptions_that_are_not_trees_are_refused(parents, message):
    with pytest.raises(ValueError, match=message):
        Taxonomy(parents)


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ({"all": {"left": ["a"], "right": ["a"]}}, "twice"),
        ({"all": {"left": ["a", "a"]}}, "twice"),
        ({"all": {"left": ["all"]}}, "twice"),
        ({"one": ["a"], "two": ["b"]}, "2 roots"),
        ({"all": {"left": "ab"}}, "expected a mapping or a list"),
        ({"all": {"a", "b"}}, "a set below 'all'.*give a list"),
        ({"all": {"left": frozenset("ab")}}, "a set below 'left'.*give a list"),
        ({"all": ["a", {"b"}]}, "below 'all', expected a name or a mapping"),
        ({"all": ["a", ["b"]]}, "below 'all', expected a name or a mapping"),
    ],
)
def test_nested_descriptions_are_checked(nested, message):
    with pytest.raises(ValueError, match=message):
        Taxonomy.make(nested)


@pytest.mark.parametrize("bad", ["tree", ["a"], 3, None])
def test_only_mappings_describe_a_tree(bad):
    with pytest.raises(ValueError, match="taxonomy must be"):
        Taxonomy.make(bad)


@pytest.mark.parametrize("classes", [["a", "x"], ["a", "left"], ["all", "a"]])
def test_classes_are_leaves(classes):
    tree = Taxonomy.make(NESTED)
    for use in (tree.codes, tree.loss, tree.check_classes):
        with pytest.raises(ValueError, match="no leaf for the class"):
            use(classes)


@pytest.mark.parametrize("description", [NESTED, PARENTS, {**PARENTS, "all": None}])
def test_codes_and_loss_by_hand(description):
    tree = Taxonomy.make(description)
    assert tree.root == "all"
    assert tree.leaves == ["a", "b", "c", "d"]
    assert "all" not in tree.nodes
    column = {node: q for q, node in enumerate(tree.nodes)}
    codes = tree.codes("abcd")
    for row, path in enumerate(["left a", "left b", "right far c", "right far d"]):
        expected = np.zeros(7)
        expected[[column[node] for node in path.split()]] = 1
        assert codes[row].tolist() == expected.tolist()
    # c and d are three steps below the root: the height counts the longest way down.
    assert tree.loss("abcd").tolist() == [
        [0, 1, 3, 3],
        [1, 0, 3, 3],
        [3, 3, 0, 1],
        [3, 3, 1, 0],
    ]
    assert Taxonomy.make(tree) is tree


def test_lists_may_hold_further_mappings_and_names_of_any_type():
    tree = Taxonomy.make({"root": [{"odd": [1, 3]}, (2, 4), False]})
    assert tree.leaves == [1, 3, (2, 4), False]
    assert tree.loss([1, 3, (2, 4)]).tolist() == [[0, 1, 2], [1, 0, 2], [2, 2, 0]]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=14))
@settings(max_examples=60, deadline=None)
def test_loss_is_an_ultrametric(draws):
    """Symmetric, zero for equal classes only, and Δ(a, c) ≤ max(Δ(a, b), Δ(b, c))."""
    parents = {0: None} | {n + 1: draw % (n + 1) for n, draw in enumerate(draws)}
    tree = Taxonomy(parents)
    loss = tree.loss(tree.leaves)
    assert np.array_equal(loss, loss.T)
    assert np.array_equal(loss == 0, np.eye(len(loss), dtype=bool))
    assert (loss[:, None, :] <= np.maximum(loss[:, :, None], loss[None]) + 1e-12).all()


def test_a_flat_tree_is_zero_one_with_unit_codes():
    tree = Taxonomy(dict.fromkeys("abc", "root"))
    assert np.array_equal(tree.loss("abc"), 1.0 - np.eye(3))
    assert np.array_equal(tree.codes("abc"), np.eye(3))


def test_nodes_without_a_class_get_no_channel():
    task = hierarchy_task(np.ones((2, 1)), np.array([0, 1]), Taxonomy.make(NESTED), ["a", "b"])
    assert [c.name for c in task.channels] == ["left", "a", "b"]
