"""The learned CRF of several classes as an artefact."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from segboost._types import AnyArray
from segboost.pipelines.runtime.artefact_store import Artefact, ArtefactStore, KeyParts, array_key
from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
from segboost.pipelines.segmentation.model.crf_files import CRF_KINDS, pack_crf, unpack_crf
from segboost.pipelines.segmentation.stages.class_crf import (
    ClassCRFData,
    ClassTrial,
    LearnedClassCRF,
    learn_class_crf,
)
from segboost.pipelines.segmentation.stages.crf import LEARNING
from segboost.progress import Progress, Report
from segboost.storage.folder import pack_folder, unpack_folder

SCHEMA = 2
"""Increase whenever the same images and settings give another CRF."""
SOURCE = "the cached CRF"


def find_or_learn_class_crf(
    store: ArtefactStore, data: ClassCRFData, n_jobs: int, progress: Progress
) -> LearnedClassCRF:
    """Return the CRF on the log-probabilities of the images, from the store or learned."""
    kept = "; kept from an earlier run"

    def learn() -> Artefact:
        nonlocal kept
        kept = ""
        return _pack(learn_class_crf(data, n_jobs, progress))

    learned = _unpack(store.get_or_make("class-crf", _key(data), learn), data.config.method)
    rounds = len(learned.model.history_)
    chosen = f"C = {learned.C:g}, loss by {learned.potentials.loss}"
    progress(Report(LEARNING, rounds, rounds, chosen + kept))
    return learned


def _key(data: ClassCRFData) -> KeyParts:
    """Return everything a CRF depends on: graphs, truth, scores and its settings."""
    config = data.config
    names = ["method", "C", "C_choices", "losses", "select", "validation_blocks", "seed"]
    if config.method == "structboost":
        names += ["n_iterations", "ramp_width"]
    settings: dict[str, Any] = {name: getattr(config, name) for name in names}
    settings |= {"n_classes": data.n_classes, "potentials": asdict(config.potentials)}
    inputs = tuple(
        array_key(
            *(image.area, image.edges, image.boundary_length, image.luv_difference),
            *(image.class_counts, unary),
        )
        for image, unary in zip(data.images, data.scores, strict=True)
    )
    return KeyParts(settings, inputs, SCHEMA)


def _pack(learned: LearnedClassCRF) -> Artefact:
    packed = pack_crf(learned.model)
    files = pack_folder(packed.kind, packed.document, packed.arrays)
    document: dict[str, Any] = {
        "C": learned.C,
        "potentials": asdict(learned.potentials),
        "trials": [asdict(trial) for trial in learned.trials],
    }
    arrays: dict[str, AnyArray] = {
        name: np.frombuffer(data, np.uint8) for name, data in files.items()
    }
    return Artefact(arrays, document)


def _unpack(artefact: Artefact, method: str) -> LearnedClassCRF:
    files = {name: data.tobytes() for name, data in artefact.arrays.items()}
    model = unpack_crf(unpack_folder(files, SOURCE, CRF_KINDS), SOURCE, method)
    document = artefact.document
    return LearnedClassCRF(
        model,
        PotentialSettings.from_dict(document["potentials"]),
        float(document["C"]),
        tuple(ClassTrial(**trial) for trial in document["trials"]),
    )
