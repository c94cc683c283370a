"""Trees inside the CRF against boosted potentials weighted by the CRF, on held-out images."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.figures import Figure, cpu_seconds

TITLE = "Tree potentials: boosted first, or inside the CRF (training images only, a third held out)"
ROUNDS = {2: 20, 11: 6}
"""Rounds of the CRF with trees, by number of classes: each takes longer than the one before."""


class Problem:
    """Images with features and truth, the last third of them held out."""

    def __init__(self, items: Sequence[Any], n_classes: int) -> None:
        from segboost.features.presets import find_preset
        from segboost.pipelines.segmentation.stages.features import compute_features

        preset = find_preset("default")
        self.n_classes = n_classes
        self.groups = [group.name for group in preset.groups]
        self.images = [
            compute_features(preset, (i.name, i.image())).with_truth(i.mask(), n_classes)
            for i in items
        ]
        self.n_train = 2 * len(self.images) // 3
        self.train, self.held_out = self.images[: self.n_train], self.images[self.n_train :]

    def mean_iou(self, labels: Sequence[np.ndarray]) -> float:
        """Return the mean IoU of the held-out images, in per cent."""
        matrix = np.zeros((self.n_classes, self.n_classes))
        for image, found in zip(self.held_out, labels, strict=True):
            for k in range(self.n_classes):
                matrix[:, k] += image.class_counts[found == k].sum(axis=0)
        hits = np.diag(matrix)
        shown = matrix.sum(axis=1) > 0
        union = matrix.sum(axis=0) + matrix.sum(axis=1) - hits
        return 100 * float((hits[shown] / union[shown]).mean())


def boosted_first(problem: Problem) -> list[Figure]:
    """Fit trees out of fold, then a CRF with ramps over their log-probabilities."""
    from segboost import CRFStructBoost
    from segboost.boosting.settings import BoosterSettings
    from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
    from segboost.pipelines.segmentation.potentials.class_folds import assign_class_folds
    from segboost.pipelines.segmentation.potentials.class_trees import fit_class_trees
    from segboost.pipelines.segmentation.potentials.class_truth import class_truth
    from segboost.pipelines.segmentation.potentials.crf.class_crf_potentials import class_instance
    from segboost.pipelines.segmentation.potentials.feature_reader import FeatureReader
    from segboost.weak.ramp import RampLearner

    train = problem.train
    labels = np.concatenate([i.labels for i in train])
    known = np.concatenate([i.labelled for i in train]) > 0
    sizes = [i.n_superpixels for i in train]
    truth = class_truth(train, assign_class_folds(labels, known, sizes, 3))
    reader = FeatureReader(len(train), problem.groups, lambda n, group: train[n].groups[group])
    booster = BoosterSettings(n_trees=300, depth=6, row_share=0.4, n_columns=120)
    first, learned = cpu_seconds(lambda: fit_class_trees(reader, truth, booster, (0, 1)))
    found = [learned.model.scores(i.groups) for i in problem.held_out]
    figures = [
        Figure("boosted trees, CPU", first, "s"),
        Figure("boosted trees alone", problem.mean_iou([f.argmax(axis=1) for f in found]), "%"),
    ]
    settings = PotentialSettings(loss="pixels")
    parts = np.split(learned.out_of_fold, np.cumsum(sizes)[:-1])
    graphs = [
        _of_two(class_instance(i, s, settings, np.ones(problem.n_classes)))
        for i, s in zip(train, parts, strict=True)
    ]
    for C in (2.0, 20.0):
        model = CRFStructBoost(
            C=C,
            weak_learner=RampLearner(min_width=20),
            pairwise_learner=RampLearner(n_rising=None),
            random_state=0,
            **({} if problem.n_classes == 2 else {"unary": "shared", "n_classes": 11}),
        )
        seconds, _ = cpu_seconds(lambda model=model: model.fit(graphs))
        answers = [
            model.predict(_of_two(class_instance(i, s, settings)))
            for i, s in zip(problem.held_out, found, strict=True)
        ]
        figures += [
            Figure(f"CRF over boosted trees, C = {C:g}, CPU", seconds, "s"),
            Figure(f"CRF over boosted trees, C = {C:g}", problem.mean_iou(answers), "%"),
        ]
    return figures


def _of_two(instance: Any) -> Any:
    """Return an instance of two classes with the one column of scores that it needs."""
    if instance.unary.shape[1] > 2:
        return instance
    return replace(instance, unary=instance.unary[:, 1:] - instance.unary[:, :1])


def inside(problem: Problem) -> list[Figure]:
    """Fit CRFs whose weak learners are trees over raw features."""
    from segboost import CRFInstance, CRFStructBoost
    from segboost.pipelines.segmentation.config.stage_settings import PotentialSettings
    from segboost.pipelines.segmentation.potentials.crf.class_crf_potentials import class_instance
    from segboost.weak.ramp import RampLearner
    from segboost.weak.sampled_trees import SampledTrees

    settings = PotentialSettings(loss="pixels", agreement=False)
    flat = np.zeros((1, problem.n_classes))

    def graph(image: Any, learn: bool) -> CRFInstance:
        scores = np.repeat(flat, image.n_superpixels, axis=0)
        weight = np.ones(problem.n_classes) if learn else None
        raw = np.concatenate([image.groups[g] for g in problem.groups], axis=1)
        return replace(class_instance(image, scores, settings, weight), unary=raw)

    figures = []
    for C in (2.0, 20.0):
        model = CRFStructBoost(
            C=C,
            unary="raw",
            n_iterations=ROUNDS[problem.n_classes],
            gap=0.05,
            weak_learner=SampledTrees(max_depth=4, n_trees=4),
            pairwise_learner=RampLearner(n_rising=None),
            random_state=0,
        )
        graphs = [graph(image, True) for image in problem.train]
        seconds, _ = cpu_seconds(lambda model=model, graphs=graphs: model.fit(graphs))
        answers = [model.predict(graph(image, False)) for image in problem.held_out]
        figures += [
            Figure(f"trees inside the CRF, C = {C:g}, CPU", seconds, "s"),
            Figure(f"trees inside the CRF, C = {C:g}", problem.mean_iou(answers), "%"),
        ]
    return figures


def run() -> list[Figure]:
    from segboost.datasets import load_camvid, load_graz02

    root = Path(os.environ["SEGBOOST_DATA"])
    problems = {
        "Graz-02 bikes, 40 + 20 images": (load_graz02(root / "graz02", "bike").train[:60], 2),
        "CamVid, 16 + 8 images": (load_camvid(root / "camvid").train[::15][:24], 11),
    }
    figures = []
    for name, (items, n_classes) in problems.items():
        problem = Problem(items, n_classes)
        for figure in (*boosted_first(problem), *inside(problem)):
            figures.append(replace(figure, name=f"{name}: {figure.name}"))
    return figures
