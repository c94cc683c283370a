"""What ``--help`` writes for the value of an option: a word that says what to put there."""

from __future__ import annotations

from typing import Any

METAVARS = {
    "C": "VALUE",
    "cache": "DIR",
    "category": "NAME",
    "config": "FILE",
    "data_root": "DIR",
    "dataset": "NAME",
    "foreground": "INDEX",
    "frames": "DIR|FILE",
    "given": "N",
    "image": "IMAGE",
    "images": "DIR",
    "iterations": "N",
    "jobs": "N",
    "label": "COLUMN",
    "mask_suffix": "TEXT",
    "masks": "DIR",
    "method": "NAME",
    "model": "DIR",
    "name": "NAME",
    "output": "DIR",
    "overlay": "KIND",
    "port": "N",
    "positive": "LABEL",
    "preset": "NAME",
    "ranks": "LABELS",
    "run": "RUN",
    "seed": "N",
    "sequence": "NAME",
    "sets": "NAME",
    "split": "PART",
    "task": "NAME",
    "taxonomy": "FILE",
    "test_fraction": "SHARE",
    "test_list": "FILE",
    "title": "TEXT",
    "train_list": "FILE",
    "truth": "FILE",
    "weak_learner": "NAME",
}
"""By the name of the parameter."""

FILES = ("segboost report", "segboost predict", "segboost features show")
"""Verbs whose --output is a file."""


def name_values(command: Any, path: str) -> None:
    """Give the parameters of a verb their words, where they have none of their own."""
    for parameter in command.params:
        if getattr(parameter, "is_flag", False) or parameter.metavar is not None:
            continue
        word = "FILE" if parameter.name == "output" and path in FILES else METAVARS[parameter.name]
        parameter.metavar = word
