"""The best cut of every node of a level, read from histograms of gradients and curvatures."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def best_cuts(histogram, total, l2, min_curvature):  # type: ignore[no-untyped-def]
    """Return column, byte and left sums of the best cut of every node; −1 if no cut gains.

    The gain of a cut is ``G_l²/(H_l + λ) + G_r²/(H_r + λ) − G²/(H + λ)``.
    """
    n_columns, n_nodes, bins, _ = histogram.shape
    best = np.full((n_nodes, 2), -1, dtype=np.int64)
    left = np.zeros((n_nodes, 2))
    gain = np.full(n_nodes, 1e-9)
    for k in range(n_columns):
        for n in range(n_nodes):
            g, h = total[n]
            if h < 2 * min_curvature:
                continue
            whole = g * g / (h + l2)
            gl, hl = 0.0, 0.0
            for b in range(bins - 1):
                gl += histogram[k, n, b, 0]
                hl += histogram[k, n, b, 1]
                if hl < min_curvature:
                    continue
                hr = h - hl
                if hr < min_curvature:
                    break
                gr = g - gl
                found = gl * gl / (hl + l2) + gr * gr / (hr + l2) - whole
                if found > gain[n]:
                    gain[n] = found
                    best[n, 0], best[n, 1] = k, b
                    left[n, 0], left[n, 1] = gl, hl
    return best, left
