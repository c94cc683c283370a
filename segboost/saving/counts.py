"""Checks of the numbers that a model file gives for its sizes."""

from __future__ import annotations

from segboost.storage.folder import ModelFileError

MOST_FEATURES = 2 * 10**7


def check_feature_count(count: int) -> int:
    """Return a stored number of features; ModelFileError if a prediction would need gigabytes."""
    if not 0 <= count <= MOST_FEATURES:
        raise ModelFileError(
            f"the model has {count} features; the number must be from 0 to {MOST_FEATURES}"
        )
    return count


def check_round_count(count: int) -> int:
    """Return a stored number of rounds; ModelFileError if it is negative."""
    if count < 0:
        raise ModelFileError(f"the model has {count} rounds; the number must not be negative")
    return count
