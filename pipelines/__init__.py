"""Staged jobs on data sets (imported as segboost.pipelines)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segboost.pipelines.objects.finding import Objects, ObjectSettings, find_objects
    from segboost.pipelines.objects.measuring import measure_objects
    from segboost.pipelines.segmentation.pipeline import SegmentationPipeline

_HOME = {
    "ObjectSettings": "objects.finding",
    "Objects": "objects.finding",
    "SegmentationPipeline": "segmentation.pipeline",
    "find_objects": "objects.finding",
    "measure_objects": "objects.measuring",
}

__all__ = [
    "ObjectSettings",
    "Objects",
    "SegmentationPipeline",
    "find_objects",
    "measure_objects",
]


def __getattr__(name: str) -> Any:
    """Import names on first access, to keep the start of the command line fast."""
    if name in _HOME:
        return getattr(import_module(f"segboost.pipelines.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
