"""Conversion of a cutting-plane fit's history and certificate to arrays and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple

import numpy as np

from segboost._types import AnyArray
from segboost.baselines.cutting_plane import SVMCertificate, SVMStep
from segboost.weak.checks import read_array


def pack_history(history: Sequence[SVMStep], certificate: SVMCertificate) -> dict[str, AnyArray]:
    """Return the steps, shape (n, 5), and the certificate, shape (5,), in field order.

    Arrays instead of JSON, because the bounds of an interrupted fit may be infinite.
    """
    steps = np.array([astuple(step) for step in history], dtype=np.float64).reshape(-1, 5)
    return {"history": steps, "certificate": np.array(astuple(certificate), dtype=np.float64)}


def unpack_history(
    arrays: Mapping[str, AnyArray],
) -> tuple[list[SVMStep], SVMCertificate]:
    """Return the history that `pack_history` stored; ValueError if the arrays do not fit."""
    steps = read_array(arrays, "history", "f", (None, 5), finite=False).tolist()
    end = read_array(arrays, "certificate", "f", (5,), finite=False).tolist()
    history = [SVMStep(o, low, gap, int(n), seconds) for o, low, gap, n, seconds in steps]
    objective, lower_bound, gap, exact, converged = end
    return history, SVMCertificate(objective, lower_bound, gap, bool(exact), bool(converged))
