"""A labelling session: everything the page can ask for, independent of HTTP."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from segboost.datasets.base import BACKGROUND, FOREGROUND, VOID
from segboost.features.presets import find_preset
from segboost.features.superpixels.methods import find_superpixels
from segboost.io.errors import ImageFileError, is_passing
from segboost.io.image_files import read_image
from segboost.label.background_processes import BackgroundProcesses
from segboost.label.export import Exported, export_masks
from segboost.label.images import FolderImage, ImageFolder, shown_image, thumbnail
from segboost.label.masks import UNPAINTED, MaskFolder
from segboost.label.prediction import Prediction
from segboost.label.project import PREDICTION, LabelProject
from segboost.pipelines.segmentation.images.working_size import reduce_image, resize_labels

KEPT = 8
"""Number of superpixel maps kept in memory."""
COUNTING = 0.3
"""Seconds per state request for counting labelled pixels (at least one mask is counted). The list
must not wait for a hundred masks of 12 megapixels; the page asks again soon."""
UNCOUNTED: dict[str, int | None] = {"foreground": None, "background": None, "unpainted": None}


class LabelSession:
    """A folder being labelled: its images, masks and model.

    Parameters
    ----------
    folder : Path
    n_workers : int
        Number of background processes.
    settings : mapping, optional
        Training settings to override; see `label_config`.
    """

    def __init__(
        self, folder: Path, n_workers: int, settings: Mapping[str, Any] | None = None
    ) -> None:
        self.project = LabelProject(folder)
        self.images = ImageFolder(folder)
        self.masks = MaskFolder(self.project.masks)
        self.processes = BackgroundProcesses(self.project, n_workers)
        self._counts: dict[str, tuple[str, dict[str, int]]] = {}
        self._maps: OrderedDict[tuple[str, str], npt.NDArray[np.int32]] = OrderedDict()
        self._lock = Lock()
        self.project.keep_settings(settings or {})
        config = self.project.config()
        self._longest_side = config.longest_side
        self._method = find_preset(config.preset).superpixels

    def start(self) -> None:
        """Start computing features in the background."""
        images = self.images.scan()
        self.project.choose_vocabulary(images)
        self.processes.see(images)
        self.processes.start()

    def close(self) -> None:
        """Stop all background processes."""
        self.processes.close()

    def state(self) -> dict[str, Any]:
        """Return the images with their states, the training state and the image to label next."""
        images = self.images.scan()
        self.processes.see(images)
        end = time.monotonic() + COUNTING
        shown = [self._shown(image, end) for image in images]
        return {
            "folder": str(self.project.folder),
            "images": shown,
            "training": self.processes.snapshot(),
            "model": self.processes.model_key,
            "next": choose_next(shown),
        }

    def _shown(self, image: FolderImage, end: float) -> dict[str, Any]:
        entry: dict[str, Any] = {"key": image.key, "name": image.name, "problem": image.problem}
        entry |= {"stamp": image.stamp}
        if image.problem:
            return entry
        name = image.path.name
        try:
            version = self.masks.version(image)
        except ImageFileError as error:
            return entry | {"problem": str(error)}
        counts: Mapping[str, int | None] = UNCOUNTED
        if time.monotonic() < end or self._is_counted(image, version):
            counts = self._count(image, version)
        entry |= {"width": image.shown_shape[1], "height": image.shown_shape[0]}
        entry |= {"version": version, **counts, "failed": self.processes.failed.get(name, "")}
        entry |= {"described": name in self.processes.described}
        entry |= {"uncertainty": self.processes.uncertainty.get(name)}
        return entry

    def _is_counted(self, image: FolderImage, version: str) -> bool:
        known = self._counts.get(image.key)
        return version == UNPAINTED or (known is not None and known[0] == version)

    def _count(self, image: FolderImage, version: str) -> dict[str, int]:
        """Return the number of pixels of each kind in a mask; counted once per version."""
        known = self._counts.get(image.key)
        if known is None or known[0] != version:
            counts = {"foreground": 0, "background": 0, "unpainted": 1}
            if version != UNPAINTED:
                try:
                    mask = self.masks.read(image)
                    found = np.bincount(mask.ravel(), minlength=256)
                    names = {"foreground": FOREGROUND, "background": BACKGROUND, "unpainted": VOID}
                    counts = {key: int(found[value]) for key, value in names.items()}
                except ValueError:
                    pass  # the error is shown when the image is opened
            known = version, counts
            self._counts[image.key] = known
        return known[1]

    def thumbnail(self, image: FolderImage) -> bytes:
        """Return a small JPEG."""
        return self._decoded(image, lambda: thumbnail(image.path))

    def picture(self, image: FolderImage) -> bytes:
        """Return the JPEG for the editor."""
        return self._decoded(image, lambda: shown_image(image))

    def superpixels(self, image: FolderImage) -> npt.NDArray[np.int32]:
        """Return the superpixels of the features, resized for the editor."""
        with self._lock:
            found = self._maps.get((image.key, image.stamp))
        if found is None:
            pixels = self._decoded(image, lambda: read_image(image.path))
            small = find_superpixels(reduce_image(pixels, self._longest_side), self._method)
            found = resize_labels(small, image.shown_shape)
            with self._lock:
                self._maps[image.key, image.stamp] = found
                while len(self._maps) > KEPT:
                    self._maps.popitem(last=False)
        return found

    def prediction(self, image: FolderImage) -> Prediction | None:
        """Return the prediction for an image; None if it has not been computed yet."""
        key = self.processes.model_key
        if key is None or image.path.name not in self.processes.uncertainty:
            return None
        parts = self.project.prediction_parts(key, image.path.name)
        found = self.project.store.get(PREDICTION, parts)
        return None if found is None else Prediction.from_artefact(found)

    def train(self) -> None:
        """Start training on all labelled pixels; raise a ValueError if a class has none."""
        images = [i for i in self.images.scan() if not i.problem]
        counts = {i.path.name: self._count(i, self.masks.version(i)) for i in images}
        painted = [n for n, c in counts.items() if c["foreground"] + c["background"]]
        for kind in ("foreground", "background"):
            if not any(c[kind] for c in counts.values()):
                raise ValueError(f"no {kind} is painted yet: paint some before training")
        self.processes.train(painted)

    def export(self) -> Exported:
        """Export images and masks for `segboost train`."""
        return export_masks(self.project, self.images.scan(), self.masks)

    def _decoded(self, image: FolderImage, decode: Any) -> Any:
        try:
            return decode()
        except ImageFileError as error:
            reason = str(error).removeprefix(f"{image.path}: ")
            if not is_passing(error):
                self.images.mark_broken(image, reason)
            raise


def choose_next(images: list[dict[str, Any]]) -> str | None:
    """Return the key of the image to label next: the most uncertain unlabelled one.

    Without predictions it is the first one; if all images are labelled, the most uncertain of the
    incomplete ones.
    """
    usable = [i for i in images if not i["problem"]]
    fresh = [i for i in usable if i["version"] == UNPAINTED]
    # Masks that have not been counted yet have None.
    partial = [i for i in usable if i["unpainted"] != 0 and i["version"] != UNPAINTED]
    for group in (fresh, partial):
        asked = [i for i in group if i["uncertainty"] is not None]
        if asked:
            return str(max(asked, key=lambda i: i["uncertainty"])["key"])
        if group:
            return str(group[0]["key"])
    return None
