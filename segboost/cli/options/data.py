"""The options that name a data set, shared by the verbs that learn and measure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from segboost.datasets.base import SegmentationDataset

Dataset = Annotated[
    str | None, typer.Option(help="synthetic or graz02; synthetic where nothing is named.")
]
Category = Annotated[str | None, typer.Option(help="Of graz02: bike, car or people.")]
DataRoot = Annotated[
    Path | None, typer.Option(help="The folder of the data; $SEGBOOST_DATA by default.")
]
Images = Annotated[Path | None, typer.Option(help="A folder of your own images.")]
Masks = Annotated[Path | None, typer.Option(help="Their masks, paired by name.")]
Foreground = Annotated[
    int | None, typer.Option(min=1, max=254, help="Index of the object in masks with several.")
]
MaskSuffix = Annotated[
    str | None, typer.Option(help="What masks have after the image's name: _mask, if a_mask.png.")
]
TestFraction = Annotated[
    float | None, typer.Option(min=0, max=1, help="The share of your images to test on (0.4).")
]
TrainList = Annotated[
    Path | None, typer.Option(help="A file of image names, one a line, to train on.")
]
TestList = Annotated[Path | None, typer.Option(help="The same, to test on.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Processes; one a core by default.")
]

OF_FOLDERS = ("foreground", "mask_suffix", "test_fraction", "train_list", "test_list")


def check_data(options: Mapping[str, Any]) -> str:
    """Return the name of the data set that options stand for; misuse is an error.

    Parameters
    ----------
    options : mapping
        Those that were given, by their names.
    """
    from segboost.datasets.registry import dataset_info, list_datasets

    own = "images" in options or "masks" in options
    if own and not ("images" in options and "masks" in options):
        raise typer.BadParameter("--images DIR and --masks DIR go together: give both")
    name = str(options.get("dataset", "folders" if own else "synthetic"))
    if name not in list_datasets():
        raise typer.BadParameter(
            f"there is no data set {name!r}: choose {', '.join(list_datasets())}"
        )
    if own != (name == "folders"):
        reason = "has no --images" if own else "needs --images DIR and --masks DIR"
        raise typer.BadParameter(f"the data set {name} {reason}")
    info = dataset_info(name)
    if "category" in info.needs and options.get("category") not in info.categories:
        raise typer.BadParameter(
            f"the data set {name} needs --category: choose {', '.join(info.categories)}"
        )
    for option in ("category", *OF_FOLDERS):
        known = own if option in OF_FOLDERS else option in info.needs
        if option in options and not known:
            raise typer.BadParameter(f"the data set {name} has no --{option.replace('_', '-')}")
    return name


def load_data(options: Mapping[str, Any]) -> SegmentationDataset:
    """Load the data set that options name; they are checked first."""
    name = check_data(options)
    from segboost.datasets.registry import load_dataset

    wanted: tuple[str, ...] = ()
    if name == "graz02":
        wanted = ("category", "data_root")
    elif name == "folders":
        wanted = ("images", "masks", *OF_FOLDERS)
    return load_dataset(name, **{key: options[key] for key in wanted if key in options})


def count_jobs(given: int | None) -> int:
    """Return the number of processes: the one given, else one a core, eight at most."""
    if given is not None:
        return given
    from joblib import cpu_count

    return min(int(cpu_count()), 8)
