"""Conversion of ensembles with any kinds of hypotheses to arrays and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from segboost._types import AnyArray, FloatArray
from segboost.solver.ensemble import Ensemble
from segboost.storage.folder import ModelFileError
from segboost.storage.npz import part_of
from segboost.weak.base import Hypothesis, StorableHypothesis
from segboost.weak.registry import HYPOTHESES

Arrays = dict[str, AnyArray]
Kinds = Mapping[str, type[StorableHypothesis]]

MOST_CHANNELS = 10**6
"""Maximum number of channels: predicting a row allocates memory for each."""


def pack_hypotheses(hypotheses: Sequence[Hypothesis]) -> tuple[list[str], Arrays]:
    """Return the kinds of the hypotheses and their arrays, kind by kind.

    Raises
    ------
    ValueError
        If a hypothesis cannot be stored.
    """
    odd = next((h for h in hypotheses if not isinstance(h, StorableHypothesis)), None)
    if odd is not None:
        raise ValueError(
            f"{type(odd).__name__} cannot be saved: give it `kind`, `pack` and `unpack` "
            "(see segboost.weak.base.StorableHypothesis)"
        )
    kinds: list[str] = sorted({h.kind for h in hypotheses})  # type: ignore[attr-defined]
    which = np.array([kinds.index(h.kind) for h in hypotheses], dtype=np.int64)  # type: ignore[attr-defined]
    arrays: Arrays = {"which": which}
    for number, kind in enumerate(kinds):
        members = [h for h in hypotheses if h.kind == kind]  # type: ignore[attr-defined]
        for key, value in type(members[0]).pack(members).items():  # type: ignore[attr-defined]
            arrays[f"kind{number}_{key}"] = value
    return kinds, arrays


def unpack_hypotheses(
    kinds: Sequence[str], arrays: Mapping[str, AnyArray], own: Kinds | None = None
) -> list[Hypothesis]:
    """Return the hypotheses that `pack_hypotheses` stored, in their original order."""
    known = {**HYPOTHESES, **(own or {})}
    unknown = [kind for kind in kinds if kind not in known]
    if unknown:
        raise ModelFileError(
            f"the model uses hypotheses of an unknown kind {unknown[0]!r}; pass their class: "
            f"load_model(folder, hypotheses={{{unknown[0]!r}: ...}})"
        )
    which = arrays["which"]
    found: list[Any] = [None] * len(which)
    for number, kind in enumerate(kinds):
        members = known[kind].unpack(part_of(arrays, f"kind{number}_"))
        places = np.flatnonzero(which == number)
        if len(places) != len(members):
            raise ModelFileError(
                f"the model's number of {kind} hypotheses differs from its columns"
            )
        for place, hypothesis in zip(places, members, strict=True):
            found[place] = hypothesis
    if any(h is None for h in found):
        raise ModelFileError("the model has columns without a hypothesis")
    return found


def pack_stages(stages: Sequence[FloatArray]) -> Arrays:
    """Return weight vectors of growing length as one array, and their lengths."""
    length = np.array([len(s) for s in stages], dtype=np.int64)
    return {"stage_length": length, "stage_weights": np.concatenate([np.zeros(0), *stages])}


def unpack_stages(arrays: Mapping[str, AnyArray]) -> list[FloatArray]:
    """Return the weight vectors that `pack_stages` joined."""
    length, joined = arrays["stage_length"], arrays["stage_weights"]
    if (length < 0).any() or length.sum() != len(joined):
        raise ModelFileError("the model's number of weights differs from its stages")
    return np.split(joined, np.cumsum(length)[:-1]) if len(length) else []


def pack_ensemble(ensemble: Ensemble) -> tuple[dict[str, Any], Arrays]:
    """Return the JSON part and the arrays of an ensemble."""
    kinds, arrays = pack_hypotheses(ensemble.hypotheses)
    document = {"kinds": kinds, "n_channels": ensemble.n_channels}
    return document, {**arrays, "channel": ensemble.channel, **pack_stages(ensemble.stages)}


def unpack_ensemble(
    document: Mapping[str, Any], arrays: Mapping[str, AnyArray], own: Kinds | None = None
) -> Ensemble:
    """Return the ensemble that `pack_ensemble` stored."""
    hypotheses = tuple(unpack_hypotheses(document["kinds"], arrays, own))
    channel = arrays["channel"].astype(np.intp)
    stages = tuple(unpack_stages(arrays))
    n_channels = int(document["n_channels"])
    inside = (channel >= 0) & (channel < n_channels) & (n_channels <= MOST_CHANNELS)
    if channel.shape != (len(hypotheses),) or not inside.all():
        raise ModelFileError("the model's columns do not match its channels")
    if any(len(s) > len(hypotheses) for s in stages):
        raise ModelFileError("the model has more weights than columns")
    return Ensemble(hypotheses, channel, stages, n_channels)
