"""Taxonomy files: three ways to write one tree, and invalid files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segboost.datasets.tables.taxonomy_files import TaxonomyFileError, match_classes, read_taxonomy
from segboost.tasks.taxonomy import Taxonomy
from tests.datasets.tables.outcomes import SOURCE, outcome

NESTED = {"all": {"left": ["a", "b"], "right": {"far": ["c", {"deep": ["d"]}]}}}
PARENTS = {
    "left": "all", "a": "left", "b": "left", "right": "all", "far": "right", "c": "far",
    "deep": "far", "d": "deep",
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(NESTED),
        json.dumps(PARENTS),
        json.dumps({**PARENTS, "all": None}),
        json.dumps([list(pair) for pair in PARENTS.items()]),
        "# child, parent\n" + "".join(f"{c}, {p}\n" for c, p in PARENTS.items()),
        "\n".join(f"{c}\t{p}" for c, p in PARENTS.items()),
        "all;\n" + "\n".join(f"{c};{p}" for c, p in PARENTS.items()),
    ],
)
def test_all_notations_give_the_same_tree(tmp_path, text):
    (tmp_path / "t").write_text(text)
    tree = read_taxonomy(tmp_path / "t")
    assert tree.parents == PARENTS
    assert tree.root == "all"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("{}", "empty"),
        ('{"a": {"b": ["c"]}, "d": ["e"]}', "2 roots"),
        ("a,x\nb,y\n", "2 roots"),
        ("a,b\nb,a\n", "cycle through 'a'"),
        ("a,a\n", "cycle through 'a'"),
        ("e,root\na,b\nb,c\nc,b\n", "cycle"),
        ("a,b\na,c\n", "line 2: 'a' has two parents"),
        ("a,b,c\n", "line 1: expected child,parent"),
        ("a\n", "line 1: expected child,parent"),
        (",b\n", "line 1: expected child,parent"),
        ("a,\n", "'a' is the only node"),
        ('{"a": ["b", "b"]}', "'b' is named twice"),
        ('{"a": {"x": ["b"], "x": ["c"]}}', "'x' is named twice"),
        ('{"a": {"x": ["a"]}}', "'a' is named twice"),
        ('{"a": {"x": 3.5}}', "expected an object or list"),
        ('{"a": {"x": [null]}}', "expected a name"),
        ('{"a": {"x": [true]}}', "expected the name of a node"),
        ('[["a"]]', "entry 1: expected .child, parent."),
        ('[[null, "a"]]', "entry 1: expected a name"),
        ('{"a": ', "line 1: not JSON"),
        ("[" * 100000, "levels"),
        (
            "".join(f'{{"{i}":' for i in range(300)) + '["x"]' + "}" * 300,
            "more than 100 levels",
        ),
        ("\n".join(f"{i},{i + 1}" for i in range(500)), "more than 100 levels"),
    ],
)
def test_files_that_are_not_trees_are_refused_by_name(tmp_path, text, message):
    path = tmp_path / "tree"
    path.write_text(text)
    with pytest.raises(TaxonomyFileError, match=message) as error:
        read_taxonomy(path)
    assert str(error.value).startswith(str(path))


def test_a_file_that_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / "t").write_bytes(b"\xff\xfe")
    with pytest.raises(TaxonomyFileError, match="UTF-8"):
        read_taxonomy(tmp_path / "t")


@given(
    st.text('{}[]",:ab\n \t#;1', max_size=60)
    | st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"))).map(json.dumps)
)
def test_arbitrary_text_is_a_tree_or_one_clear_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("t") / "a"
    path.write_text(text)

    def read() -> Taxonomy:
        try:
            return read_taxonomy(path)
        except TaxonomyFileError as error:
            raise TaxonomyFileError(str(error).replace(str(path), SOURCE)) from None

    found = outcome(read)
    if not isinstance(found, str):
        assert found.leaves
        assert found.loss(found.leaves).shape == (len(found.leaves),) * 2


def test_leaves_take_the_classes_own_values():
    tree = Taxonomy({"1": "odd", "3": "odd", "2": "even", "odd": "all", "even": "all"})
    matched = match_classes(tree, [1, 2, 3])
    assert matched.leaves == [1, 3, 2]
    assert matched.loss([1, 2, 3]).tolist() == [[0, 2, 1], [2, 0, 2], [1, 2, 0]]
    assert match_classes(tree, [1, 2]).leaves == [1, "3", 2]


def test_a_class_without_a_leaf_is_named():
    tree = Taxonomy({"kichen": "in", "bath": "in", "in": "all", "park": "all"})
    with pytest.raises(ValueError, match=r"no leaf for the classes 'kitchen'; .*rows: 'kichen'"):
        match_classes(tree, ["bath", "kitchen", "park"])
    with pytest.raises(ValueError, match=r"'in' \(an inner node, expected a leaf\)"):
        match_classes(tree, ["bath", "in", "park"])
