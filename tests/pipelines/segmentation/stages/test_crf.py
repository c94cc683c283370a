"""The CRF stage and its cache, on graphs made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.boosting import BoosterSettings
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.decisions.threshold import best_threshold
from segboost.pipelines.segmentation.potentials.crf.crf_potentials import crf_instance
from segboost.pipelines.segmentation.stages.crf import (
    ENOUGH_IMAGES,
    crf_threshold,
    learn_crf,
    make_crf,
    score_margins,
    scored_parts,
)
from segboost.pipelines.segmentation.stages.crf_cache import cached_crf, crf_key
from tests.pipelines.segmentation.superpixel_graphs import images_and_scores


def config(**changes):
    return SegmentationConfig.for_preset("classic", n_iterations=8, **changes)


def scores_of(model, images, scores, potentials, threshold=0.0):
    parts = scored_parts(model, images, scores, potentials)
    return score_margins(images, [node - threshold for node, _, _ in parts])


@pytest.mark.parametrize("method", ["structboost", "ssvm"])
def test_the_crf_beats_its_unaries(method):
    images, scores = images_and_scores()
    learned = learn_crf(images, scores, config(method=method, C=10.0, losses=("pixels",)))
    new, new_scores = images_and_scores(seed=1)
    found = scores_of(learned.model, new, new_scores, learned.potentials)
    pairs = zip(new, new_scores, strict=True)
    alone = np.mean([(s.mean(axis=1) > 0) == (i.labels == 1) for i, s in pairs])
    assert found.mean_recall > alone
    assert learned.trials == ()


def test_choices_are_made_on_all_blocks():
    images, scores = images_and_scores()
    learned = learn_crf(images, scores, config(C_choices=(1.0, 10.0), validation_blocks=2))
    first, second, third = learned.trials
    assert [(t.C, t.loss) for t in (first, second)] == [(1.0, "superpixels"), (10.0, "superpixels")]
    better = max(first, second, key=lambda t: t.scores.mean_iou)
    assert (third.C, third.loss) == (better.C, "pixels")
    assert {t.scores.n_images for t in learned.trials} == {len(images)}
    best = max(learned.trials, key=lambda t: t.scores.mean_iou)
    assert (learned.C, learned.potentials.loss) == (best.C, best.loss)


def test_a_block_is_judged_and_the_cut_chosen_by_a_crf_of_the_others():
    images, scores = images_and_scores(7)
    settings = config(C_choices=(1.0, 10.0), losses=("pixels",), validation_blocks=2)
    potentials = settings.crf_potentials("pixels")
    margins = []
    for held in (range(4), range(4, 7)):
        known = [k for k in range(7) if k not in held]
        known_images, known_scores = [images[k] for k in known], [scores[k] for k in known]
        pairs = zip(known_images, known_scores, strict=True)
        model = make_crf(settings, 10.0, known_scores).fit(
            [crf_instance(i, s, potentials) for i, s in pairs]
        )
        threshold = crf_threshold(model, known_images, known_scores, potentials)
        for k in held:
            ((node, _, _),) = scored_parts(model, [images[k]], [scores[k]], potentials)
            margins.append(node - threshold)
    learned = learn_crf(images, scores, settings, n_jobs=2)
    assert learned.trials[1].scores == score_margins(images, margins)
    settings = config(C_choices=(10.0, 10.0), losses=("pixels",), validation_blocks=2)
    learned = learn_crf(images, scores, settings)
    shift = best_threshold((m, *i.truth) for m, i in zip(margins, images, strict=True))
    assert learned.threshold == crf_threshold(learned.model, images, scores, potentials) + shift


def test_with_few_images_unary_ramps_may_not_decrease():
    scores = [np.zeros((4, 3))]
    few = make_crf(SegmentationConfig(), 1.0, scores)
    many = make_crf(SegmentationConfig(), 1.0, scores * ENOUGH_IMAGES)
    assert few.weak_learner.n_rising == 3  # the bias, feature 3, stays free
    assert many.weak_learner.n_rising == 0
    assert few.pairwise_learner.n_rising is None  # all of them only rise
    assert many.pairwise_learner.n_rising is None


def test_a_cached_crf_predicts_the_same(tmp_path):
    images, scores = images_and_scores()
    settings = config(C_choices=(1.0, 10.0), losses=("superpixels",))
    store, parts = ArtefactStore(tmp_path), crf_key(images, scores, settings)
    calls = []

    def learn():
        calls.append(1)
        return learn_crf(images, scores, settings)

    first, second = (cached_crf(store, parts, settings.method, learn) for _ in range(2))
    direct = learn()
    assert len(calls) == 2
    assert (first.C, first.trials) == (second.C, second.trials) == (direct.C, direct.trials)
    results = [scores_of(c.model, images, scores, c.potentials) for c in (first, direct)]
    assert results[0] == results[1]


@pytest.mark.parametrize("method", ["structboost", "ssvm"])
def test_a_cached_crf_equals_the_files_of_its_folder(method, tmp_path):
    """The format since the first version: caches written by earlier versions still load."""
    images, scores = images_and_scores()
    settings = config(method=method, C=1.0)
    store, parts = ArtefactStore(tmp_path / "store"), crf_key(images, scores, settings)
    kept = cached_crf(store, parts, method, lambda: learn_crf(images, scores, settings))
    folder = kept.model.save(tmp_path / "model")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    artefact = store.get_or_make("crf", parts, lambda: pytest.fail("it is in the store"))
    assert {name: artefact.arrays[name].tobytes() for name in files} == files


@pytest.mark.parametrize(
    "change",
    [{"C": 2.0}, {"method": "ssvm"}, {"seed": 1}, {"n_iterations": 9}, {"losses": ("pixels",)}],
)
def test_the_key_of_a_crf_changes_with_its_settings(change):
    images, scores = images_and_scores(2)
    one = crf_key(images, scores, config()).key("crf")
    assert one == crf_key(*images_and_scores(2), config()).key("crf")
    settings = SegmentationConfig.from_dict({**config().to_dict(), **change})
    assert one != crf_key(images, scores, settings).key("crf")
    assert one != crf_key(images, [s + 1 for s in scores], config()).key("crf")


def test_settings_that_the_crf_does_not_use_are_not_in_its_key():
    images, scores = images_and_scores(2)
    booster = BoosterSettings(n_trees=30)
    other = config(tree_booster=booster, context_booster=booster)
    assert crf_key(images, scores, config()) == crf_key(images, scores, other)
