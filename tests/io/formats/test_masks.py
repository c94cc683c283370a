from __future__ import annotations

import numpy as np
import pytest

from segboost.io.errors import ImageFileError
from segboost.io.formats.masks import mask_of_colours, mask_of_labels


def test_label_images_become_foreground():
    labels = np.array([[0, 70000], [1, 0]], np.uint32)
    assert mask_of_labels(labels).tolist() == [[0, 1], [1, 0]]
    assert mask_of_labels(labels.astype(np.float32)).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("labels", [np.array([[-1, 0]]), np.array([[0.5, 0]]), np.zeros(3)])
def test_other_arrays_are_refused(labels):
    with pytest.raises(ValueError, match="labels"):
        mask_of_labels(labels)


def test_colours_become_classes_and_void():
    picture = np.array([[[0, 0, 0], [255, 0, 0]], [[0, 0, 255], [9, 9, 9]]], np.uint8)
    colours = [(0, 0, 0), (255, 0, 0), (0, 0, 255)]
    assert mask_of_colours(picture, colours, void=(9, 9, 9)).tolist() == [[0, 1], [2, 255]]
    with pytest.raises(ImageFileError, match=r"#090909 \(1 pixels\) are not in the legend"):
        mask_of_colours(picture, colours)
    with pytest.raises(ValueError, match="same colour"):
        mask_of_colours(picture, [(0, 0, 0), (0, 0, 0)])
