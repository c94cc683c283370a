"""Scenes as tables: HOG cells per image, and visual words learned from a run's training part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from segboost._types import AnyArray, Float32Array, FloatArray
from segboost.features.groups.scene_words import (
    learn_block_words,
    scene_cells,
    stack_blocks,
    word_pyramid,
)
from segboost.io.image_files import read_image
from segboost.pipelines.runtime.artefact_store import (
    Artefact,
    ArtefactStore,
    KeyParts,
    array_key,
    file_key,
)
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.runtime.worker_lifetime import ends_with_this_process
from segboost.progress import Progress, track

CELLS_STAGE = "scene-cells"
WORDS_STAGE = "scene-words"


@dataclass(frozen=True)
class SceneSettings:
    """Settings of the features of a scene.

    Parameters
    ----------
    side : int
        Images are scaled to side × side pixels.
    n_cells : int
        HOG cells along each side.
    n_words : int
        Number of words in the codebook.
    levels : tuple of int
        Words are counted over l × l regions for each of these l.
    """

    side: int = 160
    n_cells: int = 16
    n_words: int = 200
    levels: tuple[int, ...] = (1, 2)


def load_cells(
    paths: Sequence[Path],
    settings: SceneSettings,
    cache: Path,
    n_jobs: int,
    progress: Progress,
) -> Float32Array:
    """Return the HOG cells of images, shape (N, n, n, 31), computed once and then cached."""
    parameters = {"side": settings.side, "n_cells": settings.n_cells}
    parts = KeyParts(parameters, tuple(file_key(path) for path in paths))

    def make() -> Artefact:
        jobs = (delayed(ends_with_this_process(_cells))(path, settings) for path in paths)
        with single_threaded():
            done = Parallel(n_jobs=n_jobs, return_as="generator", batch_size=32)(jobs)
            rows = list(track(done, progress, "HOG features", len(paths)))
        return Artefact({"cells": np.stack(rows)})

    return ArtefactStore(cache).get_or_make(CELLS_STAGE, parts, make).arrays["cells"]


def scene_table(
    cells: Float32Array,
    train: AnyArray,
    settings: SceneSettings,
    seed: int,
    cache: Path,
) -> FloatArray:
    """Return the rows of all images, shape (N, d), with words learned from the training rows.

    Parameters
    ----------
    cells : ndarray of float32, shape (N, n, n, 31)
    train : ndarray of int
        Rows from which the codebook is learned.
    settings : SceneSettings
    seed : int
    cache : Path
    """
    parameters = {**asdict(settings), "seed": seed}
    parts = KeyParts(parameters, (array_key(cells), array_key(np.asarray(train, np.int64))))

    def make() -> Artefact:
        blocks = stack_blocks(cells)
        words = learn_block_words(blocks[np.sort(train)], settings.n_words, random_state=seed)
        return Artefact({"rows": word_pyramid(blocks, words, settings.levels)})

    rows = ArtefactStore(cache).get_or_make(WORDS_STAGE, parts, make).arrays["rows"]
    return rows.astype(np.float64)


def _cells(path: Path, settings: SceneSettings) -> Float32Array:
    return scene_cells(read_image(path), settings.side, settings.n_cells)
