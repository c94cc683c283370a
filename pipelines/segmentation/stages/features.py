"""The features of the images, cached on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from segboost._types import AnyArray, ByteArray
from segboost.features.extract import extract_features
from segboost.features.groups.words import Codebook, learn_codebook
from segboost.features.presets import Preset, find_preset
from segboost.pipelines.runtime.artefact_store import Artefact, ArtefactStore, KeyParts
from segboost.pipelines.runtime.parallel_map import map_tasks
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.images.training_image import TrainingImage
from segboost.pipelines.segmentation.images.working_size import reduce_items
from segboost.progress import Progress, Report

WORDS, FEATURES = "visual words", "features"
"""The names of the two stages in progress reports."""


@dataclass(frozen=True, eq=False)
class FeatureStage:
    """The features of images, one artefact per group, so that a learner reads only its own."""

    store: ArtefactStore
    preset: Preset
    codebook_key: str

    def parts(self, image_key: str) -> KeyParts:
        """Return everything that an image's features depend on."""
        return KeyParts(self.preset.to_key(), (image_key, self.codebook_key))

    def make(self, item: TrainingImage) -> None:
        """Compute and store the features of an image, unless they are already stored."""
        if not self.has(item):
            self.keep(item, compute_features(self.preset, name_and_pixels(item)))

    def has(self, item: TrainingImage) -> bool:
        """Whether all features of an image are in the store."""
        parts = self.parts(item.image_key())
        stages = [*(f"features-{g.name}" for g in self.preset.groups), "superpixels"]
        return all(self.store.has(stage, parts) for stage in stages)

    def keep(self, item: TrainingImage, image: SuperpixelImage) -> None:
        """Put the features of an image into the store."""
        parts = self.parts(item.image_key())
        for group in self.preset.groups:
            values = Artefact({"values": image.groups[group.name]})
            self.store.put(f"features-{group.name}", parts, values)
        self.store.put("superpixels", parts, image.without_groups().to_artefact())

    def group(self, item: TrainingImage, name: str) -> AnyArray:
        """Return one group's features of an image, shape (P, d)."""
        found = self.store.get(f"features-{name}", self.parts(item.image_key()))
        if found is None:
            raise RuntimeError(f"the features of {item.name} are no longer in {self.store.root}")
        return found.arrays["values"]

    def widths(self, item: TrainingImage) -> dict[str, int]:
        """Return the number of columns that each group has in this image."""
        return {g.name: self.group(item, g.name).shape[1] for g in self.preset.groups}

    def graph(self, item: TrainingImage, with_truth: bool) -> SuperpixelImage:
        """Return an image without features, with the truth of its mask if wanted."""
        found = self.store.get("superpixels", self.parts(item.image_key()))
        if found is None:
            raise RuntimeError(f"superpixels of {item.name} are no longer in {self.store.root}")
        image = SuperpixelImage.from_artefact(item.name, found)
        return image.with_truth(item.mask()) if with_truth else image


def compute_features(preset: Preset, item: tuple[str, ByteArray]) -> SuperpixelImage:
    """Return an image, given as name and pixels, with all its features."""
    name, image = item
    features = extract_features(image, preset, name=name, dtype="uint8")
    return SuperpixelImage.from_features(name, features)


def feature_stage(
    items: Sequence[TrainingImage],
    config: SegmentationConfig,
    store: ArtefactStore,
    progress: Progress,
) -> FeatureStage:
    """Return the feature stage, with the codebook of the training images if words are used."""
    items = reduce_items(items, config.longest_side)
    preset = find_preset(config.preset)
    if not preset.needs_codebook:
        return FeatureStage(store, preset, "")
    parts = KeyParts({"seed": config.seed}, tuple(item.image_key() for item in items))
    progress(Report(WORDS, 0, 1))
    made = store.get_or_make(
        "codebook",
        parts,
        lambda: Artefact(
            learn_codebook(
                (item.image()[..., :3] for item in items), random_state=config.seed
            ).to_arrays()
        ),
    )
    progress(Report(WORDS, 1, 1))
    codebook = Codebook.from_arrays(dict(made.arrays))
    return FeatureStage(store, preset.with_codebook(codebook), parts.key("codebook"))


def extract_all(
    stage: FeatureStage, items: Sequence[TrainingImage], n_jobs: int, progress: Progress
) -> None:
    """Compute the features of all images that have none yet, several images at a time."""
    todo = [item for item in items if not stage.has(item)]
    kept = len(items) - len(todo)
    progress(Report(FEATURES, kept, len(items)))
    made = map_tasks(
        compute_features, stage.preset, todo, n_jobs, prepare=name_and_pixels, keep=stage.keep
    )
    for done, _ in enumerate(made, start=kept + 1):
        progress(Report(FEATURES, done, len(items)))


def name_and_pixels(item: TrainingImage) -> tuple[str, ByteArray]:
    """Return the name and the pixels of an image, the input of `compute_features`."""
    return item.name, item.image()
