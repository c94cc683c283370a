"""The `save` method of every estimator."""

from __future__ import annotations

import os
from pathlib import Path


class Savable:
    """Mixin for estimators that the registry of `segboost.saving` knows."""

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the fitted model to a folder of JSON and npz; `segboost.load_model` reads it."""
        from segboost.saving.files import save_model

        return save_model(self, folder)
