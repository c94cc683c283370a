import numpy as np
import pytest

from segboost.features import Codebook, ImageContext, find_superpixels, learn_codebook
from segboost.features.groups.words import image_descriptors, word_histograms


@pytest.fixture(scope="module")
def codebook(photograph, small):
    return learn_codebook([photograph, small], n_words=20, per_image=300, random_state=3)


def test_same_seed_same_bytes(codebook, photograph, small):
    images = [photograph, small]
    again = learn_codebook(iter(images), n_words=20, per_image=300, random_state=3)
    assert again.words.tobytes() == codebook.words.tobytes()
    other = learn_codebook(images, n_words=20, per_image=300, random_state=4)
    assert other.words.tobytes() != codebook.words.tobytes()
    assert codebook.words.shape == (20, 128)


def test_words_fit_their_descriptors(codebook, grey):
    _, descriptors = image_descriptors(grey)
    names = codebook.nearest_words(descriptors)
    distances = ((descriptors[:, None] - codebook.words) ** 2).sum(axis=2)
    nearest = distances.min(axis=1)
    np.testing.assert_allclose(distances[np.arange(names.size), names], nearest, atol=1e-5)
    # Words are nearer than the mean descriptor.
    whole = ((descriptors - descriptors.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert nearest.mean() < 0.75 * whole


def test_histograms_count_two_steps(codebook, small):
    context = ImageContext(small, find_superpixels(small))
    points, descriptors = image_descriptors(context.grey)
    names = codebook.nearest_words(descriptors)
    owner = context.labels[tuple(points.T)]
    near = {p: {p} for p in range(context.count)}
    for _ in range(2):
        grown = {p: set(found) for p, found in near.items()}
        for a, b in context.adjacency.edges:
            for p, found in near.items():
                if a in found or b in found:
                    grown[p] |= {int(a), int(b)}
        near = grown
    found = word_histograms(context, codebook)
    for p in (0, context.count // 2, context.count - 1):
        counts = np.bincount(names[np.isin(owner, list(near[p]))], minlength=20)
        np.testing.assert_allclose(found[p] ** 2, counts / max(counts.sum(), 1), atol=1e-6)


def test_image_without_enough_descriptors():
    codebook = learn_codebook([np.zeros((8, 8), np.uint8)])
    assert codebook.words.shape == (200, 128)


def test_arrays_restore_the_codebook(codebook):
    again = Codebook.from_arrays(codebook.to_arrays())
    assert again.words.tobytes() == codebook.words.tobytes()


@pytest.mark.parametrize("words", [np.zeros((3, 5)), np.zeros(128), np.full((2, 128), np.nan)])
def test_bad_codebook_is_refused(words):
    with pytest.raises(ValueError, match=r"words: expected finite numbers of shape \(K, 128\)"):
        Codebook(words)


def test_no_images_are_refused():
    with pytest.raises(ValueError, match="images: expected at least one"):
        learn_codebook([])
    with pytest.raises(ValueError, match="codebook: expected the array"):
        Codebook.from_arrays({})
