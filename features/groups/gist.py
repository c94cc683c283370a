"""GIST: Gabor energies of 4 scales × 8 orientations, averaged over 4×4 cells per patch.

The bank and the contrast normalisation are those of Oliva and Torralba. Their frequencies are
cycles per pixel of a 256-pixel image; here the image keeps its own pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import fft

from segboost._types import Float32Array, FloatArray, Int32Array, Int64Array
from segboost.features.groups.integral import integral, pool_grid
from segboost.features.kernel import kernel

CELLS = 4
SCALES = 4
ORIENTATIONS = 8
# Transfer functions are truncated below this fraction of their peak.
_NEGLIGIBLE = 1e-4
# The coarsest Gabor function is negligible beyond this many pixels.
_SUPPORT = 32
# The contrast is normalised by a Gaussian of 4 cycles per 256 pixels at half height.
_LOW_PASS = 4 / 256 / np.sqrt(np.log(2))


Filter = tuple[Int32Array, Int32Array, Float32Array]
"""The rows of a transfer function: first column, one past the last, concatenated values."""


@dataclass(frozen=True, eq=False)
class GistResponse:
    """Integrated Gabor energies of a padded image.

    Parameters
    ----------
    fine, coarse : ndarray of float64, shape (16, H / step + 1, W / step + 1)
        Energies of the two fine and the two coarse scales.
    margin : int
        Number of pixels added above and to the left.
    steps : tuple of int
        The sampling steps of `fine` and `coarse` in pixels.
    """

    fine: FloatArray
    coarse: FloatArray
    margin: int
    steps: tuple[int, int]


def gist_response(grey: Float32Array, largest_patch: int, smallest_patch: int) -> GistResponse:
    """Compute the response from which all GIST patches of an image are pooled.

    Energies are sampled every 1, 2 or (coarse scales only) 4 pixels, so that a cell of the
    smallest patch holds at least 4×4 samples if it has that many pixels.

    Parameters
    ----------
    grey : ndarray of float32, shape (H, W)
        In [0, 255].
    largest_patch, smallest_patch : int
        In pixels.
    """
    cell = smallest_patch // CELLS
    steps = (2, 4) if cell >= 16 else (2, 2) if cell >= 8 else (1, 1)
    margin = largest_patch // 2 + _SUPPORT
    padded = _pad_to_fast_size(np.log1p(grey), margin)
    spectrum = fft.fft2(normalised_contrast(padded))
    bank = gabor_bank(*spectrum.shape)
    half = len(bank) // 2
    fine, coarse = (
        integral(gabor_energies(spectrum, filters, step))
        for filters, step in zip((bank[:half], bank[half:]), steps, strict=True)
    )
    return GistResponse(fine, coarse, margin, steps)


def gist_patches(response: GistResponse, centres: Int64Array, size: int) -> Float32Array:
    """Describe square patches by the mean Gabor energies of 4×4 cells.

    Parameters
    ----------
    response : GistResponse
    centres : ndarray of int64, shape (P, 2)
    size : int
        The side of the patch in pixels, a multiple of 4.

    Returns
    -------
    ndarray of float32, shape (P, 4 · 4 · 32)
        Cells row by row; within a cell, scales from fine to coarse with 8 orientations each.

    References
    ----------
    A. Oliva, A. Torralba, Modeling the shape of the scene, IJCV 42(3), 2001.
    """
    halves = []
    for sums, step in zip((response.fine, response.coarse), response.steps, strict=True):
        # A sample represents the step × step pixels around it, not those that follow it.
        corners = (centres - size // 2 + response.margin + (step - 1) / 2) / step
        pooled = pool_grid(sums, corners, size / CELLS / step, CELLS)
        halves.append(pooled.reshape(len(centres), CELLS * CELLS, len(sums)))
    return np.concatenate(halves, axis=2).reshape(len(centres), -1)


def normalised_contrast(logs: Float32Array) -> Float32Array:
    """Whiten log intensities and divide by the local standard deviation.

    ``o = x − g ∗ x``, ``o / (0.2 + sqrt(g ∗ o²))`` with a Gaussian low-pass g.
    """
    rows, columns = fft.fftfreq(logs.shape[0]), fft.rfftfreq(logs.shape[1])
    low = np.exp(-(rows[:, None] ** 2 + columns**2) / _LOW_PASS**2).astype(np.float32)
    detail = logs - fft.irfft2(fft.rfft2(logs) * low, logs.shape)
    variance = fft.irfft2(fft.rfft2(detail**2) * low, logs.shape)
    return np.asarray(detail / (np.float32(0.2) + np.sqrt(np.abs(variance))))


def gabor_energies(
    spectrum: npt.NDArray[np.complex64], bank: tuple[Filter, ...], step: int
) -> Float32Array:
    """Return the magnitudes of filtered images at every `step`-th pixel.

    ``|ifft2(G · spectrum)|``, where adding up the spectrum's aliases before the inverse transform
    gives the samples at every `step`-th pixel exactly, on a grid that is step² times smaller.

    Returns
    -------
    ndarray of float32, shape (len(bank), H / step, W / step)
    """
    height, width = spectrum.shape
    folded = np.zeros((len(bank), height // step, width // step), np.complex64)
    for index, (first, last, values) in enumerate(bank):
        fold(spectrum, first, last, values, folded[index])
    return np.abs(fft.ifft2(folded, axes=(1, 2), overwrite_x=True)) / np.float32(step**2)


@lru_cache(maxsize=4)
def gabor_bank(height: int, width: int) -> tuple[Filter, ...]:
    """Return the 32 transfer functions for an image size, each as (first, last, values).

    ``G(f, θ) = exp(−3.5 (f/f₀ − 1)² − 2π (θ + θ₀)²)``, ``f₀ = 0.3 / 1.85^scale`` cycles per
    pixel, ``θ₀ = π/8 · orientation``.
    """
    rows = (np.arange(height) - height // 2) / height
    columns = (np.arange(width) - width // 2) / width
    frequency = np.hypot(rows[:, None], columns)
    direction = np.arctan2(rows[:, None], columns)
    return tuple(
        _rows_of_filter(frequency, direction, 0.3 / 1.85**scale, np.pi / ORIENTATIONS * turn)
        for scale in range(SCALES)
        for turn in range(ORIENTATIONS)
    )


@kernel
def _rows_of_filter(
    frequency: FloatArray,
    direction: FloatArray,
    centre: float,
    turn: float,
) -> Filter:
    """Return one transfer function in fftshift order: columns first … last of each row.

    `first` and `last`: int32, shape (height,), counted from the column −width // 2;
    `values`: float32, the concatenated values of all rows.
    """
    height, width = frequency.shape
    faded = -np.log(_NEGLIGIBLE)
    first = np.zeros(height, np.int32)
    last = np.zeros(height, np.int32)
    values = np.empty(height * width, np.float32)
    row = np.zeros(width, np.float32)
    used = 0
    for i in range(height):
        low, high = width, 0
        for j in range(width):
            angle = direction[i, j] + turn
            if angle > np.pi:
                angle -= 2 * np.pi
            ratio = frequency[i, j] / centre - 1
            exponent = 3.5 * ratio * ratio + 2 * np.pi * angle * angle
            row[j] = 0
            if exponent < faded:
                row[j] = np.exp(-exponent)
                low = min(low, j)
                high = j + 1
        if high > low:
            first[i], last[i] = low, high
            values[used : used + high - low] = row[low:high]
            used += high - low
    return first, last, values[:used].copy()


@kernel
def fold(
    spectrum: npt.NDArray[np.complex64],
    first: Int32Array,
    last: Int32Array,
    values: Float32Array,
    folded: npt.NDArray[np.complex64],
) -> None:
    """Add the filtered spectrum to `folded`, with frequencies modulo the smaller grid."""
    height, width = spectrum.shape
    small_height, small_width = folded.shape
    used = 0
    for i in range(height):
        source_row = (i - height // 2) % height
        target_row = source_row % small_height
        for j in range(first[i], last[i]):
            column = (j - width // 2) % width
            folded[target_row, column % small_width] += spectrum[source_row, column] * values[used]
            used += 1


def _pad_to_fast_size(values: Float32Array, margin: int) -> Float32Array:
    """Pad by reflection: `margin` before and at least as much after, to a fast FFT length."""
    extra = []
    for length in values.shape:
        # Multiples of 32 limit the number of distinct sizes and therefore of filter banks.
        wanted = fft.next_fast_len(-(-(length + 2 * margin) // 32)) * 32
        extra.append((margin, wanted - length - margin))
    return np.pad(values, extra, mode="symmetric")
