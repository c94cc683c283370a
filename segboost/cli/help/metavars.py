"""Placeholders for option values in ``--help``, such as DIR or FILE."""

from __future__ import annotations

from typing import Any

METAVARS = {
    "C": "VALUE",
    "annotations": "NAMES",
    "axes": "AXES",
    "cache": "DIR",
    "category": "NAME",
    "channels": "LIST",
    "classes": "FILE",
    "config": "FILE",
    "data_root": "DIR",
    "dataset": "NAME",
    "decimal": "SIGN",
    "foreground": "INDEX",
    "frames": "DIR|FILE",
    "given": "N",
    "image": "IMAGE",
    "images": "DIR",
    "intensities": "LOW,HIGH",
    "iterations": "N",
    "jobs": "N",
    "label": "COLUMN",
    "mask_kind": "KIND",
    "mask_suffix": "TEXT",
    "masks": "DIR|FILE",
    "method": "NAME",
    "min_area": "PIXELS",
    "model": "DIR",
    "name": "NAME",
    "older_than": "DAYS",
    "output": "DIR",
    "overlay": "KIND",
    "port": "N",
    "positive": "LABEL",
    "preset": "NAME",
    "ranks": "LABELS",
    "run": "RUN",
    "seed": "N",
    "select": "MEASURE",
    "sequence": "NAME",
    "sets": "NAME",
    "split": "SPLIT",
    "task": "NAME",
    "taxonomy": "FILE",
    "test_fraction": "FRACTION",
    "test_list": "FILE",
    "tile": "PIXELS",
    "title": "TEXT",
    "tolerance": "PIXELS",
    "touching": "NAME",
    "train_list": "FILE",
    "truth": "FILE",
    "weak_learner": "NAME",
}
"""Placeholders by parameter name."""

FILE_OUTPUTS = ("segboost report", "segboost predict", "segboost features show")
"""Commands whose --output is a file."""


def set_metavars(command: Any, path: str) -> None:
    """Set the placeholders of a command's parameters that have none yet."""
    for parameter in command.params:
        if getattr(parameter, "is_flag", False) or parameter.metavar is not None:
            continue
        word = (
            "FILE"
            if parameter.name == "output" and path in FILE_OUTPUTS
            else METAVARS[parameter.name]
        )
        parameter.metavar = word
