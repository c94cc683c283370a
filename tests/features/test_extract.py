import numpy as np
import pytest
from joblib import Parallel, delayed

from segboost.features import PRESETS, extract_features, find_superpixels, learn_codebook
from segboost.features.extract import quantise


@pytest.fixture(scope="module")
def codebook(small):
    return learn_codebook([small], n_words=30)


def assert_same(one, other):
    assert one.superpixels.tobytes() == other.superpixels.tobytes()
    assert one.adjacency.edges.tobytes() == other.adjacency.edges.tobytes()
    assert one.adjacency.luv_difference.tobytes() == other.adjacency.luv_difference.tobytes()
    for name, group in one.groups.items():
        assert group.values.tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize("preset", PRESETS)
def test_matrices_have_named_columns(preset, small, codebook):
    features = extract_features(small, preset, codebook)
    count = features.superpixels.max() + 1
    assert [group.name for group in features.groups.values()] == list(features.groups)
    for group in features.groups.values():
        assert group.values.shape == (count, len(group.columns))
        assert len(set(group.columns)) == len(group.columns)
        assert group.values.dtype == np.float32
        assert np.isfinite(group.values).all()
    assert features.area.sum() == features.superpixels.size


@pytest.mark.parametrize("preset", PRESETS)
def test_bytes_are_rounded_floats(preset, small, codebook):
    features = extract_features(small, preset, codebook)
    rounded = extract_features(small, preset, codebook, dtype="uint8")
    for group in PRESETS[preset].groups:
        bounds = group.value_range()
        found = rounded[group.name]
        if bounds is None:
            np.testing.assert_array_equal(found, features[group.name])
            continue
        low, high = bounds
        assert found.dtype == np.uint8
        back = low + found / np.float32(255) * (high - low)
        inside = np.clip(features[group.name], low, high)
        assert (abs(back - inside) <= (high - low) / 509).all()


@pytest.mark.slow
def test_the_number_of_jobs_does_not_change_the_bytes(small, codebook):
    images = [small, small[:, ::-1], small[::-1]]
    alone = [extract_features(image, "classic", codebook) for image in images]
    for jobs, backend in ((2, "loky"), (3, "threading")):
        work = (delayed(extract_features)(image, "classic", codebook) for image in images)
        for one, other in zip(alone, Parallel(jobs, backend=backend)(work), strict=True):
            assert_same(one, other)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("shape", [(1, 1), (8, 8), (2, 300), (300, 2)])
def test_tiny_and_elongated_images(preset, shape, codebook):
    for image in (np.full(shape, 9, np.uint8), np.random.default_rng(0).random(shape)):
        features = extract_features(image, preset, codebook)
        assert all(np.isfinite(group.values).all() for group in features.groups.values())


def test_own_superpixels(small, codebook):
    labels = np.zeros(small.shape[:2], np.int64)
    labels[30:, :] = 1
    features = extract_features(small, "classic", codebook, superpixels=labels)
    np.testing.assert_array_equal(features.superpixels, labels)
    assert features["colour"].shape[0] == 2
    with pytest.raises(ValueError, match=r"^superpixels: expected integer labels"):
        extract_features(small, "classic", codebook, superpixels=labels[1:])


def test_mirrored_image_gives_mirrored_patches(small, codebook):
    labels = find_superpixels(small)
    first = extract_features(small, "classic", codebook, superpixels=labels)
    mirrored = extract_features(
        small[:, ::-1], "classic", codebook, superpixels=np.ascontiguousarray(labels[:, ::-1])
    )
    # The energy of a patch stays the same; a centre between pixels may move by one.
    name = next(name for name in first.groups if name.startswith("gist"))
    one, other = first[name].mean(axis=1), mirrored[name].mean(axis=1)
    assert np.corrcoef(one, other)[0, 1] > 0.99


def test_codes_are_clipped_at_both_ends():
    values = np.array([[-1.0, 0.0, 0.5, 1.0, 9.0]], np.float32)
    found = quantise(values, np.float32([0]), np.float32([1]))
    np.testing.assert_array_equal(found, [[0, 0, 128, 255, 255]])


def test_inputs_are_not_changed(small, codebook):
    image = small.copy()
    labels = find_superpixels(image)
    before = labels.copy()
    extract_features(image, "classic", codebook, superpixels=labels)
    np.testing.assert_array_equal(image, small)
    np.testing.assert_array_equal(labels, before)
