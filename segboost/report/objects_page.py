"""The report of a folder that `segboost segment --objects` wrote: counts and sizes of objects."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np

from segboost._types import AnyArray, FloatArray
from segboost.io.errors import ImageFileError
from segboost.io.legend import DEFAULT_COLOURS
from segboost.io.scientific.sources import ImageSource, open_source
from segboost.report.page import frame
from segboost.report.run_data.pictures import indexed, png
from segboost.report.sections.html_elements import panel, section, table, tile
from segboost.report.sections.svg import Chart
from segboost.report.write_report import PAGE, check_page
from segboost.storage.whole_file import write_whole

TABLE, RESULTS, LABELS = "objects.csv", "results.csv", "labels"
PIXEL = "pixel"
BAND = 256
MOST_PICTURES, WIDEST = 12, 640
"""Pictures of label images in the report, and their largest side in pixels."""
EMPTY = (24, 27, 32, 255)
COLOURS = [(*colour, 255) for colour in DEFAULT_COLOURS[1:]]
BINS = 24
MOST_ROWS = 500

Row = Mapping[str, str]


def has_objects(folder: Path) -> bool:
    """Return whether a folder contains a table of objects."""
    return (folder / TABLE).is_file()


def write_objects_report(
    folder: Path, output: Path | None = None, title: str | None = None, overwrite: bool = False
) -> Path:
    """Write a page about the objects of segmented images; return its path.

    Parameters
    ----------
    folder : Path
        Output folder of ``segboost segment --objects``.
    output : Path, optional
        The HTML file; ``report.html`` in the folder by default.
    title : str, optional
        The folder's name by default.
    overwrite : bool
        Whether an HTML file that is not a report may be replaced.

    Raises
    ------
    ValueError
        If a table was not written by segboost.
    """
    page = folder / PAGE if output is None else output
    check_page(page, folder, overwrite)
    rows = _read(folder / TABLE)
    images = _read(folder / RESULTS) if (folder / RESULTS).is_file() else []
    names = [row["name"] for row in images] or list(dict.fromkeys(row["image"] for row in rows))
    pictures = draw_labels(folder, names)
    text = render_objects(title or folder.resolve().name, rows, images, pictures)
    return write_whole(page, text.encode("utf-8", "replace"))


def draw_labels(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """Return pictures of the objects of the first images, by name, as data URLs.

    Of a stack, the middle page is drawn. Label images that are missing or damaged are left out.

    Parameters
    ----------
    folder : Path
    names : sequence of str
        Names of the image files.
    """
    found = {}
    for name in names[:MOST_PICTURES]:
        try:
            with open_source(folder / LABELS / f"{Path(name).stem}.tif") as source:
                info = source.info
                step = max(1, -(-max(info.shape) // WIDEST))
                labels = _thinned(source, info.pages // 2, step)
        except ImageFileError:
            continue
        found[name] = png(indexed(_colour_numbers(labels), [EMPTY, *COLOURS]))
    return found


def render_objects(
    title: str,
    rows: Sequence[Row],
    images: Sequence[Row],
    pictures: Mapping[str, str] | None = None,
) -> str:
    """Return the page.

    Parameters
    ----------
    title : str
    rows : sequence of mapping
        The lines of ``objects.csv``.
    images : sequence of mapping
        The lines of ``results.csv``.
    pictures : mapping of str to str, optional
        Pictures of the objects by image name; see `draw_labels`.
    """
    classes = list(dict.fromkeys(row["class"] for row in rows))
    head = '<div class="tiles">'
    head += tile(f"{len(rows):,}", "", "objects")
    head += tile(str(len(images) or len({row["image"] for row in rows})), "", "images") + "</div>"
    panels = [_sizes(name, [r for r in rows if r["class"] == name]) for name in classes]
    body = section(
        "objects-0",
        "Sizes of objects",
        "Number of objects by area.",
        f'<div class="panels">{"".join(panels)}</div>' if panels else "<p>No objects.</p>",
    )
    links = [("objects-0", "Sizes of objects"), ("images-0", "Objects per image")]
    body += section(
        "images-0", "Objects per image", "Number and total area per image.", _images(rows, images)
    )
    if pictures:
        count = Counter(row["image"] for row in rows)
        shown = [
            panel(name, _picture(name, address), f"{count[name]:,} objects")
            for name, address in pictures.items()
        ]
        text = "Each object has its own colour; for stacks, the middle page is shown."
        body += section(
            "pictures-0", "Objects", text, f'<div class="panels">{"".join(shown)}</div>'
        )
        links.append(("pictures-0", "Objects"))
    return frame(title, "objects of segmented images", head, links, body)


def area_bins(areas: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return edges and counts of a histogram of areas from 0 to the largest.

    Examples
    --------
    >>> edges, counts = area_bins(np.array([1.0, 2.0, 24.0]))
    >>> edges[[0, -1]].tolist(), counts.sum().item()
    ([0.0, 24.0], 3)
    """
    counts, edges = np.histogram(areas, BINS, (0.0, max(float(areas.max()), 1e-12)))
    return edges, counts


def _sizes(name: str, rows: Sequence[Row]) -> str:
    areas = np.array([float(row["area"]) for row in rows])
    edges, counts = area_bins(areas)
    unit = rows[0]["unit"]
    label = "area in pixels" if unit == PIXEL else f"area in {unit}²"
    chart = Chart((0.0, float(edges[-1])), (0.0, float(counts.max())), f"sizes of {name}")
    drawn = chart.bars(edges, counts, "fill front").axes(label, "objects").svg()
    text = f"{len(rows):,} objects, median area {np.median(areas):.4g}, mean {areas.mean():.4g}"
    return panel(name, drawn, text)


def _thinned(source: ImageSource, page: int, step: int) -> AnyArray:
    """Return every `step`-th row and column of a page, which is read by bands."""
    height, width = source.info.shape
    bands = []
    for top in range(0, height, BAND):
        rows = slice(top, min(top + BAND, height))
        band = source.read(page, rows, slice(0, width))
        bands.append(band[-top % step :: step, ::step, 0])
    return np.concatenate(bands)


def _colour_numbers(labels: AnyArray) -> AnyArray:
    """Return the palette index of every pixel: 0 outside objects and where they touch."""
    codes = np.where(labels > 0, 1 + (labels.astype(np.int64) - 1) % len(COLOURS), 0)
    down = (labels[1:] != labels[:-1]) & (labels[1:] > 0) & (labels[:-1] > 0)
    right = (labels[:, 1:] != labels[:, :-1]) & (labels[:, 1:] > 0) & (labels[:, :-1] > 0)
    codes[1:][down] = 0
    codes[:, 1:][right] = 0
    return codes


def _picture(name: str, address: str) -> str:
    return f'<img src="{address}" alt="objects of {escape(name)}" style="max-width:100%">'


def _images(rows: Sequence[Row], images: Sequence[Row]) -> str:
    by_image: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_image[row["image"]].append(row)
    names = [row["name"] for row in images] or list(by_image)
    shown = []
    for name in names[:MOST_ROWS]:
        own = by_image.get(name, [])
        unit = escape(own[0]["unit"]) if own else PIXEL
        total = sum(float(row["area"]) for row in own)
        area = f"{total:,.0f}" if total >= 1000 else f"{total:.6g}"
        named = "pixels" if unit == PIXEL else f"{unit}²"
        shown.append([escape(name), f"{len(own):,}", f"{area} {named}"])
    more = f"<p>{len(names) - MOST_ROWS} more: see {RESULTS}.</p>" if len(names) > MOST_ROWS else ""
    return table(["image", "objects", "total area"], shown, "objects per image") + more


def _read(path: Path) -> list[Row]:
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        rows: list[Row] = list(csv.DictReader(file))
    needed = {"image", "class", "unit", "area"} if path.name == TABLE else {"name"}
    for row in rows:
        bad = not needed <= row.keys() or any(row[key] is None for key in needed)
        if bad or (path.name == TABLE and not _is_number(row["area"])):
            raise ValueError(
                f"{path} is not a table of segboost segment: run segboost segment again"
            )
    return rows


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
