"""Options that select a data set, shared by the verbs that train and evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segboost.cli.options.scientific import READING_OPTIONS, load_scientific_data

if TYPE_CHECKING:
    from segboost.datasets.base import SegmentationDataset
    from segboost.io.legend import ClassLegend
    from segboost.io.scientific.intensities import IntensityScale

Dataset = Annotated[
    str | None,
    typer.Option(help="synthetic, synthetic-classes, graz02 or camvid."),
]
Category = Annotated[str | None, typer.Option(help="For graz02: bike, car or people.")]
DataRoot = Annotated[
    Path | None, typer.Option(help="Folder of the data sets; $SEGBOOST_DATA by default.")
]
Images = Annotated[Path | None, typer.Option(help="Folder with your own images.")]
Masks = Annotated[
    Path | None,
    typer.Option(help="Folder of masks or LabelMe files, paired by file name; or a COCO file."),
]
Foreground = Annotated[
    int | None,
    typer.Option(min=1, max=254, help="Segment this class alone: its index in the masks."),
]
Classes = Annotated[
    Path | None,
    typer.Option(help="Names, indices and colours of the classes in the masks: JSON or CSV."),
]
MaskSuffix = Annotated[
    str | None, typer.Option(help="Suffix of mask names: _mask if the mask of a.jpg is a_mask.png.")
]
TestFraction = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Fraction of your images to test on; 0.4 by default."),
]
TrainList = Annotated[
    Path | None, typer.Option(help="Text file with the names of the training images, one per line.")
]
TestList = Annotated[
    Path | None, typer.Option(help="Text file with the names of the test images, one per line.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", min=1, help="Number of processes; one per core by default, at most 8."
    ),
]

MOST_NOTES = 20

FOLDER_OPTIONS = (
    "foreground", "classes", "mask_suffix", "test_fraction", "train_list", "test_list",
)  # fmt: skip


def check_data(options: Mapping[str, Any]) -> str:
    """Return the name of the data set that the options select; raise a usage error otherwise.

    Parameters
    ----------
    options : mapping
        The options that were given, by parameter name.
    """
    from segboost.datasets.registry import dataset_info, list_datasets

    own = "images" in options or "masks" in options
    if own and not ("images" in options and "masks" in options):
        raise typer.BadParameter("--images DIR and --masks DIR|FILE must be given together")
    name = str(options.get("dataset", "folders" if own else "synthetic"))
    if name not in list_datasets():
        raise typer.BadParameter(
            f"unknown data set {name!r}: choose one of {', '.join(list_datasets())}"
        )
    if own != (name == "folders"):
        reason = "does not take --images" if own else "needs --images DIR and --masks DIR|FILE"
        raise typer.BadParameter(f"data set {name} {reason}")
    info = dataset_info(name)
    if "category" in info.needs and options.get("category") not in info.categories:
        raise typer.BadParameter(
            f"data set {name} needs --category: choose one of {', '.join(info.categories)}"
        )
    if "foreground" in options and "classes" in options:
        raise typer.BadParameter("--foreground makes two classes: omit either it or --classes")
    for option in ("category", *FOLDER_OPTIONS, *READING_OPTIONS):
        known = option in info.needs if option == "category" else own
        if option in options and not known:
            raise typer.BadParameter(f"data set {name} does not take --{option.replace('_', '-')}")
    return name


def load_data(
    options: Mapping[str, Any],
    legend: ClassLegend | None = None,
    scale: IntensityScale | None = None,
) -> SegmentationDataset:
    """Check the options and load the data set that they select.

    Parameters
    ----------
    options : mapping
    legend : ClassLegend, optional
        The classes of a model, used for the user's own masks if the options name no classes.
    scale : IntensityScale, optional
        How a model converts the values of scientific images to bytes.
    """
    name = check_data(options)
    from segboost.datasets.registry import load_dataset

    wanted: tuple[str, ...] = ()
    if name == "graz02":
        wanted = ("category", "data_root")
    elif name == "camvid":
        wanted = ("data_root",)
    elif name == "folders":
        wanted = ("images", "masks", *FOLDER_OPTIONS)
    chosen = {key: options[key] for key in wanted if key in options}
    if name == "folders" and legend is not None and not {"foreground", "classes"} & set(chosen):
        chosen["classes"] = legend
    if name != "folders":
        return load_dataset(name, **chosen)
    found = load_scientific_data(options, chosen, scale) or load_dataset(name, **chosen)
    for note in found.notes[:MOST_NOTES]:
        typer.echo(f"note: {note}", err=True)
    if len(found.notes) > MOST_NOTES:
        typer.echo(f"note: and {len(found.notes) - MOST_NOTES} more like these", err=True)
    return found


def count_jobs(given: int | None) -> int:
    """Return the number of processes: the given one, else one per core, at most eight."""
    if given is not None:
        return given
    from joblib import cpu_count

    return min(int(cpu_count()), 8)
