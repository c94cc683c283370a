"""Measurements of objects as a table of columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import ndimage
from skimage.measure import find_contours, regionprops_table

from segboost._types import AnyArray, FloatArray, Int32Array
from segboost.io.pixel_size import PixelSize
from segboost.pipelines.objects.finding import Objects

PIXEL = "pixel"
SHAPE_COLUMNS = (
    "area",
    "centroid_x",
    "centroid_y",
    "box_x",
    "box_y",
    "box_width",
    "box_height",
    "axis_major",
    "axis_minor",
    "orientation",
    "eccentricity",
    "solidity",
    "perimeter",
)
"""In the unit of the table, except the box (pixels), the orientation (radians), and the
eccentricity and solidity (without unit)."""

COLUMNS = ("object", "class", "unit", *SHAPE_COLUMNS, "mean_probability")
"""The columns of a table; ``mean_N`` and ``deviation_N`` of each channel N follow."""

ObjectTable = dict[str, AnyArray]
"""Columns by name, all of the same length; accepted by `pandas.DataFrame`."""

_PROPERTIES = (
    "area",
    "centroid",
    "bbox",
    "axis_major_length",
    "axis_minor_length",
    "orientation",
    "eccentricity",
    "solidity",
)


def measure_objects(
    objects: Objects,
    class_names: Sequence[str],
    probabilities: FloatArray | None = None,
    channels: AnyArray | None = None,
    pixel_size: PixelSize | None = None,
) -> ObjectTable:
    """Return the measurements of objects, one row per object.

    Parameters
    ----------
    objects : Objects
    class_names : sequence of str
        By class index.
    probabilities : ndarray of shape (H, W) or (H, W, K), optional
        Probability of each pixel's class in the mask, or of every class; without it, the mean
        probability is NaN.
    channels : ndarray of shape (H, W, C), optional
        Original intensities.
    pixel_size : PixelSize, optional
        Lengths and areas are then in its unit, otherwise in pixels.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        See `COLUMNS`. Positions are those of pixel centres; the orientation is the angle between
        the vertical and the major axis (scikit-image's convention).
    """
    labels, count = objects.labels, objects.count
    table: ObjectTable = {
        "object": np.arange(1, count + 1),
        "class": np.array([class_names[c] for c in objects.classes], dtype=object),
        "unit": np.full(count, PIXEL if pixel_size is None else pixel_size.unit, dtype=object),
    }
    table |= _shapes(labels, count, pixel_size)
    table["mean_probability"] = _mean_probability(objects, probabilities)
    for number in range(0 if channels is None else channels.shape[2]):
        assert channels is not None
        mean, deviation = _statistics(labels, channels[..., number], count)
        table |= {f"mean_{number}": mean, f"deviation_{number}": deviation}
    return table


def _shapes(labels: Int32Array, count: int, pixel_size: PixelSize | None) -> ObjectTable:
    if count == 0:
        return {name: np.zeros(0) for name in SHAPE_COLUMNS}
    spacing = (1.0, 1.0) if pixel_size is None else (pixel_size.y, pixel_size.x)
    found = regionprops_table(labels, properties=_PROPERTIES, spacing=spacing)
    return {
        "area": found["area"],
        "centroid_x": found["centroid-1"],
        "centroid_y": found["centroid-0"],
        "box_x": found["bbox-1"],
        "box_y": found["bbox-0"],
        "box_width": found["bbox-3"] - found["bbox-1"],
        "box_height": found["bbox-2"] - found["bbox-0"],
        "axis_major": found["axis_major_length"],
        "axis_minor": found["axis_minor_length"],
        "orientation": found["orientation"],
        "eccentricity": found["eccentricity"],
        "solidity": found["solidity"],
        "perimeter": _perimeters(labels, pixel_size),
    }


def _perimeters(labels: Int32Array, pixel_size: PixelSize | None) -> FloatArray:
    """Return the perimeters; if pixels are not square, the lengths of the contours."""
    if pixel_size is None or pixel_size.is_square:
        scale = 1.0 if pixel_size is None else pixel_size.x
        found = regionprops_table(labels, properties=("perimeter",))["perimeter"]
        return np.asarray(found, dtype=float) * scale
    size = np.array([pixel_size.y, pixel_size.x])
    lengths = []
    for number, where in enumerate(ndimage.find_objects(labels), start=1):
        part = np.pad(labels[where] == number, 1).astype(np.float32)
        steps = [np.diff(contour * size, axis=0) for contour in find_contours(part, 0.5)]
        lengths.append(sum(float(np.hypot(s[:, 0], s[:, 1]).sum()) for s in steps))
    return np.array(lengths)


def _mean_probability(objects: Objects, probabilities: FloatArray | None) -> FloatArray:
    count = objects.count
    if probabilities is None:
        return np.full(count, np.nan)
    if probabilities.ndim == 2:
        return _statistics(objects.labels, probabilities, count)[0]
    result = np.full(count, np.nan)
    for index in np.unique(objects.classes):
        mean, _ = _statistics(objects.labels, probabilities[..., index], count)
        chosen = objects.classes == index
        result[chosen] = mean[chosen]
    return result


def _statistics(labels: Int32Array, values: AnyArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation of the finite values in every object."""
    where = (labels > 0) & np.isfinite(values)
    numbers, inside = labels[where] - 1, values[where].astype(float)
    n = np.bincount(numbers, minlength=count)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(numbers, inside, minlength=count) / n
        square = np.bincount(numbers, (inside - mean[numbers]) ** 2, minlength=count) / n
    return mean, np.sqrt(square)
