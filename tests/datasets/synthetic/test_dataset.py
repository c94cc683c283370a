from __future__ import annotations

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy import ndimage
from sklearn.linear_model import LogisticRegression

from segboost.datasets import LabelledImage, load_synthetic
from segboost.datasets.synthetic.shapes import OBJECT_SHAPES, draw_bar, draw_shape
from segboost.datasets.synthetic.textures import PATTERNS, draw_texture, paint_texture, smooth_noise


def test_defaults():
    data = load_synthetic()
    assert (len(data.train), len(data.test)) == (60, 40)
    image, mask = data.train[0].load()
    assert image.shape == (120, 160, 3)
    assert image.dtype == mask.dtype == np.uint8
    assert len({item.name for item in data.split("all")}) == 100
    assert len({item.key() for item in data.split("all")}) == 100


def test_every_mask_has_both_classes_and_no_other():
    for item in load_synthetic(30, 0).train:
        mask = item.mask()
        assert set(np.unique(mask)) == {0, 1}
        assert 0.01 < mask.mean() < 0.6


def test_the_same_parameters_give_the_same_bytes():
    first, again = (load_synthetic(3, 3, seed=4) for _ in range(2))
    for a, b in zip(first.split("all"), again.split("all"), strict=True):
        np.testing.assert_array_equal(a.image(), b.image())
        np.testing.assert_array_equal(a.mask(), b.mask())
        assert a.key() == b.key()


def test_the_number_of_images_does_not_change_the_images():
    few, many = load_synthetic(2, 1), load_synthetic(5, 4)
    np.testing.assert_array_equal(few.train[1].image(), many.train[1].image())
    np.testing.assert_array_equal(few.test[0].image(), many.test[0].image())
    assert few.test[0].image_key() == many.test[0].image_key()


def test_keys_change_with_each_parameter():
    base = load_synthetic(1, 1).train[0]
    others = [
        load_synthetic(1, 1).test[0],
        load_synthetic(1, 1, seed=1).train[0],
        load_synthetic(1, 1, height=100).train[0],
        load_synthetic(1, 1, width=100).train[0],
    ]
    assert len({item.image_key() for item in (base, *others)}) == 5
    assert base.image_key() != base.mask_key()
    assert not np.array_equal(base.image(), others[0].image())
    assert not np.array_equal(base.image(), others[1].image())


@pytest.mark.slow
def test_items_can_be_sent_to_workers():
    items = load_synthetic(2, 0).train
    drawn = Parallel(n_jobs=2)(delayed(LabelledImage.image)(item) for item in items)
    for item, image in zip(items, drawn, strict=True):
        np.testing.assert_array_equal(image, item.image())


@pytest.mark.parametrize("size", [(32, 32), (33, 250), (240, 320)])
def test_sizes(size):
    image, mask = load_synthetic(1, 0, height=size[0], width=size[1]).train[0].load()
    assert mask.shape == size
    assert image.shape == (*size, 3)


@pytest.mark.parametrize(
    "options", [{"n_train": -1}, {"n_test": -1}, {"seed": -1}, {"height": 31}, {"width": 5}]
)
def test_parameters_out_of_range(options):
    with pytest.raises(ValueError, match="must"):
        load_synthetic(**options)


@pytest.mark.parametrize("kind", OBJECT_SHAPES)
def test_shapes_fill_a_part_of_the_image(kind):
    shares = [draw_shape(np.random.default_rng(i), kind, (120, 160), 30).mean() for i in range(20)]
    assert 0.02 < np.mean(shares) < 0.4
    bars = [draw_bar(np.random.default_rng(i), (120, 160), 5).mean() for i in range(20)]
    assert 0.01 < np.mean(bars) < 0.1


@pytest.mark.parametrize("pattern", PATTERNS)
def test_textures_stay_between_their_colours(pattern):
    rng = np.random.default_rng(0)
    texture = draw_texture(rng, pattern, 0.06)
    painted = paint_texture(rng, texture, (40, 50))
    low = np.minimum(texture.dark, texture.light) - 1e-6
    high = np.maximum(texture.dark, texture.light) + 1e-6
    assert painted.shape == (40, 50, 3)
    assert ((painted >= low) & (painted <= high)).all()
    assert painted.std(axis=(0, 1)).max() > 0.02


@pytest.mark.parametrize("scale", [1.0, 5.0, 20.0])
def test_noise_is_normalised_and_smooth(scale):
    noise = smooth_noise(np.random.default_rng(0), (90, 70), scale)
    assert noise.shape == (90, 70)
    assert abs(noise.mean()) < 1e-4
    assert noise.std() == pytest.approx(1, abs=1e-3)
    assert np.abs(np.diff(noise, axis=0)).mean() < 1.2 / scale


def local_features(image):
    """Return colour, warmth and contrast around every seventh pixel, in two window sizes."""
    values = image.astype(np.float32) / 255
    grey = values.mean(axis=2)
    columns = []
    for size in (5, 11):
        mean = [ndimage.uniform_filter(values[..., c], size) for c in range(3)]
        spread = ndimage.uniform_filter(grey**2, size) - ndimage.uniform_filter(grey, size) ** 2
        columns += [*mean, np.sqrt(spread.clip(0)), mean[0] - mean[2], mean[0] - mean[1]]
    return np.stack(columns, axis=-1).reshape(-1, 12)[::7]


def test_local_evidence_helps_and_does_not_suffice():
    data = load_synthetic(24, 16)
    train, test = (
        [(local_features(item.image()), item.mask().ravel()[::7]) for item in part]
        for part in (data.train, data.test)
    )
    learner = LogisticRegression(max_iter=300, class_weight="balanced")
    learner.fit(np.concatenate([x for x, _ in train]), np.concatenate([y for _, y in train]))
    guess = learner.predict(np.concatenate([x for x, _ in test])) == 1
    truth = np.concatenate([y for _, y in test]) == 1
    overlap = (guess & truth).sum() / (guess | truth).sum()
    assert truth.mean() + 0.08 < overlap < 0.7
