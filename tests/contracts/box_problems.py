"""A box problem: atoms are candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

from segboost.tasks.candidates import CandidateTask, box_overlap
from tests.contracts.enumeration import Example
from tests.contracts.problem import Problem, Shuffled, example_weights


def _boxes_of(centre: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    shift = rng.integers(-3, 4, (n, 2))
    return np.column_stack([centre + shift, np.full((n, 2), 4.0)])


def _box_data(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    counts = [4, 1, 5, 3, 4, 5, 4]
    target = np.column_stack([rng.integers(5, 9, (len(counts), 2)), np.full((len(counts), 2), 4.0)])
    boxes = [_boxes_of(t[:2], rng, n) for t, n in zip(target, counts, strict=True)]
    features = [np.abs(b[:, :2] - t[:2]) for b, t in zip(boxes, target, strict=True)]
    noise = [rng.integers(0, 2, f.shape) for f in features]
    return {
        "frames": [f + e for f, e in zip(features, noise, strict=True)],
        "boxes": boxes,
        "target": target,
    }


def _flat_boxes(data: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    example = np.repeat(np.arange(len(data["frames"])), [len(f) for f in data["frames"]])
    return np.concatenate(data["frames"]), example, np.concatenate(data["boxes"])


def _make_boxes(data: dict[str, Any]) -> CandidateTask:
    features, example, boxes = _flat_boxes(data)
    loss = 1.0 - box_overlap(boxes, data["target"][example])
    return CandidateTask(features, example, loss, sample_weight=data.get("sample_weight"))


def overlap_loss(box: np.ndarray, target: np.ndarray) -> float:
    """Return 1 − intersection/union of two boxes, one coordinate after the other."""
    inner = 1.0
    for axis in (0, 1):
        low = max(box[axis], target[axis])
        high = min(box[axis] + box[axis + 2], target[axis] + target[axis + 2])
        inner *= max(0.0, high - low)
    return 1.0 - inner / (box[2] * box[3] + target[2] * target[3] - inner)


def _enumerate_boxes(data: dict[str, Any]) -> list[Example]:
    _, example, boxes = _flat_boxes(data)
    examples = []
    for i, v in enumerate(example_weights(data, len(data["frames"]))):
        rows = np.flatnonzero(example == i)
        loss = np.array([overlap_loss(b, data["target"][i]) for b in boxes[rows]])
        truth = int(np.argmin(loss))
        loss[truth] = 0.0
        difference = np.zeros((len(rows), len(example)))
        difference[:, rows[truth]] += 1
        difference[np.arange(len(rows)), rows] -= 1
        examples.append(Example(v, loss, difference, i))
    return examples


def _shuffle_boxes(data: dict[str, Any], rng: np.random.Generator) -> Shuffled:
    order = rng.permutation(len(data["frames"]))
    column = rng.permutation(data["frames"][0].shape[1])
    shuffled = {
        "frames": [data["frames"][i][:, column] for i in order],
        "boxes": [data["boxes"][i] for i in order],
        "target": data["target"][order],
    }
    example = _flat_boxes(data)[1]
    atoms = np.concatenate([np.flatnonzero(example == i) for i in order])
    return Shuffled(shuffled, atoms, lambda decoded: np.argsort(atoms)[decoded[order]])


def _repeat_boxes(data: dict[str, Any], counts: np.ndarray) -> dict[str, Any]:
    index = np.repeat(np.arange(len(counts)), counts)
    return {
        "frames": [data["frames"][i] for i in index],
        "boxes": [data["boxes"][i] for i in index],
        "target": data["target"][index],
    }


def candidates() -> Problem:
    return Problem(
        "candidates", _box_data(6), _make_boxes, _enumerate_boxes, _shuffle_boxes, _repeat_boxes
    )
