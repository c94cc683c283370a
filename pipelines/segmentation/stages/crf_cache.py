"""The learned CRF as an artefact, learned again only if its images or settings changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from segboost._types import AnyArray, FloatArray
from segboost.pipelines.runtime.artefact_store import Artefact, ArtefactStore, KeyParts, array_key
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
from segboost.pipelines.segmentation.decisions.calibration import Calibration
from segboost.pipelines.segmentation.images.superpixel_image import SuperpixelImage
from segboost.pipelines.segmentation.metrics.scores import SegmentationScores
from segboost.pipelines.segmentation.model.crf_files import CRF_KINDS, pack_crf, unpack_crf
from segboost.pipelines.segmentation.stages.crf import LEARNING, LearnedCRF, Trial, learn_crf
from segboost.progress import Progress, Report
from segboost.storage.folder import pack_folder, unpack_folder

SCHEMA = 9
"""Increase whenever the same images and settings give another CRF."""
CALIBRATION = "calibration:"
SOURCE = "the cached CRF"


def find_or_learn_crf(
    store: ArtefactStore,
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    config: SegmentationConfig,
    n_jobs: int,
    progress: Progress,
) -> LearnedCRF:
    """Return the CRF on the scaled scores of the images, from the store or learned."""
    kept = "; kept from an earlier run"

    def learn() -> LearnedCRF:
        nonlocal kept
        kept = ""
        return learn_crf(images, scores, config, n_jobs, progress)

    learned = cached_crf(store, crf_key(images, scores, config), config.method, learn)
    rounds = len(learned.model.history_)
    chosen = f"C = {learned.C:g}, loss by {learned.potentials.loss}"
    progress(Report(LEARNING, rounds, rounds, chosen + kept))
    return learned


def crf_key(
    images: Sequence[SuperpixelImage],
    scores: Sequence[FloatArray],
    config: SegmentationConfig,
) -> KeyParts:
    """Return everything a CRF depends on: graphs, truth, unary scores and its settings."""
    names = ["method", "C", "C_choices", "losses", "validation_blocks", "seed"]
    if config.method == "structboost":
        names += ["n_iterations", "ramp_width"]
    settings: dict[str, Any] = {name: getattr(config, name) for name in names}
    if config.select != "mean_iou":
        settings["select"] = config.select  # by default, keys are those of earlier versions
    if any((image.labelled == 0).any() for image in images):
        settings["partial_labels"] = 1  # increase if learning from them changes
    inputs = tuple(
        array_key(
            *(image.area, image.edges, image.boundary_length, image.luv_difference),
            *(*image.truth, unary),
        )
        for image, unary in zip(images, scores, strict=True)
    )
    return KeyParts({**settings, "potentials": asdict(config.potentials)}, inputs, SCHEMA)


def cached_crf(
    store: ArtefactStore, parts: KeyParts, method: str, learn: Callable[[], LearnedCRF]
) -> LearnedCRF:
    """Return the CRF from the store, or learn and save it; both give bit-identical predictions."""
    found = store.get_or_make("crf", parts, lambda: _pack(learn()))
    return _unpack(found, method)


def _pack(learned: LearnedCRF) -> Artefact:
    packed = pack_crf(learned.model)
    files = pack_folder(packed.kind, packed.document, packed.arrays)
    trials = [{**asdict(t), "scores": t.scores.to_dict()} for t in learned.trials]
    document: dict[str, Any] = {
        "C": learned.C,
        "offset": learned.threshold,
        "potentials": asdict(learned.potentials),
        "trials": trials,
    }
    arrays: dict[str, AnyArray] = {
        name: np.frombuffer(data, np.uint8) for name, data in files.items()
    }
    arrays |= {f"{CALIBRATION}{k}": a for k, a in learned.calibration.to_arrays().items()}
    return Artefact(arrays, document)


def _unpack(artefact: Artefact, method: str) -> LearnedCRF:
    arrays = dict(artefact.arrays)
    knots = {k: arrays.pop(k) for k in list(arrays) if k.startswith(CALIBRATION)}
    files = {name: data.tobytes() for name, data in arrays.items()}
    model = unpack_crf(unpack_folder(files, SOURCE, CRF_KINDS), SOURCE, method)
    trials = tuple(
        Trial(t["C"], t["loss"], SegmentationScores.from_dict(t["scores"]))
        for t in artefact.document["trials"]
    )
    potentials = PotentialSettings.from_dict(artefact.document["potentials"])
    document = artefact.document
    found = {k.removeprefix(CALIBRATION): a for k, a in knots.items()}
    calibration = Calibration.from_arrays(found)
    C, threshold = float(document["C"]), float(document["offset"])
    return LearnedCRF(model, potentials, C, trials, threshold, calibration)
