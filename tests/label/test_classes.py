"""The classes of a folder: permitted changes, and their effect on strokes."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from segboost.label.classes import (
    DEFAULT,
    MOST_CLASSES,
    ClassList,
    PaintedClassError,
    free_colour,
    read_classes,
    write_classes,
)
from segboost.label.masks import ConflictError
from segboost.label.project import LabelProject
from segboost.label.session import LabelSession, revision
from tests.label.folders import HEIGHT, WIDTH, write_images


def entries(classes):
    return [c.to_dict() for c in classes.classes]


def third(classes=DEFAULT, name="wheel"):
    return classes.changed([*entries(classes), {"value": None, "name": name, "colour": None}])


def test_a_new_class_gets_a_new_value_and_colour():
    three = third()
    assert three.values == (0, 1, 2)
    assert three.classes[2].name == "wheel"
    assert len({c.colour for c in three.classes}) == 3
    again = three.changed(entries(three)[:2])
    assert third(again).values == (0, 1, 3)  # values are never reused


def test_changed_order_names_and_colours_keep_the_values():
    shown = entries(third())
    shown[0] |= {"name": "leaf", "colour": "#123456"}
    changed = third().changed([shown[2], shown[0], shown[1]])
    assert [c.value for c in changed.classes] == [2, 1, 0]
    assert [c.name for c in changed.ordered] == ["background", "leaf", "wheel"]
    assert changed.classes[1].colour == (0x12, 0x34, 0x56)
    assert changed.index_table()[[0, 1, 2, 3, 255]].tolist() == [0, 1, 2, 255, 255]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda e: e[:1], "2 to 60"),
        (lambda e: [e[0], {**e[1], "name": "Foreground"}], "same name"),
        (lambda e: [e[0], {**e[1], "name": "  "}], "needs a name"),
        (lambda e: [e[0], {**e[1], "name": "a\nb"}], "needs a name"),
        (lambda e: [e[0], {**e[1], "name": "x" * 61}], "at most 60"),
        (lambda e: [e[0], {**e[1], "colour": "red"}], "#rrggbb"),
        (lambda e: [e[0], {**e[1], "colour": e[0]["colour"]}], "same colour"),
        (lambda e: [e[0], {**e[1], "value": 7}], "removed in the meantime"),
        (lambda e: [e[0], "background"], "must be an object"),
        (lambda e: [e[0], e[0]], "same value"),
    ],
)
def test_invalid_lists_of_classes_are_refused(change, problem):
    with pytest.raises(ValueError, match=problem):
        DEFAULT.changed(change(entries(DEFAULT)))


def test_sixty_classes_have_sixty_colours():
    many = DEFAULT
    for k in range(MOST_CLASSES - 2):
        many = third(many, f"class {k}")
    assert len({c.colour for c in many.classes}) == MOST_CLASSES
    with pytest.raises(ValueError, match="2 to 60"):
        third(many)
    assert free_colour([]) == "#2f7fe6"


def test_the_last_value_is_used_and_then_no_class_can_be_added():
    last = third(replace(DEFAULT, unused=254))
    assert last.values == (0, 1, 254)
    with pytest.raises(ValueError, match="too many classes were added and removed"):
        third(last, "fourth")


def test_classes_are_stored_and_damage_is_reported(tmp_path):
    path = tmp_path / "work" / "classes.json"
    assert read_classes(path) is DEFAULT
    write_classes(path, third())
    assert read_classes(path) == third()
    for text in ("", "[]", '{"classes": 3}', json.dumps({**third().to_dict(), "unused": 1})):
        path.write_text(text)
        with pytest.raises(ValueError, match="correct or remove the file"):
            read_classes(path)
    assert ClassList.from_dict(DEFAULT.to_dict()) == DEFAULT


def painted(session, name, *values):
    image = next(i for i in session.images.scan() if i.name == name)
    mask = np.full((HEIGHT, WIDTH), 255, np.uint8)
    for row, value in enumerate(values):
        mask[10 * row : 10 * row + 5] = value
    session.save(image, mask, session.masks.version(image))
    return image, mask


def test_strokes_of_a_removed_class_become_void_and_stay_so(tmp_path):
    write_images(tmp_path, 2)
    session = LabelSession(tmp_path, 0)
    shown = entries(third())
    shown[2]["value"] = None
    session.change_classes(shown, revision(session.classes))
    image, mask = painted(session, "scene_0.png", 0, 1, 2)
    alone, _ = painted(session, "scene_1.png", 2)
    assert np.array_equal(session.masks.read(image), mask)
    known = revision(session.classes)
    for erase in ([], [0, 1]):  # not confirmed, or confirmed for other classes
        with pytest.raises(PaintedClassError, match="strokes of wheel will become void") as asked:
            session.change_classes(entries(session.classes)[:2], known, erase)
        assert asked.value.values == [2]
        assert revision(session.classes) == known
        assert np.array_equal(session.masks.read(image), mask)
    session.change_classes(entries(session.classes)[:2], known, [2])
    found = session.masks.read(image)
    assert (found[mask == 2] == 255).all()
    assert (found[mask == 1] == 1).all()
    assert not session.masks.path(alone).exists()
    with pytest.raises(ConflictError):  # the revision that another tab knew
        session.change_classes(shown, known)
    # The same if the server was killed before it could rewrite the masks.
    session.masks._write(image, mask)
    again = LabelSession(tmp_path, 0)
    assert np.array_equal(again.masks.read(image), found)
    assert np.array_equal(LabelProject(tmp_path).item("scene_0.png").mask(), found)


def test_a_mask_may_only_hold_values_of_classes(tmp_path):
    write_images(tmp_path, 1)
    session = LabelSession(tmp_path, 0)
    with pytest.raises(ValueError, match="values of classes"):
        painted(session, "scene_0.png", 2)
