"""Synthetic scenes of four classes."""

import numpy as np
import pytest

from segboost.datasets import load_dataset, load_synthetic, load_synthetic_classes


def test_four_classes_in_known_shares():
    data = load_synthetic_classes(12, 2, height=60, width=80)
    masks = np.stack([item.mask() for item in data.train])
    shares = np.array([(masks == k).mean() for k in (0, 1, 2, 3, 255)])
    assert data.legend.names == ("sky", "field", "object", "post")
    assert shares.sum() == pytest.approx(1)
    assert (shares > 0.01).all()
    assert shares[:2].min() > 0.15


def test_scenes_are_reproducible_and_differ_from_the_two_class_scenes():
    first, second = (load_dataset("synthetic-classes", n_train=2, n_test=1) for _ in range(2))
    np.testing.assert_array_equal(first.train[0].image(), second.train[0].image())
    assert first.train[0].key() == second.train[0].key()
    assert first.train[0].key() != load_synthetic(1, 1).train[0].key()
    assert len({item.key() for item in first.split("all")}) == 3
