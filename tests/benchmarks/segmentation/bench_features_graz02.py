"""Superpixels on Graz-02 bikes: number, oracle accuracy and speed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.benchmarks.figures import Figure, at_least, at_most, cpu_seconds

TITLE = "Superpixels on Graz-02 bikes (every tenth photograph; needs SEGBOOST_DATA)"


def load(root: Path, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return one photograph and the union of the visible parts of its objects."""
    from PIL import Image

    path = next(root.glob(f"bike_{number:03d}.image.*"))
    masks = [np.asarray(Image.open(m)) == 1 for m in root.glob(f"bike_{number:03d}.mask.*.png")]
    return np.asarray(Image.open(path).convert("RGB")), np.any(masks, axis=0)


def oracle_counts(labels: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return intersections and unions of both classes if superpixels take their majority label."""
    area = np.bincount(labels.ravel())
    chosen = (2 * np.bincount(labels.ravel(), mask.ravel()) > area)[labels]
    pairs = ((chosen, mask), (~chosen, ~mask))
    return np.array([[(a & b).sum(), (a | b).sum()] for a, b in pairs])


def methods() -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    from functools import partial

    from skimage.filters import sobel
    from skimage.segmentation import felzenszwalb, watershed

    from segboost.features import (
        GraphMerging,
        QuickShift,
        Slic,
        connected_regions,
        find_superpixels,
    )

    def compact_watershed(image: np.ndarray) -> np.ndarray:
        edges = sobel(image.mean(axis=2) / 255)
        return connected_regions(watershed(edges, markers=1000, compactness=1e-4))

    def graph_based(image: np.ndarray) -> np.ndarray:
        # Left 8-connected: split into 4-connected parts, there would be twice as many.
        return felzenszwalb(image, scale=20, sigma=0.5, min_size=90)

    ours = {m.kind: m for m in (GraphMerging(), QuickShift(), Slic())}
    cuts = {name: partial(find_superpixels, method=m) for name, m in ours.items()}
    return {**cuts, "felzenszwalb (skimage)": graph_based, "compact watershed": compact_watershed}


def measure(cut: Callable, images: list, name: str, default: bool) -> list[Figure]:
    counts, totals, seconds = [], np.zeros((2, 2)), 0.0
    cut(images[0][0])
    for image, mask in images:
        spent, labels = cpu_seconds(lambda image=image: cut(image))
        seconds += spent
        counts.append(labels.max() + 1)
        totals += oracle_counts(labels, mask)
    iou = 100 * (totals[:, 0] / totals[:, 1]).mean()
    most, mean = float(max(counts)), float(np.mean(counts))
    return [
        at_most(f"{name}: largest number of superpixels", most, 1000, "")
        if default
        else Figure(f"{name}: largest number of superpixels", most, ""),
        Figure(f"{name}: mean number of superpixels", mean, ""),
        at_least(f"{name}: oracle mean IoU", iou, 94, "%")
        if default
        else Figure(f"{name}: oracle mean IoU", iou, "%"),
        Figure(f"{name}: CPU per image", seconds / len(images), "s"),
    ]


def run() -> list[Figure]:
    root = Path(os.environ.get("SEGBOOST_DATA", ""), "graz02", "bikes")
    if not os.environ.get("SEGBOOST_DATA") or not root.is_dir():
        return []
    images = [load(root, number) for number in range(1, 301, 10)]
    figures = []
    for name, cut in methods().items():
        figures += measure(cut, images, name, name == "graph")
    return figures
