"""Staged jobs on data sets (imported as segboost.pipelines)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segboost.pipelines.segmentation.pipeline import SegmentationPipeline

__all__ = ["SegmentationPipeline"]


def __getattr__(name: str) -> Any:
    """Import names on first access, to keep the start of the command line fast."""
    if name in __all__:
        from segboost.pipelines import segmentation

        return getattr(segmentation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
