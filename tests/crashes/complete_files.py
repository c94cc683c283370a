"""Check that folders hold only complete files, and compare their contents."""

from __future__ import annotations

import json

from PIL import Image

from segboost.pipelines.runtime.artefact_file import read_artefact
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter

CHANGING = (
    "train.jsonl", "train.jsonl.part", "segment.jsonl.part", "results.csv", ".segboost.lock",
    ".segboost.outputs",
)  # fmt: skip


def contents(folder):
    """Return the bytes of all files except those with times and leftovers of killed runs."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in CHANGING)
    kept = [p for p in paths if not any(part.endswith(".tmp") for part in p.parts)]
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in kept}


def check_training(folder):
    """Check that every file under its final name is complete."""
    for path in folder.glob("cache/*/*.npz"):
        read_artefact(path, path.parent.name, path.stem)
    if (folder / "model.json").exists():
        load_segmenter(folder)
    for name in ("run.json", "scores.json"):
        if (folder / name).exists():
            json.loads((folder / name).read_text())


def check_masks(folder):
    for path in folder.rglob("*.png"):
        Image.open(path).load()
