"""Images and masks in two folders, paired by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from segboost.datasets.base import DatasetError, FileSource, LabelledImage, SegmentationDataset
from segboost.datasets.images.class_masks import ClassMaskReader, count_classes
from segboost.datasets.images.masks import Encoding, MaskReader, check_encoding, find_encoding
from segboost.datasets.images.splitting import split_by_fraction, split_by_lists
from segboost.datasets.reading import image_source
from segboost.io.image_files import list_images
from segboost.io.legend import TWO_CLASSES, ClassLegend, default_legend, read_legend

TEST_FRACTION = 0.4
"""The share of test images if neither a fraction nor a list is given."""


@dataclass(frozen=True)
class FolderPairs:
    """The content of two folders, complete or not.

    Parameters
    ----------
    pairs : dict of str to (Path, Path)
        Image and mask by name, in the order of names.
    problems : tuple of (Path, str)
        Each file that has no partner or shares its name, and the problem.
    notes : tuple of str
        Files that were left out because they do not have the extension of an image.
    """

    pairs: dict[str, tuple[Path, Path]]
    problems: tuple[tuple[Path, str], ...]
    notes: tuple[str, ...]


def load_folders(
    images: str | PathLike[str],
    masks: str | PathLike[str],
    *,
    test_fraction: float = TEST_FRACTION,
    seed: int = 0,
    train_list: str | PathLike[str] | None = None,
    test_list: str | PathLike[str] | None = None,
    encoding: Encoding = "auto",
    foreground: int | None = None,
    mask_suffix: str = "",
    classes: str | PathLike[str] | ClassLegend | None = None,
) -> SegmentationDataset:
    """Return the images of one folder with the masks of another: a.jpg goes with a.png.

    Masks with indices above 1 have several classes, 0 … 254 with 255 for void.

    Parameters
    ----------
    images, masks : path
        Two folders; sub-folders are not searched.
    test_fraction : float
        In [0, 1]; used if no list is given. Then `seed` and the names determine the split.
    train_list, test_list : path, optional
        Text files, one name per line, with or without extension; ``#`` starts a comment line. With
        only one list, the other part consists of all remaining images.
    encoding, foreground
        Encoding of the masks; see `read_mask`. ``auto`` looks at all masks first, since a single
        file can be ambiguous.
    mask_suffix : str
        Suffix of the name in masks, such as ``_mask`` in a_mask.png.
    classes : path or ClassLegend, optional
        Names and colours of the classes; see `segboost.io.legend.read_legend`. By default the
        number of classes is read from the masks.

    Raises
    ------
    DatasetError
        If a file has no partner, if two images share a name, or if a list does not fit.
    """
    check_encoding(encoding, foreground)
    legend = _given_legend(classes, encoding, foreground)
    found = pair_files(images, masks, mask_suffix)
    if found.problems:
        raise DatasetError(summarise(found.problems))
    names = list(found.pairs)
    if train_list is None and test_list is None:
        train, test = split_by_fraction(names, test_fraction, seed)
        left_out: list[str] = []
    else:
        train, test, left_out = split_by_lists(names, train_list, test_list)
    mask_files = [mask for _, mask in found.pairs.values()]
    reader = choose_reader(mask_files, encoding, foreground, legend)
    notes = (f"in neither list: {', '.join(left_out)}",) if left_out else ()
    data = assemble(Path(images), found, (train, test), reader)
    if legend is not None:
        data = replace(data, legend=legend)
    return replace(data, notes=data.notes + notes)


def choose_reader(
    masks: Sequence[Path],
    encoding: Encoding = "auto",
    foreground: int | None = None,
    legend: ClassLegend | None = None,
) -> MaskReader | ClassMaskReader:
    """Return the reader for the masks of a set, with two classes or those of a legend.

    All masks are read unless an encoding, a foreground index, or a legend with more than two
    classes or a colour of void is given.
    """
    if legend is not None and (legend.n_classes > 2 or legend.void is not None):
        return ClassMaskReader(legend)
    if encoding == "auto" and foreground is None:
        if legend is None and (n_classes := count_classes(masks)) > 2:
            return ClassMaskReader(default_legend(n_classes))
        encoding = find_encoding(masks)
    return MaskReader(encoding, foreground)


def assemble(
    images: Path,
    found: FolderPairs,
    split: tuple[list[str], list[str]],
    reader: MaskReader | ClassMaskReader,
) -> SegmentationDataset:
    """Return the data set of pairs under a split (training names, test names)."""
    train, test = (tuple(_item(name, found.pairs[name], reader) for name in part) for part in split)
    legend = reader.legend if isinstance(reader, ClassMaskReader) else TWO_CLASSES
    return SegmentationDataset(images.resolve().name, train, test, found.notes, legend=legend)


def _given_legend(
    classes: str | PathLike[str] | ClassLegend | None, encoding: Encoding, foreground: int | None
) -> ClassLegend | None:
    if classes is None:
        return None
    if foreground is not None:
        raise ValueError("classes and foreground exclude each other: foreground makes two classes")
    if encoding == "binary":
        raise ValueError('classes have indices, so the encoding cannot be "binary"')
    return classes if isinstance(classes, ClassLegend) else read_legend(classes)


def pair_files(
    images: str | PathLike[str], masks: str | PathLike[str], mask_suffix: str = ""
) -> FolderPairs:
    """Return the pairs of images and masks, and every file without a partner."""
    image_files, other_images = _list(images, "images")
    mask_files, other_masks = _list(masks, "masks")
    by_name, problems = _index(image_files, "")
    masks_by_name, more = _index(mask_files, mask_suffix)
    problems += more
    wanted = f"{{name}}{mask_suffix}.png"
    for name in sorted(by_name.keys() - masks_by_name.keys()):
        hint = wanted.format(name=name)
        problems.append((by_name[name], f"no mask (expected {Path(masks) / hint})"))
    for name in sorted(masks_by_name.keys() - by_name.keys()):
        problems.append((masks_by_name[name], f"no image named {name}"))
    both = sorted(by_name.keys() & masks_by_name.keys())
    others = other_images + other_masks
    return FolderPairs(
        {name: (by_name[name], masks_by_name[name]) for name in both},
        tuple(problems),
        tuple(f"{path}: left out, not an image file extension" for path in others),
    )


def _list(folder: str | PathLike[str], what: str) -> tuple[list[Path], list[Path]]:
    path = Path(folder)
    if not path.is_dir():
        raise DatasetError(f"{path} is not a folder: name the folder of the {what}")
    found, others = list_images(path)
    if not found:
        raise DatasetError(f"{path} holds no image files: name the folder of the {what}")
    return found, others


def _index(files: list[Path], suffix: str) -> tuple[dict[str, Path], list[tuple[Path, str]]]:
    """Return files by name without suffix and extension, and the problems of the others."""
    problems = [(p, f"name does not end in {suffix}") for p in files if _bare(p, suffix) is None]
    named = [(name, p) for p in files if (name := _bare(p, suffix)) is not None]
    count = Counter(name for name, _ in named)
    problems += [(p, f"another file is also named {n}") for n, p in named if count[n] > 1]
    return dict(named), problems


def _bare(path: Path, suffix: str) -> str | None:
    if not path.stem.endswith(suffix) or path.stem == suffix != "":
        return None
    return path.stem.removesuffix(suffix) if suffix else path.stem


def _item(
    name: str, pair: tuple[Path, Path], reader: MaskReader | ClassMaskReader
) -> LabelledImage:
    if isinstance(reader, ClassMaskReader):
        rule = reader.rule
    else:
        rule = f"mask {reader.encoding} {reader.foreground}"
    return LabelledImage(name, image_source(pair[0]), FileSource((pair[1],), reader, rule))


def summarise(problems: Sequence[tuple[Path, str]]) -> str:
    """Return one line that names the files, at most ten."""
    shown = "; ".join(f"{path}: {text}" for path, text in problems[:10])
    more = f"; and {len(problems) - 10} more" if len(problems) > 10 else ""
    return f"{shown}{more}. Add the missing files or move these away"
