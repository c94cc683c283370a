"""Segmentation: superpixels, features, potentials, CRF learning, prediction and evaluation.

A module that begins with `class_` does for more than two classes, with one score per class, what
the module without it does for foreground and background.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segboost.pipelines.segmentation.pipeline import SegmentationPipeline

__all__ = ["SegmentationPipeline"]


def __getattr__(name: str) -> Any:
    """Import the pipeline on first use, to keep the start of the command line fast."""
    if name in __all__:
        from segboost.pipelines.segmentation import pipeline

        return getattr(pipeline, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
