"""The labellers that the demonstration compares: words, all unaries, and the CRF over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from segboost.datasets.base import LabelledImage
from segboost.pipelines.artefacts import ArtefactStore
from segboost.pipelines.crf_stage import learn_crf
from segboost.pipelines.potentials import crf_instance
from segboost.pipelines.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation_training import FeatureStage, train_segmenter
from segboost.pipelines.superpixel_image import SuperpixelImage

WORDS, ALONE, CRF = "visual words alone", "all unaries, no CRF", "CRF by StructBoost"

Labeller = Callable[[SuperpixelImage], npt.NDArray[np.float64]]
"""From an image with features to a score a superpixel, positive for foreground."""


def make_labellers(
    items: Sequence[LabelledImage],
    stage: FeatureStage,
    config: SegmentationConfig,
    store: ArtefactStore,
    n_jobs: int,
) -> dict[str, Labeller]:
    """Return the labellers, trained on the same artefacts of the same images.

    The one without CRF weighs the same unaries by the same learner, on graphs without edges.
    """
    trained = train_segmenter(items, config, store, n_jobs)
    words = train_segmenter(items, replace(config, method="adaboost"), store, n_jobs)
    images = [without_edges(stage.graph(item, with_truth=True)) for item in items]
    unary = trained.model.unary
    scores = np.column_stack(list(trained.out_of_fold.values())) / unary.scale
    by_image = np.split(scores, np.cumsum([i.n_superpixels for i in images])[:-1])
    alone = learn_crf(images, by_image, config, n_jobs)

    def score_alone(image: SuperpixelImage) -> npt.NDArray[np.float64]:
        bare = without_edges(image)
        instance = crf_instance(bare, unary.scores(image), alone.potentials, with_truth=False)
        return alone.model.score_nodes(instance) - alone.offset

    return {
        WORDS: words.model.node_scores,
        ALONE: score_alone,
        CRF: trained.model.node_scores,
    }


def without_edges(image: SuperpixelImage) -> SuperpixelImage:
    """Return the image with superpixels that know nothing of each other."""
    return replace(
        image,
        edges=image.edges[:0],
        boundary_length=image.boundary_length[:0],
        luv_difference=image.luv_difference[:0],
    )
