"""Physical pixel sizes in TIFF files, and the tags that results keep."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from segboost.io.pixel_size import PixelSize

if TYPE_CHECKING:
    from tifffile import TiffFile, TiffPage

RESOLUTION = (282, 283, 296)
GEO = (33550, 33922, 34264, 34735, 34736, 34737)
"""ModelPixelScale, ModelTiepoint, ModelTransformation, GeoKeyDirectory and its parameters."""

MICROMETRES = {"nm": 1e-3, "µm": 1.0, "mm": 1e3, "cm": 1e4, "m": 1e6}
"""The length of units in micrometres."""

_CENTIMETRE = 3
_SHORT, _RATIONAL = 3, 5
_MODEL_TYPE, _LINEAR_UNIT = 1024, 3076
_PROJECTED, _METRE = 1, 9001
_SIZE = re.compile(r'\bPhysicalSize([XY])="([^"]{1,40})"')
_UNIT = re.compile(r'\bPhysicalSize([XY])Unit="([^"]{1,20})"')
_MICRON = ("um", "micron", "microns", "micrometer", "\\u00B5m", "μm")


def find_pixel_size(file: TiffFile, page: TiffPage) -> PixelSize | None:
    """Return the physical size of a pixel from OME, ImageJ, geographic or per-centimetre data.

    Resolutions per inch refer to printing and are ignored.
    """
    for find in (_from_ome, _from_imagej, _from_geo, _from_resolution):
        try:
            found = find(file, page)
        except (ValueError, TypeError, KeyError, IndexError, ZeroDivisionError, OverflowError):
            found = None  # metadata of this kind is damaged: the image itself may be fine
        if found is not None:
            return found
    return None


def kept_tags(page: TiffPage, size: PixelSize | None) -> tuple[tuple[Any, ...], ...]:
    """Return resolution and geographic tags as tuples (code, type, count, value, write once).

    Parameters
    ----------
    page : TiffPage
    size : PixelSize, optional
        The size found in metadata that are not copied (OME, ImageJ); it becomes the resolution.
    """
    found = []
    for code in (*RESOLUTION, *GEO):
        tag = page.tags.get(code)
        if tag is not None:
            value = int(tag.value) if code == 296 else tag.value
            found.append((code, int(tag.dtype), int(tag.count), value, True))
    if size is None or size.unit not in MICROMETRES or any(tag[0] in GEO for tag in found):
        return tuple(found)
    per_cm = [1e4 / (side * MICROMETRES[size.unit]) for side in (size.x, size.y)]
    if not all(1e-3 < value < 2**31 for value in per_cm):
        return tuple(found)  # not in the range of the tags
    pairs = [Fraction(value).limit_denominator(1000) for value in per_cm]
    x, y = ((pair.numerator, pair.denominator) for pair in pairs)
    if max(*x, *y) >= 2**32:
        x, y = ((round(value), 1) for value in per_cm)
    return (
        (282, _RATIONAL, 1, x, True),
        (283, _RATIONAL, 1, y, True),
        (296, _SHORT, 1, _CENTIMETRE, True),
    )


def _from_ome(file: TiffFile, page: TiffPage) -> PixelSize | None:
    text = file.ome_metadata if file.is_ome else None
    if not text:
        return None
    sizes = dict(_SIZE.findall(text))
    if not {"X", "Y"} <= sizes.keys():
        return None
    units: dict[str, str] = dict(_UNIT.findall(text))
    unit = units.get("X", "µm")
    unit_of_y = units.get("Y", unit)  # writers that name one unit mean both
    y = float(sizes["Y"])
    if unit_of_y != unit:  # a KeyError if one of them is not a known length
        y *= MICROMETRES[unit_of_y] / MICROMETRES[unit]
    return PixelSize(float(sizes["X"]), y, unit)


def _from_imagej(file: TiffFile, page: TiffPage) -> PixelSize | None:
    metadata = file.imagej_metadata if file.is_imagej else None
    unit = str((metadata or {}).get("unit") or "")
    if not unit or unit in ("pixel", "inch") or not unit.isprintable():
        return None
    x, y = _per_unit(page)
    return PixelSize(1 / x, 1 / y, "µm" if unit in _MICRON else unit[:20])


def _from_geo(file: TiffFile, page: TiffPage) -> PixelSize | None:
    scale, keys = page.tags.get(33550), page.tags.get(34735)
    if scale is None or keys is None:
        return None
    values = {keys.value[n]: keys.value[n + 3] for n in range(4, len(keys.value) - 3, 4)}
    if values.get(_MODEL_TYPE) != _PROJECTED or values.get(_LINEAR_UNIT, _METRE) != _METRE:
        return None  # degrees are not a length
    return PixelSize(float(scale.value[0]), float(scale.value[1]), "m")


def _from_resolution(file: TiffFile, page: TiffPage) -> PixelSize | None:
    unit = page.tags.get(296)
    if unit is None or int(unit.value) != _CENTIMETRE:
        return None
    x, y = _per_unit(page)
    return PixelSize(1e4 / x, 1e4 / y, "µm")


def _per_unit(page: TiffPage) -> tuple[float, float]:
    """Return pixels per unit, across and down."""
    x, y = (page.tags[code].value for code in (282, 283))
    found = x[0] / x[1], y[0] / y[1]
    if not all(math.isfinite(v) and v > 0 for v in found):
        raise ValueError("resolution")
    return found
