"""Codebook words: the centres of mini-batch k-means, reproducible from a seed."""

from __future__ import annotations

import numpy as np

from segboost._types import Float32Array, IntArray


def cluster_words(sample: Float32Array, n_words: int, rng: np.random.Generator) -> Float32Array:
    """Return the centres of mini-batch k-means, shape (n_words, d), of a sample, shape (N, d)."""
    from sklearn.cluster import MiniBatchKMeans
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped,unused-ignore]

    different = np.unique(sample, axis=0)
    if len(different) < n_words:
        # Tiny or uniform images have fewer distinct descriptors than words: pad with zero words,
        # of which only the first can be the nearest.
        lost = np.zeros((n_words - len(different), sample.shape[1]), np.float32)
        return np.concatenate([different, lost])
    clusters = MiniBatchKMeans(
        n_clusters=n_words,
        batch_size=4096,
        n_init=1,
        max_iter=50,
        random_state=int(rng.integers(2**31)),
    )
    with threadpool_limits(1):  # the order of summation would change the bytes
        clusters.fit(sample)
    return np.asarray(clusters.cluster_centers_, dtype=np.float32)


def nearest_word(descriptors: Float32Array, words: Float32Array) -> IntArray:
    """Return the nearest word of each descriptor, ``argmin_k ‖d − w_k‖²``, shape (N,)."""
    scores = descriptors @ words.T
    scores -= (words.astype(np.float64) ** 2).sum(axis=1).astype(np.float32) / 2
    return np.asarray(scores.argmax(axis=1))
