"""From images to superpixels, adjacency and feature groups (imported as segboost.features)."""

from __future__ import annotations

from segboost.features.extract import GroupFeatures, ImageFeatures, compute_group, extract_features
from segboost.features.groups.base import FeatureGroup
from segboost.features.groups.user_groups import FolderGroup, FunctionGroup
from segboost.features.groups.words import Codebook, learn_codebook
from segboost.features.image import as_rgb, read_image
from segboost.features.image_context import ImageContext
from segboost.features.luv import rgb_to_luv
from segboost.features.network.group import NetworkGroup
from segboost.features.presets import (
    PRESETS,
    Preset,
    find_preset,
    group_from_config,
    preset_from_config,
)
from segboost.features.superpixels.adjacency import Adjacency, find_adjacency
from segboost.features.superpixels.connectivity import connected_regions, is_connected
from segboost.features.superpixels.methods import (
    GraphMerging,
    QuickShift,
    Slic,
    SuperpixelMethod,
    find_superpixels,
)

__all__ = [
    "PRESETS",
    "Adjacency",
    "Codebook",
    "FeatureGroup",
    "FolderGroup",
    "FunctionGroup",
    "GraphMerging",
    "GroupFeatures",
    "ImageContext",
    "ImageFeatures",
    "NetworkGroup",
    "Preset",
    "QuickShift",
    "Slic",
    "SuperpixelMethod",
    "as_rgb",
    "compute_group",
    "connected_regions",
    "extract_features",
    "find_adjacency",
    "find_preset",
    "find_superpixels",
    "group_from_config",
    "is_connected",
    "learn_codebook",
    "preset_from_config",
    "read_image",
    "rgb_to_luv",
]
