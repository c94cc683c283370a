"""A picture of the features for visual inspection: borders, lengths and one map per group."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from segboost._types import Float32Array, FloatArray
from segboost.features.extract import GroupFeatures, ImageFeatures
from segboost.features.image import RGB
from segboost.features.superpixels.connectivity import Labels
from segboost.storage.output_record import is_empty, refuse_foreign
from segboost.storage.whole_file import check_replaceable, open_whole

SOFTWARE = "segboost"
"""The software named in the metadata of our pictures."""
_COLUMNS = 6
_BORDER = np.array([1.0, 0.85, 0.0], np.float32)


def draw_features(rgb: RGB, features: ImageFeatures) -> Figure:
    """Draw superpixel borders, boundary lengths and each group's first principal component.

    Parameters
    ----------
    rgb : ndarray of float32, shape (H, W, 3)
    features : ImageFeatures
        The features of this image.

    Returns
    -------
    matplotlib.figure.Figure
    """
    labels = features.superpixels
    rows = -(-len(features.groups) // _COLUMNS)
    height, width = labels.shape
    # Panels keep the picture's aspect ratio, within limits that leave room for the titles.
    aspect = float(np.clip(height / width, 0.25, 2.0))
    heights = [12 * aspect + 0.6, *[4 * aspect + 0.5] * rows]
    figure = Figure(figsize=(4 * _COLUMNS, sum(heights)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(
        "Maps: each group's first principal component (and its share of the variance)",
        fontsize=13,
        y=0.005,
        va="bottom",
    )
    grid = figure.add_gridspec(1 + rows, _COLUMNS, height_ratios=heights)
    half = _COLUMNS // 2
    count = f"{features.area.size} superpixels"
    _show(figure.add_subplot(grid[0, :half]), draw_borders(rgb, labels), count)
    _draw_lengths(figure.add_subplot(grid[0, half:]), rgb, features)
    for place, group in enumerate(features.groups.values()):
        axis = figure.add_subplot(grid[1 + place // _COLUMNS, place % _COLUMNS])
        _draw_group(axis, group, labels)
    return figure


def draw_borders(rgb: RGB, labels: Labels) -> RGB:
    """Return the image with the pixels at superpixel borders in yellow, shape (H, W, 3)."""
    border = np.zeros(labels.shape, bool)
    border[:, 1:] |= labels[:, 1:] != labels[:, :-1]
    border[1:] |= labels[1:] != labels[:-1]
    drawn = rgb.copy()
    drawn[border] = 0.25 * drawn[border] + 0.75 * _BORDER
    return drawn


def length_map(features: ImageFeatures) -> Float32Array:
    """Return the length of the longest boundary at each border pixel, NaN elsewhere."""
    labels = features.superpixels
    count = features.area.size
    edges, lengths = features.adjacency.edges, features.adjacency.boundary_length
    keys = edges[:, 0].astype(np.int64) * count + edges[:, 1]
    result = np.full(labels.shape, np.nan, np.float32)
    for low, high in (
        ((slice(None), slice(0, -1)), (slice(None), slice(1, None))),
        ((slice(0, -1), slice(None)), (slice(1, None), slice(None))),
    ):
        one, other = labels[low].astype(np.int64), labels[high].astype(np.int64)
        crosses = one != other
        pairs = np.minimum(one, other)[crosses] * count + np.maximum(one, other)[crosses]
        found = lengths[np.searchsorted(keys, pairs)]
        for side in (low, high):
            view = result[side]
            view[crosses] = np.fmax(view[crosses], found)
    return result


def first_component(values: npt.NDArray[np.generic]) -> tuple[FloatArray, float]:
    """Return the first principal component of standardised columns and its share of variance.

    Its sign is such that the sum of the loadings is positive.

    Parameters
    ----------
    values : ndarray, shape (P, d)

    Returns
    -------
    scores : ndarray of float64, shape (P,)
    share : float
    """
    centred = values.astype(np.float64)
    centred -= centred.mean(axis=0)
    deviation = centred.std(axis=0)
    centred /= np.where(deviation > 1e-9, deviation, np.inf)
    total = float((centred**2).sum())
    if total == 0:
        return np.zeros(len(values)), 0.0
    gram = centred.T @ centred
    loading = np.ones(gram.shape[0]) + np.linspace(0, 1e-3, gram.shape[0])
    for _ in range(200):  # power iteration: only the leading vector is needed
        step = gram @ loading
        step /= np.linalg.norm(step)
        if abs(step - loading).max() < 1e-9:
            break
        loading = step
    loading = step * (1 if step.sum() >= 0 else -1)
    scores = centred @ loading
    return scores, float((scores**2).sum() / total)


def save_picture(figure: Figure, path: Path) -> None:
    """Write a figure as a PNG file atomically."""
    with open_whole(path) as file:
        figure.savefig(file, format="png", dpi=80, metadata={"Software": SOFTWARE})


def check_picture(path: Path, overwrite: bool = False) -> None:
    """Refuse to replace anything but an empty file or a picture written by `save_picture`.

    Raises
    ------
    NotReplaceableError
        If the path is not a regular file.
    ForeignFileError
        If it is any other file, unless `overwrite` is set.
    """
    check_replaceable(path)
    if path.exists() and not (overwrite or is_empty(path) or _is_ours(path)):
        refuse_foreign([path])


def _is_ours(path: Path) -> bool:
    with open(path, "rb") as file:
        return b"tEXtSoftware\0" + SOFTWARE.encode() in file.read(1024)


def _show(axis: Axes, picture: RGB, title: str) -> None:
    axis.imshow(picture, interpolation="nearest")
    axis.set_title(title, fontsize=13)
    axis.set_axis_off()


def _draw_group(axis: Axes, group: GroupFeatures, labels: Labels) -> None:
    """Draw the first principal component of a group, clipped to its 1st and 99th percentiles."""
    scores, share = first_component(group.values)
    low, high = np.percentile(scores[labels], [1, 99])
    shown = axis.imshow(
        scores[labels], cmap="viridis", vmin=low, vmax=high, interpolation="nearest"
    )
    columns = group.values.shape[1]
    axis.set_title(f"{group.name}, {columns} columns ({share:.0%})", fontsize=13)
    axis.set_axis_off()
    bar = axis.figure.colorbar(shown, ax=axis, shrink=0.85, pad=0.01)
    bar.locator = MaxNLocator(4)
    bar.update_ticks()


def _draw_lengths(axis: Axes, rgb: RGB, features: ImageFeatures) -> None:
    """Draw each boundary in a colour for its length, over a pale grey image."""
    pale = np.repeat(0.75 + 0.25 * rgb.mean(axis=2, keepdims=True), 3, axis=2)
    _show(axis, pale, f"length of {len(features.adjacency.edges)} boundaries (pixels)")
    lengths = features.adjacency.boundary_length
    if lengths.size:
        high = max(float(np.percentile(lengths, 98)), 1.0)
        shown = axis.imshow(
            length_map(features), cmap="plasma", vmin=0, vmax=high, interpolation="nearest"
        )
        axis.figure.colorbar(shown, ax=axis, shrink=0.85, pad=0.01, extend="max")
