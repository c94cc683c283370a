"""Fingerprints of predictions: a few numbers per array that other processors reproduce."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("expected.json")
FREQUENCIES = (0.37, 1.13, 2.71)
TOLERANCE = 1e-6
"""Relative to the norm of the array; rounding differs between processors."""

CASES = {}
"""Functions by case name; each returns a mapping of names to arrays of predictions."""


def case(name):
    """Register a function as a case with fingerprints."""

    def register(function):
        CASES[name] = function
        return function

    return register


def fingerprint(array):
    """Return the shape and norm of an array and its products with fixed waves.

    A changed, moved or missing value changes the products.
    """
    values = np.asarray(array, dtype=np.float64)
    flat = values.ravel()
    place = np.arange(1, flat.size + 1)
    waves = [float(flat @ np.cos(f * place)) for f in FREQUENCIES]
    return {
        "shape": list(values.shape),
        "norm": float(f"{np.linalg.norm(flat):.9g}"),
        "waves": [float(f"{wave:.9g}") for wave in waves],
    }


def rounding():
    """Return a digest of how this processor rounds sums, products and functions.

    Libraries choose kernels by processor, and their results differ in the last bit; a tie that
    is broken the other way then gives a different, equally good model.
    """
    rng = np.random.default_rng(0)
    double = rng.normal(size=(70, 70))
    single = double.astype(np.float32)
    results = [m @ m for m in (double, single)]
    results += [f(m) for m in (double, single) for f in (np.exp, np.cos, np.sum)]
    return hashlib.sha256(b"".join(np.asarray(r).tobytes() for r in results)).hexdigest()[:16]


def assert_same(name, expected, arrays):
    """Compare arrays with the fingerprints of a case."""
    assert sorted(arrays) == sorted(expected), name
    for key, array in arrays.items():
        found, wanted = fingerprint(array), expected[key]
        assert found["shape"] == wanted["shape"], f"{name}, {key}"
        np.testing.assert_allclose(
            [found["norm"], *found["waves"]],
            [wanted["norm"], *wanted["waves"]],
            rtol=0,
            atol=TOLERANCE * max(wanted["norm"], 1e-3),
            err_msg=f"{name}, {key}: predictions have changed; if they are meant to, "
            "run python -m tests.fingerprints",
        )


def read():
    """Return the expected fingerprints of all cases, and the digests of cache keys."""
    return json.loads(FILE.read_text())
