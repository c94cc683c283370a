"""Figures of a boosted model that every table reports: its certificate and its objective."""

from __future__ import annotations

from typing import Any

import numpy as np

from segboost._types import AnyArray


def certificate_figures(model: Any) -> dict[str, float]:
    """Return the values of the optimality certificate."""
    certificate = model.certificate_
    return {
        "objective": certificate.objective,
        "gap": certificate.gap,
        "columns": certificate.n_columns,
        "rounds": model.n_iter_,
    }


def objective_curve(model: Any) -> AnyArray:
    """Return the objective after every round."""
    return np.array([step.objective for step in model.history_])
