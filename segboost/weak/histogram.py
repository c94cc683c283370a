"""Sums of weights by code: the kernels of stumps, trees, boosted trees and the AdaBoost family.

    H[f, b] = Σ_{i: codes[f, rows_i] = b} values_i

for one column of values, or for several at once. Sums are float64. Consecutive stores to the same
bin stall; the kernels interleave features so that this seldom happens.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic

from segboost._types import ByteArray, FloatArray, Int32Array, Int64Array

TILE = 8
"""Number of columns of values summed per pass; narrower input is padded with zeros."""

Codes = ByteArray
Rows = Int32Array


def histogram(codes: Codes, rows: Rows, values: FloatArray, width: int) -> FloatArray:
    """Return the sums of `values` by feature and code.

    Parameters
    ----------
    codes : ndarray of uint8, shape (d, N), C-contiguous
    rows : ndarray of int32, shape (M,)
        The rows to sum over, ascending for speed.
    values : ndarray of float64, shape (M,) or (M, K)
        One value, or one per column, for every entry of `rows`.
    width : int
        The number B of bins, greater than every code.

    Returns
    -------
    ndarray of float64, shape (d, B) or (d, B, K)
    """
    d = codes.shape[0]
    if values.ndim == 1:
        out = np.zeros((d, width))
        add_rows(codes, rows, np.ascontiguousarray(values), out)
        return out
    k = values.shape[1]
    out = np.empty((d, width, k))
    for start in range(0, k, TILE):
        sums = np.zeros((d, width, TILE))
        add_rows_tile(codes, rows, tile_of(values, start), sums)
        out[:, :, start : start + TILE] = sums[:, :, : k - start]
    return out


def histogram_numpy(codes: Codes, rows: Rows, values: FloatArray, width: int) -> FloatArray:
    """Plain NumPy twin of `histogram`."""
    columns = values.reshape(rows.size, -1)
    out = np.empty((codes.shape[0], width, columns.shape[1]))
    for f, row in enumerate(codes):
        for k, column in enumerate(columns.T):
            out[f, :, k] = np.bincount(row[rows], weights=column, minlength=width)
    return out.reshape(codes.shape[0], width, *values.shape[1:])


def tile_of(values: FloatArray, start: int) -> FloatArray:
    """Return TILE columns from `start` on, contiguous and padded with zeros."""
    tile = np.zeros((values.shape[0], TILE))
    part = values[:, start : start + TILE]
    tile[:, : part.shape[1]] = part
    return tile


@nb.njit(cache=True, nogil=True)
def add_rows(
    codes: Codes, rows: Rows, values: FloatArray, out: FloatArray
) -> None:  # pragma: no cover - compiled
    """Add a column of values, shape (M,), to `out`, shape (d, B), four features per pass.

    `out` must be C-contiguous.
    """
    d, n = codes.shape
    width = out.shape[1]
    flat = codes.ravel()
    sums = out.ravel()
    whole = d - d % 4
    for f in range(0, whole, 4):
        for i in range(rows.size):
            # Unsigned indices avoid the check for negative ones.
            row = np.uint64(rows[i])
            value = values[i]
            for j in range(4):
                code = np.uint64(flat[np.uint64((f + j) * n) + row])
                sums[np.uint64((f + j) * width) + code] += value
    for f in range(whole, d):
        for i in range(rows.size):
            code = np.uint64(flat[np.uint64(f * n) + np.uint64(rows[i])])
            sums[np.uint64(f * width) + code] += values[i]


def _vector_add(lanes: int) -> Any:
    """Return ``sums[to : to + lanes] += values[at : at + lanes]`` as one vector operation.

    The compiler must assume that the two flat arrays overlap and therefore does not vectorise a
    plain loop, which costs up to a factor of two.
    """

    @intrinsic
    def add(
        typing_context: Any, sums: Any, to: Any, values: Any, at: Any
    ) -> Any:  # pragma: no cover - compiled
        signature = nb.void(sums, nb.uint64, values, nb.uint64)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(ir.DoubleType(), lanes).as_pointer()

            def pointer(which: int) -> Any:
                array = context.make_array(signature.args[which])(context, builder, args[which])
                return builder.bitcast(builder.gep(array.data, [args[which + 1]]), vector)

            target, source = pointer(0), pointer(2)
            total = builder.fadd(builder.load(target, align=8), builder.load(source, align=8))
            builder.store(total, target, align=8)
            return context.get_dummy_value()

        return signature, generate

    return add


_add_tile, _add_pair = _vector_add(TILE), _vector_add(2)


@nb.njit(cache=True, nogil=True)
def add_rows_tile(
    codes: Codes, rows: Rows, values: FloatArray, out: FloatArray
) -> None:  # pragma: no cover - compiled
    """Add TILE columns of values, shape (M, TILE), to `out`, shape (d, B, TILE)."""
    d, n = codes.shape
    width = out.shape[1]
    flat = codes.ravel()
    sums = out.ravel()
    flat_values = values.ravel()
    whole = d - d % 2
    for f in range(0, whole, 2):
        for i in range(rows.size):
            row = np.uint64(rows[i])
            at = np.uint64(i * TILE)
            for j in range(2):
                code = np.uint64(flat[np.uint64((f + j) * n) + row])
                to = (np.uint64((f + j) * width) + code) * np.uint64(TILE)
                _add_tile(sums, to, flat_values, at)
    for f in range(whole, d):
        for i in range(rows.size):
            code = np.uint64(flat[np.uint64(f * n) + np.uint64(rows[i])])
            to = (np.uint64(f * width) + code) * np.uint64(TILE)
            _add_tile(sums, to, flat_values, np.uint64(i * TILE))


@nb.njit(cache=True, nogil=True)
def add_pairs_by_node(
    codes: Codes,
    features: Int64Array,
    rows: Int64Array,
    node: Int64Array,
    pairs: FloatArray,
    out: FloatArray,
) -> None:  # pragma: no cover - compiled
    """Add two values per row to ``out[k, node, codes[features[k], row]]``.

    For trees that grow level by level on a few of the features.

    Parameters
    ----------
    codes : ndarray of uint8, shape (d, N), C-contiguous
    features : ndarray of int, shape (C,)
    rows, node : ndarray of int, shape (M,)
        The rows to sum over and the node that each of them is in.
    pairs : ndarray of float64, shape (M, 2), C-contiguous
    out : ndarray of float64, shape (C, n_nodes, B, 2), C-contiguous
    """
    n = codes.shape[1]
    n_nodes, width = out.shape[1], out.shape[2]
    flat = codes.ravel()
    sums = out.ravel()
    flat_pairs = pairs.ravel()
    for k in range(features.size):
        start = np.uint64(features[k] * n)
        for i in range(rows.size):
            code = np.uint64(flat[start + np.uint64(rows[i])])
            to = (np.uint64((k * n_nodes + node[i]) * width) + code) * np.uint64(2)
            _add_pair(sums, to, flat_pairs, np.uint64(2 * i))
