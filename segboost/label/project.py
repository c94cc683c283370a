"""A folder of images being labelled: the paths of its masks, features, predictions and model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segboost._types import ByteArray
from segboost.datasets.base import FileSource, LabelledImage
from segboost.datasets.images.masks import read_values
from segboost.io.errors import ImageFileError
from segboost.label.classes import ClassList, read_classes
from segboost.label.images import WORK, FolderImage
from segboost.label.reading import pixel_source
from segboost.pipelines.runtime.artefact_store import ArtefactStore, KeyParts, file_key
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.stages.features import FeatureStage, feature_stage
from segboost.progress import QuietProgress
from segboost.storage.folder import DOCUMENT
from segboost.storage.whole_file import write_whole

PREDICTION = "label-class-prediction"
MOST_WORDS_FROM = 30
"""Maximum number of images to learn visual words from; more would change little."""

QUICK: dict[str, Any] = {
    "preset": "default",
    "longest_side": 800,
    "linear_below": 200,
    "linear": {"regularisation": 4e-3, "balanced": 3, "smoothness": 6.0, "contrast": 0.3},
    "average_folds": False,
    "mirror_images": False,
}
"""Settings for quick training: the features of `default`, no parameter search. With fewer than 200
images the model is of the same kind as the live one, learned from all painted superpixels: a linear
classifier and a CRF with fixed weights. Strokes label less than half of the superpixels, and hardly
ever both sides of a border: trees need more images than with masks, and a learned CRF smooths too
little."""
C_OF_ONE_IMAGE = 20.0
"""C if a single image is painted: there is no other one to choose it with."""


def label_config(changes: Mapping[str, Any] | None = None) -> SegmentationConfig:
    """Return the settings for quick training.

    Parameters
    ----------
    changes : mapping, optional
        Entries of `SegmentationConfig` to override; nested settings are merged.
    """
    merged = dict(QUICK)
    if "preset" in (changes or {}):
        del merged["linear_below"]  # other presets have their own number
    for name, value in (changes or {}).items():
        both = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = {**merged[name], **value} if both else value
    return SegmentationConfig.from_dict(merged)


@dataclass(frozen=True)
class ClassReader:
    """Reads a mask of the folder with the class numbers 0 … K−1 that models have."""

    classes: ClassList

    def __call__(self, paths: tuple[Path, ...]) -> ByteArray:
        """Return the mask of the file."""
        found: ByteArray = self.classes.index_table()[read_values(paths[0]).values]
        return found

    @property
    def rule(self) -> str:
        """The settings that the mask depends on in addition to its file."""
        values = self.classes.values
        return "mask index" if values == (0, 1) else f"mask classes {values}"


@dataclass(frozen=True)
class LabelProject:
    """The paths of a folder being labelled.

    Parameters
    ----------
    folder : Path
        The folder of images.
    """

    folder: Path

    @property
    def work(self) -> Path:
        """The folder for everything that is written."""
        return self.folder / WORK

    @property
    def masks(self) -> Path:
        """The folder of the partial masks."""
        return self.work / "masks"

    @property
    def model(self) -> Path:
        """The model folder, also usable by `segboost segment`."""
        return self.work / "model"

    @property
    def export(self) -> Path:
        """The folder of the exported images and masks."""
        return self.work / "export"

    @property
    def predictions(self) -> Path:
        """The folder of the exported predictions."""
        return self.work / "predictions"

    @property
    def store(self) -> ArtefactStore:
        """The store of features, superpixels and predictions."""
        return ArtefactStore(self.work / "cache")

    def item(self, name: str) -> LabelledImage:
        """Return an image, by file name, with its mask."""
        path, reader = self.folder / name, ClassReader(self.classes())
        mask = FileSource((self.mask_path(name),), reader, reader.rule)
        return LabelledImage(path.stem, pixel_source(path), mask)

    def mask_path(self, name: str) -> Path:
        """Return the path of the mask of an image, by file name."""
        return self.masks / f"{Path(name).stem}.png"

    def classes(self) -> ClassList:
        """Return the classes; raise a ValueError if their file is damaged."""
        return read_classes(self.class_file)

    def model_values(self) -> tuple[int, ...]:
        """Return the mask values of the model's classes 0 … K−1."""
        try:
            return tuple(int(v) for v in json.loads(self._model_classes.read_text()))
        except (OSError, ValueError, TypeError):
            return self.classes().values

    def keep_model_values(self, values: Sequence[int]) -> None:
        """Save the values of the classes that the model was trained with."""
        write_whole(self._model_classes, json.dumps(list(values)).encode())

    @property
    def class_file(self) -> Path:
        """The file of the classes, if they were changed."""
        return self.work / "classes.json"

    def model_key(self) -> str | None:
        """Return a digest of the model; None if there is none yet."""
        document = self.model / DOCUMENT
        return file_key(document) if document.exists() else None

    def prediction_parts(self, model_key: str, name: str) -> KeyParts:
        """Return the key of a prediction: what it depends on."""
        return KeyParts({}, (model_key, self.item(name).image_key()))

    def features(self) -> FeatureStage:
        """Return the feature stage; the first call learns the visual words.

        Images that turn out to be broken are removed from the vocabulary.
        """
        try:
            return self._features()
        except ImageFileError:
            readable = [name for name in self.vocabulary() if self._is_readable(name)]
            write_whole(self._words, json.dumps(readable).encode())
            return self._features()

    def _features(self) -> FeatureStage:
        items = [self.item(name) for name in self.vocabulary()]
        return feature_stage(items, self.config(), self.store, QuietProgress())

    def _is_readable(self, name: str) -> bool:
        try:
            self.item(name).image()
        except ImageFileError:
            return False
        return True

    def config(self) -> SegmentationConfig:
        """Return the settings of this server."""
        return label_config(json.loads(self._settings.read_text()))

    def keep_settings(self, changes: Mapping[str, Any]) -> None:
        """Save the settings of this server for its processes to read."""
        label_config(changes)  # raises if a setting is invalid
        self.work.mkdir(parents=True, exist_ok=True)
        write_whole(self._settings, json.dumps(dict(changes)).encode())

    def vocabulary(self) -> list[str]:
        """Return the names of the images that visual words are learned from."""
        return [str(name) for name in json.loads(self._words.read_text())]

    def choose_vocabulary(self, images: Sequence[FolderImage]) -> None:
        """Choose evenly spread images for the visual words, unless all chosen ones still exist.

        The words, and with them all features, must not change when images are added.
        """
        there = [i.path.name for i in images if not i.problem]
        try:
            if set(self.vocabulary()) <= set(there) and self.vocabulary():
                return
        except (OSError, ValueError):
            pass
        step = max(1, len(there) // MOST_WORDS_FROM)
        self.work.mkdir(parents=True, exist_ok=True)
        write_whole(self._words, json.dumps(there[::step][:MOST_WORDS_FROM]).encode())

    @property
    def _model_classes(self) -> Path:
        return self.work / "model-classes.json"

    @property
    def _settings(self) -> Path:
        return self.work / "settings.json"

    @property
    def _words(self) -> Path:
        return self.work / "vocabulary.json"
