"""Tables whose features have few values, so that all stumps can be enumerated."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.contracts.problem import Shuffled


def draw_table(seed: int, m: int, d: int, k: int) -> dict[str, Any]:
    """Return m rows of d small whole numbers that grow with the class, and k classes."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, m - k)])
    X = (y[:, None] + rng.integers(-2, 3, (m, d))).astype(float)
    return {"X": X, "y": y}


def shuffle_table(data: dict[str, Any], rng: np.random.Generator, n_codes: int = 1) -> Shuffled:
    """Permute rows and features; the atoms are (code entry, example)."""
    m = len(data["y"])
    row, column = rng.permutation(m), rng.permutation(data["X"].shape[1])
    atoms = np.arange(n_codes * m).reshape(n_codes, m)[:, row].ravel()
    shuffled = {"X": data["X"][row][:, column], "y": data["y"][row]}
    return Shuffled(shuffled, atoms, lambda decoded: decoded[row])


def repeat_table(data: dict[str, Any], counts: np.ndarray) -> dict[str, Any]:
    """Return the data with every row repeated `counts` times."""
    return {key: np.repeat(value, counts, axis=0) for key, value in data.items()}
