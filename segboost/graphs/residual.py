"""Augmenting paths on a residual graph in compressed rows: the kernels of the min-marginals.

State: ``residual[a]`` of every arc, and ``terminal[p]``: if positive, the residual capacity from
the source to p; if negative, that from p to the sink. Shortest augmenting paths saturate an arc
exactly, so that their number is bounded in spite of rounding.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from segboost._types import FloatArray, Int64Array, IntArray

Marks = Int64Array


@njit(cache=True, nogil=True)
def _search(
    first: IntArray,
    head: IntArray,
    mate: IntArray,
    residual: FloatArray,
    terminal: FloatArray,
    start: int,
    towards: float,
    parent: IntArray,
    seen: Marks,
    stamp: int,
    queue: IntArray,
) -> int:
    """Return the nearest node with residual capacity at the wanted terminal, or −1.

    ``towards = −1`` searches along the flow from `start` to the sink, ``towards = +1`` against it
    to the source. ``parent[q]`` is the arc by which q was entered, in the search direction.
    """
    seen[start] = stamp
    queue[0] = start
    done, size = 0, 1
    while done < size:
        p = queue[done]
        done += 1
        if terminal[p] * towards > 0.0:
            return p
        for a in range(first[p], first[p + 1]):
            q = head[a]
            if seen[q] == stamp:
                continue
            open_arc = a if towards < 0.0 else mate[a]
            if residual[open_arc] > 0.0:
                seen[q] = stamp
                parent[q] = a
                queue[size] = q
                size += 1
    return -1


@njit(cache=True, nogil=True)
def _push(
    head: IntArray,
    mate: IntArray,
    residual: FloatArray,
    terminal: FloatArray,
    start: int,
    end: int,
    towards: float,
    parent: IntArray,
    limit: float,
) -> float:
    """Push as much flow as possible along the path, at most `limit`; return the amount."""
    amount = min(limit, abs(terminal[end]))
    p = end
    while p != start:
        a = parent[p]
        amount = min(amount, residual[a if towards < 0.0 else mate[a]])
        p = head[mate[a]]
    p = end
    while p != start:
        a = parent[p]
        forward, back = (a, mate[a]) if towards < 0.0 else (mate[a], a)
        residual[forward] -= amount
        residual[back] += amount
        p = head[mate[a]]
    terminal[end] -= towards * amount
    return amount


@njit(cache=True, nogil=True)
def maximise_flow(
    first: IntArray, head: IntArray, mate: IntArray, residual: FloatArray, terminal: FloatArray
) -> None:
    """Push the maximum flow from source to sink, in place in `residual` and `terminal`."""
    n = terminal.shape[0]
    parent = np.zeros(n, np.intp)
    queue = np.empty(n, np.intp)
    seen = np.zeros(n, np.int64)
    stamp = 0
    for start in range(n):
        while terminal[start] > 0.0:
            stamp += 1
            end = _search(
                first, head, mate, residual, terminal, start, -1.0, parent, seen, stamp, queue
            )
            if end < 0:
                break
            terminal[start] -= _push(
                head, mate, residual, terminal, start, end, -1.0, parent, terminal[start]
            )


@njit(cache=True, nogil=True)
def _note_path(
    head: IntArray,
    mate: IntArray,
    parent: IntArray,
    start: int,
    end: int,
    noted: Marks,
    mark: int,
    touched: IntArray,
    size: int,
) -> int:
    """Append the nodes of the path that are not in `touched` yet; return its new size."""
    p = end
    while True:
        if noted[p] != mark:
            noted[p] = mark
            touched[size] = p
            size += 1
        if p == start:
            return size
        p = head[mate[parent[p]]]


@njit(cache=True, nogil=True)
def regrets(
    first: IntArray, head: IntArray, mate: IntArray, residual: FloatArray, terminal: FloatArray
) -> FloatArray:
    """Return the cost of forcing each node to its other side, signed as min-marginals.

    `residual` and `terminal` hold a maximum flow and are restored at the end. A node that can
    reach the sink is labelled 1: forced to the source side, it sends more flow to the sink
    (positive). A node that the source reaches is labelled 0: forced to the sink side, it draws
    more flow (negative). A node with neither has equal minima. The other terminal never matters:
    the set of nodes it reaches is closed, and paths that enter this set cannot leave it.
    """
    n = terminal.shape[0]
    parent = np.zeros(n, np.intp)
    queue = np.empty(n, np.intp)
    touched = np.empty(n, np.intp)
    seen = np.zeros(n, np.int64)
    noted = np.zeros(n, np.int64)
    stamp = 0
    result = np.zeros(n)
    old_residual = residual.copy()
    old_terminal = terminal.copy()
    for start in range(n):
        for towards in (-1.0, 1.0):
            size = 0
            while True:
                stamp += 1
                end = _search(
                    first,
                    head,
                    mate,
                    residual,
                    terminal,
                    start,
                    towards,
                    parent,
                    seen,
                    stamp,
                    queue,
                )
                if end < 0:
                    break
                size = _note_path(head, mate, parent, start, end, noted, start + 1, touched, size)
                amount = _push(head, mate, residual, terminal, start, end, towards, parent, np.inf)
                result[start] -= towards * amount
            # Only arcs between nodes on augmenting paths have changed.
            for k in range(size):
                p = touched[k]
                terminal[p] = old_terminal[p]
                for a in range(first[p], first[p + 1]):
                    residual[a] = old_residual[a]
            if size > 0:
                break
    return result
