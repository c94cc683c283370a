"""The data sets by name: their descriptions and loaders."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from segboost.datasets.base import DatasetError, SegmentationDataset
from segboost.datasets.images.camvid import load_camvid
from segboost.datasets.images.folders import load_folders
from segboost.datasets.images.graz02 import load_graz02
from segboost.datasets.images.graz02_files import CATEGORIES
from segboost.datasets.images.sun8 import SceneFiles, load_sun8
from segboost.datasets.synthetic.dataset import load_synthetic, load_synthetic_classes
from segboost.datasets.tables.libsvm_sets import LIBSVM_SETS, load_libsvm_set
from segboost.datasets.tables.table import Table
from segboost.datasets.tracks.otb import TrackingSequence, list_sequences, load_sequence

Kind = Literal["segmentation", "table", "scenes", "tracks"]
DATA_VARIABLE = "SEGBOOST_DATA"


@dataclass(frozen=True)
class DatasetInfo:
    """Description of a data set, available before it is loaded.

    Parameters
    ----------
    name, summary : str
    load : callable
        Its keywords are those of the loader.
    needs : tuple of str
        The options among category, data_root, images and masks that must be given.
    categories : tuple of str
    details : str
        Layout, protocol and source.
    kind : {"segmentation", "table", "scenes", "tracks"}
        Images with masks, rows with labels, images with one class each, or videos
        with one box per frame.
    """

    name: str
    summary: str
    load: Callable[..., Any]
    needs: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    details: str = ""
    kind: Kind = "segmentation"


def _libsvm(data_root: str | os.PathLike[str] | None = None, category: str | None = None) -> Table:
    return load_libsvm_set(str(category), find_data_root(data_root))


def _sun8(data_root: str | os.PathLike[str] | None = None) -> SceneFiles:
    return load_sun8(find_data_root(data_root))


def _otb(data_root: str | os.PathLike[str] | None = None) -> list[TrackingSequence]:
    root = find_data_root(data_root)
    return [load_sequence(root, name) for name in list_sequences(root)]


def _graz02(data_root: str | os.PathLike[str] | None = None, **options: Any) -> SegmentationDataset:
    return load_graz02(find_data_root(data_root), **options)


def _camvid(data_root: str | os.PathLike[str] | None = None) -> SegmentationDataset:
    return load_camvid(find_data_root(data_root))


_DATASETS = {
    info.name: info
    for info in (
        DatasetInfo(
            "synthetic",
            "scenes drawn on the fly: warm patterned objects among similar ones",
            load_synthetic,
            details="60 training and 40 test images of 160×120 pixels, drawn from a seed; number, "
            "size and seed are options. Nothing to download.",
        ),
        DatasetInfo(
            "graz02",
            "Graz-02 with the INRIA annotations (IG02): photographs of bikes, cars and people",
            _graz02,
            needs=("category", "data_root"),
            categories=tuple(CATEGORIES),
            details="bikes/bike_001.image.png (or .jpg), bikes/bike_001.mask.0.png, …; likewise "
            "cars/carsgraz_* and people/person_*. The first 300 images of a category: odd numbers "
            "train, even numbers test. Occluded parts are background. Research use; cite A. Opelt "
            "et al., PAMI 28(3), 2006, and M. Marszałek, C. Schmid, CVPR 2007.",
        ),
        DatasetInfo(
            "synthetic-classes",
            "scenes of four classes drawn on the fly: sky, field, object, post",
            load_synthetic_classes,
            details="40 training and 20 test images of 160×120 pixels, drawn from a seed; number, "
            "size and seed are options. Nothing to download.",
        ),
        DatasetInfo(
            "camvid",
            "CamVid: road scenes of 11 classes, 480×360",
            _camvid,
            needs=("data_root",),
            details="camvid/train/images/NAME.jpg (or .png), camvid/train/masks/NAME.png with "
            "class indices and 11 for void; likewise val and test: 367, 101 and 233 images, the "
            "splits of most papers. Classes: sky, building, pole, road, pavement, tree, sign, "
            "fence, car, pedestrian, bicyclist. Research use; cite G. Brostow et al., Pattern "
            "Recognition Letters 30(2), 2009, and V. Badrinarayanan et al., PAMI 39(12), 2017.",
        ),
        DatasetInfo(
            "folders",
            "your own images and masks, in two folders, paired by name",
            load_folders,
            needs=("images", "masks"),
            details="a.jpg goes with a.png. Masks hold 0/255, 0/1, or the indices of several "
            "classes with 255 for void, or the colours of a legend (--classes). The split is drawn "
            "by fraction and seed, or given by lists of names.",
        ),
        DatasetInfo(
            "libsvm",
            "the tables of the paper: rows of numbers with one class each",
            _libsvm,
            needs=("category", "data_root"),
            categories=tuple(LIBSVM_SETS),
            details="libsvm/wine.scale, libsvm/vowel.scale, libsvm/vowel.scale.t, …, plain, .gz "
            "or .bz2; the files of a set are pooled. mnist may be its idx files. For segboost "
            "reproduce auc and multiclass; segboost fit takes any such file.",
            kind="table",
        ),
        DatasetInfo(
            "sun8",
            "photographs of 8 SUN scenes in a taxonomy of three groups",
            _sun8,
            needs=("data_root",),
            details="sun8/aquarium/*.jpg and so on: aquarium, kitchen, laundromat (indoor), "
            "desert, waterfall (outdoor natural), highway, park, windmill (outdoor man-made). For "
            "segboost reproduce hierarchy. Research use; cite J. Xiao et al., CVPR 2010.",
            kind="scenes",
        ),
        DatasetInfo(
            "otb",
            "tracking sequences in the layout of the Object Tracking Benchmark",
            _otb,
            needs=("data_root",),
            details="tracking/David/img/0300.jpg … and tracking/David/groundtruth_rect.txt: x, y, "
            "w, h per frame, 1-based. For segboost track and reproduce tracking. Research use; "
            "cite Y. Wu, J. Lim, M.-H. Yang, CVPR 2013.",
            kind="tracks",
        ),
    )
}


def list_datasets(kind: Kind | None = "segmentation") -> tuple[str, ...]:
    """Return the names of all data sets, or those of one kind; the first is the default."""
    return tuple(name for name, info in _DATASETS.items() if kind in (None, info.kind))


def dataset_info(name: str) -> DatasetInfo:
    """Return the description of a data set."""
    if name not in _DATASETS:
        raise DatasetError(f"there is no data set {name!r}: choose {', '.join(_DATASETS)}")
    return _DATASETS[name]


def load_dataset(name: str = "synthetic", **options: Any) -> SegmentationDataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    **options
        Those of `load_synthetic`, `load_synthetic_classes` or `load_folders`, or of `load_graz02`
        and `load_camvid` with ``data_root`` (by default the variable SEGBOOST_DATA) instead of
        their root.

    Examples
    --------
    >>> len(load_dataset("synthetic", n_train=3, n_test=2).train)
    3
    """
    info = dataset_info(name)
    if info.kind != "segmentation":
        raise DatasetError(f"{name} has no images with masks: choose {', '.join(list_datasets())}")
    for option in info.needs:
        if options.get(option) is None and option != "data_root":
            choice = f" ({', '.join(info.categories)})" if option == "category" else ""
            raise DatasetError(f"the data set {name} needs --{option}{choice}")
    data: SegmentationDataset = info.load(**options)
    return data


def find_data_root(given: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of the data: the one given, else that of SEGBOOST_DATA."""
    chosen = given if given is not None else os.environ.get(DATA_VARIABLE)
    if not chosen:
        raise DatasetError(
            f"no data folder: name it with --data-root or the variable {DATA_VARIABLE}"
        )
    root = Path(chosen)
    if not root.is_dir():
        raise DatasetError(
            f"the data folder {root} does not exist: correct --data-root or {DATA_VARIABLE}"
        )
    return root
