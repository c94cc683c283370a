"""An order of the labels that depends on their costs and not on their numbers.

Move-making algorithms visit one label after the other and break ties in that order. Visiting the
labels in the order of their costs makes the result equivariant: renumbering the labels renumbers
the result. Only labels whose costs are the same at every node stay in the order of their numbers;
they are interchangeable.
"""

from __future__ import annotations

import numpy as np

from segboost._types import FloatArray, IntArray

BITS = 40
"""Costs are rounded to this many bits and summed as integers, so that the sum does not depend on
the order of the nodes."""


def label_order(theta: FloatArray, factor: FloatArray) -> IntArray:
    """Return the labels by ascending total cost, shape (K,).

    Ties are broken by the label's factors, then by its sorted costs, which both ignore the order
    of nodes and labels, and last by its costs node by node.

    Parameters
    ----------
    theta : ndarray of shape (P, K)
    factor : ndarray of shape (K, K)
    """
    exponent = int(np.frexp(np.abs(theta).max(initial=0.0))[1])
    rounded = np.rint(np.ldexp(theta, BITS - exponent)).astype(np.int64)
    total = rounded.sum(axis=0)
    if len(np.unique(total)) == total.size:
        return np.argsort(total).astype(np.intp)
    # The last key of lexsort is the primary one.
    keys = [theta[::-1], np.sort(theta, axis=0)[::-1], np.sort(factor, axis=0), total[None]]
    return np.lexsort(np.concatenate(keys)).astype(np.intp)
