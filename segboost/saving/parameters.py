"""Conversion of estimator parameters to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from segboost.tasks.taxonomy import Taxonomy
from segboost.weak.registry import WEAK_LEARNERS, make_weak_learner

NOT_KEPT = ("callback", "checkpoint")
"""Parameters of a run, which are not saved with the model."""


def parameters_to_json(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return an estimator's parameters as JSON values.

    A weak learner from outside the package is stored only as text: the loaded model can predict,
    but needs a learner to be fitted again.
    """
    return {name: _encode(value) for name, value in params.items() if name not in NOT_KEPT}


def parameters_from_json(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that `parameters_to_json` wrote."""
    return {name: _decode(value) for name, value in document.items()}


def _encode(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray) or (isinstance(value, (list, tuple)) and _numeric(value)):
        return {"array": np.asarray(value).tolist()}
    if isinstance(value, (list, tuple)):
        return {"list": [_encode(v) for v in value]}
    if isinstance(value, (Mapping, Taxonomy)):
        return {"parents": taxonomy_to_json(Taxonomy.make(value))}
    for name, learner in WEAK_LEARNERS.items():
        if type(value) is learner:
            return {"weak_learner": name, "params": asdict(value)}
    return {"text": repr(value)}


def _decode(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"])
    if "list" in value:
        return [_decode(v) for v in value["list"]]
    if "parents" in value:
        return taxonomy_from_json(value["parents"])
    if "weak_learner" in value:
        return make_weak_learner(value["weak_learner"], **value["params"])
    return value.get("text")


def _numeric(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:
        return False


def taxonomy_to_json(taxonomy: Taxonomy) -> list[list[Any]]:
    """Return the pairs of a node and its parent."""
    return [[node, parent] for node, parent in taxonomy.parents.items()]


def taxonomy_from_json(pairs: list[list[Any]]) -> Taxonomy:
    """Return the taxonomy that `taxonomy_to_json` wrote."""
    return Taxonomy({_tree_node(node): _tree_node(parent) for node, parent in pairs})


def _tree_node(value: Any) -> Any:
    """Return the original tree node: JSON turns the tuple of an unnamed root into a list."""
    return tuple(value) if isinstance(value, list) else value
