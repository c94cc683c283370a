"""Loaders and synthetic data (imported as segboost.datasets).

Data sets are names, files and arrays; features are computed elsewhere.
"""

from segboost.datasets.base import (
    BACKGROUND,
    FOREGROUND,
    ArraySource,
    DatasetError,
    LabelledImage,
    SegmentationDataset,
)
from segboost.datasets.images.camvid import load_camvid
from segboost.datasets.images.class_masks import read_class_mask
from segboost.datasets.images.folders import load_folders
from segboost.datasets.images.graz02 import load_graz02
from segboost.datasets.images.masks import read_mask
from segboost.datasets.registry import dataset_info, find_data_root, list_datasets, load_dataset
from segboost.datasets.synthetic.dataset import load_synthetic, load_synthetic_classes
from segboost.io.errors import ImageFileError
from segboost.io.image_files import list_images, read_image
from segboost.io.legend import VOID

__all__ = [
    "BACKGROUND",
    "FOREGROUND",
    "VOID",
    "ArraySource",
    "DatasetError",
    "ImageFileError",
    "LabelledImage",
    "SegmentationDataset",
    "dataset_info",
    "find_data_root",
    "list_datasets",
    "list_images",
    "load_camvid",
    "load_dataset",
    "load_folders",
    "load_graz02",
    "load_synthetic",
    "load_synthetic_classes",
    "read_class_mask",
    "read_image",
    "read_mask",
]
