"""A labelling session: all operations of the page, independent of HTTP."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from segboost._types import ByteArray, Int32Array
from segboost.features.presets import find_preset
from segboost.features.superpixels.methods import find_superpixels
from segboost.io.errors import ImageFileError, is_temporary
from segboost.label.background_processes import BackgroundProcesses
from segboost.label.classes import ClassList, PaintedClassError, write_classes
from segboost.label.export import Exported, export_masks
from segboost.label.images import FolderImage, ImageFolder, shown_image, stretched_image, thumbnail
from segboost.label.listing import COUNTING, PaintCounts, choose_next, list_entry
from segboost.label.live.learner import Painting
from segboost.label.live.predictions import LivePredictions
from segboost.label.masks import UNPAINTED, ConflictError, MaskFolder
from segboost.label.predicted.running import OBJECTS, PICTURES, PredictionExport
from segboost.label.prediction import Prediction, entropy
from segboost.label.project import PREDICTION, LabelProject
from segboost.label.reading import read_pixels
from segboost.pipelines.segmentation.images.working_size import reduce_image, resize_labels

KEPT = 8
"""Number of superpixel maps kept in memory."""


class LabelSession:
    """A folder being labelled: its images, masks, classes and models.

    Parameters
    ----------
    folder : Path
    n_workers : int
        Number of background processes; with 0, the live model is off.
    settings : mapping, optional
        Training settings to override; see `label_config`.
    """

    def __init__(
        self, folder: Path, n_workers: int, settings: Mapping[str, Any] | None = None
    ) -> None:
        self.project = LabelProject(folder)
        self.classes = self.project.classes()
        self.images = ImageFolder(folder)
        self.masks = MaskFolder(self.project.masks, lambda: self.classes)
        self.counts = PaintCounts(self.masks)
        self.live = LivePredictions(self.project)
        self.exporting = PredictionExport(self.project)
        self.live_on = n_workers > 0
        self.processes = BackgroundProcesses(self.project, n_workers, self._described)
        self._current = ""  # file name of the image that was opened last
        self._strokes = 0
        self._maps: OrderedDict[tuple[str, str], Int32Array] = OrderedDict()
        self._lock = Lock()
        self.project.keep_settings(settings or {})
        config = self.project.config()
        self._longest_side = config.longest_side
        self._method = find_preset(config.preset).superpixels

    def start(self) -> None:
        """Start computing features in the background."""
        images = self.images.scan()
        self.masks.forget_removed(images)
        self.project.choose_vocabulary(images)
        self.processes.update_images(images)
        self.processes.start()

    def close(self) -> None:
        """Stop all background processes."""
        self.processes.close()
        self.live.close()
        self.exporting.close()

    def state(self) -> dict[str, Any]:
        """Return the images with their states, the training state and the image to label next."""
        images = self.images.scan()
        self.processes.update_images(images)
        end = time.monotonic() + COUNTING
        shown = [self._shown(image, end) for image in images]
        return {
            "folder": str(self.project.folder),
            "left_out": self.images.left_out(),
            "images": shown,
            "classes": [c.to_dict() for c in self.classes.classes],
            "revision": revision(self.classes),
            "training": self.processes.snapshot(),
            "model": self.processes.model_key,
            "live": {"on": self.live_on, **self.live.snapshot()},
            "source": self.source,
            "export": self.exporting.snapshot(),
            "next": choose_next(shown, self._offered(images)),
        }

    def _offered(self, images: Sequence[FolderImage]) -> str | None:
        """Return the key of the image that the live model offers."""
        name = self.live.offer if self.live_on else None
        return next((i.key for i in images if i.path.name == name), None)

    @property
    def source(self) -> str:
        """The model that predictions come from: "model" (the trained one) or "live".

        It is "model" if nothing was painted since training, or if the live model is off.
        """
        current = self.processes.model_key is not None and self._strokes == self._trained
        return "model" if current or not self.live_on else "live"

    @property
    def _trained(self) -> int:
        return self.processes.trained_strokes

    def _shown(self, image: FolderImage, end: float) -> dict[str, Any]:
        entry = list_entry(image, self.counts, end)
        if entry["problem"]:
            return entry
        name = image.path.name
        source = self.live if self.source == "live" else self.processes
        entry |= {"failed": self.processes.failed.get(name, "")}
        entry |= {"described": name in self.processes.described}
        return entry | {"uncertainty": source.uncertainty.get(name)}

    def thumbnail(self, image: FolderImage) -> bytes:
        """Return a small JPEG."""
        return self._decoded(image, lambda: thumbnail(image.path))  # type: ignore[no-any-return]

    def picture(self, image: FolderImage) -> bytes:
        """Return the JPEG for the editor."""
        return self._decoded(image, lambda: shown_image(image))  # type: ignore[no-any-return]

    def stretched(self, image: FolderImage) -> bytes:
        """Return the JPEG for the editor, its values stretched between two percentiles."""
        return self._decoded(image, lambda: stretched_image(image))  # type: ignore[no-any-return]

    def superpixels(self, image: FolderImage) -> Int32Array:
        """Return the superpixels of the features, resized for the editor."""
        with self._lock:
            found = self._maps.get((image.key, image.stamp))
        if found is None:
            pixels = self._decoded(image, lambda: read_pixels(image.path))
            small = find_superpixels(reduce_image(pixels, self._longest_side), self._method)
            found = resize_labels(small, image.shown_shape)
            with self._lock:
                self._maps[image.key, image.stamp] = found
                while len(self._maps) > KEPT:
                    self._maps.popitem(last=False)
        return found

    def open(self, image: FolderImage) -> None:
        """Process an image first in the background, and request its live prediction."""
        self._current = image.path.name
        self.processes.focus([image.path.name])
        if self.source == "live":
            self._ask_live()

    def save(self, image: FolderImage, shown: ByteArray, version: str) -> tuple[str, int]:
        """Save an edited mask; return its new version and the number of the live prediction.

        Raises
        ------
        ConflictError
            If the mask was changed in the meantime; it is left unchanged.
        """
        saved = self.masks.save(image, shown, version)
        self._strokes += 1
        self._current = image.path.name
        return saved, self._ask_live()

    def set_live(self, on: bool) -> None:
        """Switch the live model on or off."""
        self.live_on = on
        self._ask_live()

    def _ask_live(self) -> int:
        """Request a live prediction of the current image; return its number, 0 if live is off."""
        if not self.live_on:
            return 0
        images = [i for i in self.images.known() if not i.problem]
        stamps = {i.path.name: i.stamp for i in images}
        versions: dict[str, str] = {}
        for image in images:
            try:
                version = self.masks.version(image)
            except ImageFileError:
                continue  # shown in the list
            if version != UNPAINTED:
                versions[image.path.name] = version
        painting = Painting(versions, stamps, self.classes.values)
        return self.live.ask(painting, self._current)

    def _described(self, name: str) -> None:
        """Request a live prediction with the new features of an image that is open or painted."""
        if self.source == "live" and (
            name == self._current or self.project.mask_path(name).exists()
        ):
            self._ask_live()

    def prediction(self, image: FolderImage) -> dict[str, Any]:
        """Return the prediction for an image in the form that the page reads, with its source.

        ``label`` has the value of the class of every superpixel and ``entropy`` its uncertainty;
        both are missing if there is no prediction yet.
        """
        name, source = image.path.name, self.source
        if source == "live":
            found = self.live.prediction(name, image.stamp) or {}
            shown = {k: found[k] for k in ("label", "entropy", "uncertainty") if k in found}
            return {"source": source, "answered": self.live.answered, **shown}
        made = self.model_prediction(image)
        if made is None:
            return {"source": source}
        values = np.array(self.project.model_values())
        unsure = np.rint(entropy(made.probability) * 1000) / 1000
        return {
            "source": source,
            "label": values[made.label].tolist(),
            "entropy": unsure.tolist(),
            "uncertainty": made.uncertainty,
        }

    def model_prediction(self, image: FolderImage) -> Prediction | None:
        """Return the trained model's prediction; None if it has not been computed yet."""
        key = self.processes.model_key
        if key is None or image.path.name not in self.processes.uncertainty:
            return None
        parts = self.project.prediction_parts(key, image.path.name)
        found = self.project.store.get(PREDICTION, parts)
        return None if found is None else Prediction.from_artefact(found)

    def change_classes(
        self, entries: Sequence[Any], known: str, erase: Collection[int] = ()
    ) -> None:
        """Replace the classes; strokes of removed ones become void.

        Parameters
        ----------
        entries : sequence of mappings
            See `ClassList.changed`.
        known : str
            The revision that was changed.
        erase : collection of ints
            The values of removed classes whose strokes may be erased.

        Raises
        ------
        ConflictError
            If the classes were changed in the meantime.
        PaintedClassError
            If another class that is to be removed has strokes; nothing is changed.
        """
        with self._lock:
            now = revision(self.classes)
            if known != now:
                raise ConflictError(now)
            changed = self.classes.changed(entries)
            removed = set(self.classes.values) - set(changed.values)
            painted = (removed - set(erase)) & self._painted_values() if removed else set()
            if painted:
                raise PaintedClassError([c for c in self.classes.classes if c.value in painted])
            write_classes(self.project.class_file, changed)
            self.classes = changed
        if removed:
            self.masks.forget_removed(self.images.scan())
        self._strokes += 1
        self._ask_live()

    def _painted_values(self) -> set[int]:
        """Return the values that occur in any mask, counted now; unreadable masks are skipped."""
        found: set[int] = set()
        for image in self.images.scan():
            with contextlib.suppress(ImageFileError):
                found |= set(self.counts.get(image, self.masks.version(image)) or {})
        return found

    def train(self) -> None:
        """Start training on all labelled pixels; raise a ValueError if a class has none."""
        images = [i for i in self.images.scan() if not i.problem]
        painted: list[str] = []
        seen: set[int] = set()
        for image in images:
            found = self.counts.get(image, self.masks.version(image)) or {}
            values = set(found) & set(self.classes.values)
            seen |= values
            painted += [image.path.name] if values else []
        for entry in self.classes.classes:
            if entry.value not in seen:
                raise ValueError(f"no {entry.name} is painted yet: paint some before training")
        self.processes.train(painted, self._strokes)

    def export(self) -> Exported:
        """Export images and masks for `segboost train`."""
        return export_masks(self.project, self.images.scan(), self.masks)

    def export_predictions(self, what: Sequence[str]) -> int:
        """Start exporting predictions of all images; return the number of the export."""
        unknown = [name for name in what if name not in (PICTURES, OBJECTS)]
        if unknown:
            raise ValueError(f"expected {PICTURES!r} or {OBJECTS!r} to export, got {unknown[0]!r}")
        has_model = self.processes.model_key is not None
        return self.exporting.start(what, has_model and self.source == "model")

    def _decoded(self, image: FolderImage, decode: Any) -> Any:
        try:
            return decode()
        except ImageFileError as error:
            reason = str(error).removeprefix(f"{image.path}: ")
            if not is_temporary(error):
                self.images.mark_broken(image, reason)
            raise


def revision(classes: ClassList) -> str:
    """Return a digest of the classes."""
    text = json.dumps(classes.to_dict(), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
