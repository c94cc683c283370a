"""The second stage and the CRF stage on graphs made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.boosting import BoosterSettings
from segboost.pipelines.runtime.artefact_store import ArtefactStore
from segboost.pipelines.segmentation.config.segmentation_config import SegmentationConfig
from segboost.pipelines.segmentation.decisions.threshold import best_threshold
from segboost.pipelines.segmentation.potentials.context import ContextPotential, fit_context
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
from tests.pipelines.segmentation.superpixel_graphs import grid_image, half_mask

BOOSTER = BoosterSettings(n_trees=30, learning_rate=0.2, min_curvature=2.0)


def images_and_scores(n=8, noise=1.5, seed=0):
    rng = np.random.default_rng(seed)
    images = [grid_image(6, 8, 4, half_mask(6, 8, 4), name=f"image {i}", seed=i) for i in range(n)]
    scores = [(2 * im.labels - 1)[:, None] + rng.normal(scale=noise, size=(48, 3)) for im in images]
    return images, scores


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
    other = config(tree_booster=BOOSTER, context_booster=BOOSTER)
    assert crf_key(images, scores, config()) == crf_key(images, scores, other)


def context(fold=None, n_jobs=1):
    images, scores = images_and_scores()
    image_fold = np.repeat([0, 1], 4) if fold is None else fold
    fold = np.repeat(image_fold, [i.n_superpixels for i in images])
    first = np.concatenate(scores)
    return images, first, fit_context(images, first, fold, BOOSTER, 0, n_jobs)


def test_context_scores_are_better_than_any_first_score():
    images, first, learned = context()
    truth = np.concatenate([i.labels for i in images]) == 1
    right = [((column > 0) == truth).mean() for column in (*first.T, learned.out_of_fold)]
    assert right[-1] > max(right[:-1])


def test_context_arrays_and_back():
    images, first, learned = context()
    found = learned.model
    again = ContextPotential.from_arrays(found.to_arrays())
    own = first[: images[0].n_superpixels]
    assert (found.scores(images[0], own) == again.scores(images[0], own)).all()


def test_context_does_not_depend_on_the_jobs():
    one, two = context()[2], context(n_jobs=2)[2]
    assert (one.out_of_fold == two.out_of_fold).all()
    arrays = two.model.to_arrays()
    assert all((a == arrays[name]).all() for name, a in one.model.to_arrays().items())


def test_one_fold_uses_the_final_model():
    images, first, learned = context(fold=np.zeros(8, dtype=np.int64))
    own = slice(0, images[0].n_superpixels)
    found = learned.model.scores(images[0], first[own])
    np.testing.assert_allclose(found, learned.out_of_fold[own], atol=1e-9)


def test_rows_that_do_not_fit_are_refused():
    images, scores = images_and_scores(2)
    with pytest.raises(ValueError, match="rows"):
        fit_context(images, scores[0], np.array([0, 1]), BOOSTER, 0)
