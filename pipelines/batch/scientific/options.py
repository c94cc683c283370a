"""Options for segmenting scientific images."""

from __future__ import annotations

from dataclasses import dataclass

from segboost.io.formats.polygons import DEFAULT_TOLERANCE, check_tolerance
from segboost.pipelines.objects.finding import ObjectSettings
from segboost.pipelines.segmentation.images.tiling import DEFAULT_OVERLAP, STEP

FORMATS = ("coco", "geojson", "labelme")


@dataclass(frozen=True)
class ScientificOptions:
    """How scientific and large images are read, segmented and written.

    Parameters
    ----------
    axes : str, optional
        Axes of TIFF files, such as ``CYX``, if the files have wrong ones or none.
    channels : tuple of int, optional
        Channels of the files, in the same order as in training.
    intensities : (float, float) or "image", optional
        Values that become black and white; "image" for percentiles of each image; by default
        those that the model learned from its training images.
    tile : int, optional
        Side of the tiles; see `plan_tiles`.
    overlap : int
    objects : ObjectSettings, optional
        How to find objects; if None, they are found only if `formats` are given.
    formats : tuple of {"coco", "geojson", "labelme"}
        Annotation files to write; these need objects.
    tolerance : float
        Tolerance of their polygons, in pixels.
    zarr : bool
        Write masks as OME-Zarr instead of TIFF or PNG.

    Raises
    ------
    ValueError
        Names the option.
    """

    axes: str | None = None
    channels: tuple[int, ...] | None = None
    intensities: tuple[float, float] | str | None = None
    tile: int | None = None
    overlap: int = DEFAULT_OVERLAP
    objects: ObjectSettings | None = None
    formats: tuple[str, ...] = ()
    tolerance: float = DEFAULT_TOLERANCE
    zarr: bool = False

    def __post_init__(self) -> None:
        check_tolerance(self.tolerance)
        for name in self.formats:
            if name not in FORMATS:
                raise ValueError(f"annotation formats: expected {', '.join(FORMATS)}, got {name!r}")
        if self.tile is not None and (self.tile < STEP or self.tile % STEP):
            raise ValueError(f"tile: expected a multiple of {STEP} pixels, got {self.tile}")
        if isinstance(self.intensities, tuple) and not self.intensities[0] < self.intensities[1]:
            raise ValueError(f"intensities: expected LOW,HIGH, got {self.intensities}")
        if self.axes is not None and not self.axes.isalpha():
            raise ValueError(f"axes: expected letters such as CYX, got {self.axes!r}")

    @property
    def object_settings(self) -> ObjectSettings | None:
        """The settings of objects, if they are wanted."""
        return self.objects or (ObjectSettings() if self.formats else None)

    @property
    def all_images(self) -> bool:
        """Whether photographs are also processed as scientific images."""
        asked = (self.object_settings, self.axes, self.channels, self.intensities, self.tile)
        return any(option is not None for option in asked) or self.zarr

    def to_key(self) -> dict[str, object]:
        """Return everything that the results depend on, as JSON values."""
        return {name: repr(value) for name, value in vars(self).items()}
