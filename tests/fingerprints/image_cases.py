"""Segmenters and trackers on synthetic images."""

from __future__ import annotations

import numpy as np

from segboost import StructBoostTracker
from segboost.pipelines import SegmentationPipeline
from tests.fingerprints.fingerprint import case
from tests.pipelines.segmentation.tiny_models import SETTINGS, shared_cache, tiny_data


def image_predictions(model, images):
    """Return the concatenated masks, score maps and probabilities of images."""
    found = [model.segment(image) for image in images]
    return {
        "masks": np.concatenate([f.mask.ravel() for f in found]),
        "scores": np.concatenate([f.scores.ravel() for f in found]),
        "probabilities": np.concatenate([model.predict_proba(i).ravel() for i in images]),
    }


def segmenter(method, preset):
    """Return a segmenter trained on the tiny images."""
    data = tiny_data()
    model = SegmentationPipeline(
        preset, method, C=10.0, settings=SETTINGS, cache=shared_cache(), seed=0
    )
    return model.fit([i.image() for i in data.train], [i.mask() for i in data.train])


def _segmenter_case(method, preset):
    def run():
        return image_predictions(segmenter(method, preset), [i.image() for i in tiny_data().test])

    return run


for _method in ("structboost", "ssvm", "adaboost", "svm"):
    for _preset in ("classic", "paper"):
        case(f"segmentation, {_method}, {_preset}")(_segmenter_case(_method, _preset))


def moving_square(n=8, size=(90, 120)):
    """Yield frames of noise with a bright textured square that moves right and down."""
    rng = np.random.default_rng(2)
    background = rng.integers(0, 120, (*size, 3))
    target = rng.integers(120, 256, (24, 24, 3))
    for k in range(n):
        frame = background.copy()
        frame[20 + 2 * k : 44 + 2 * k, 30 + 4 * k : 54 + 4 * k] = target
        yield frame.astype(np.uint8)


def track(frames, box, seed=0):
    """Return boxes and confidences of all frames after the first."""
    frames = list(frames)
    tracker = StructBoostTracker(random_state=seed)
    tracker.init(frames[0], box)
    found = [tracker.update(frame) for frame in frames[1:]]
    return {
        "boxes": np.array([tuple(box) for box, _ in found]),
        "confidence": np.array([score for _, score in found]),
    }


@case("tracking")
def tracking():
    return track(moving_square(), (30.0, 20.0, 24.0, 24.0))
