"""Test photographs: one that comes with scikit-image, and a small part of it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from skimage import data
from skimage.transform import resize


@pytest.fixture(scope="session")
def photograph() -> np.ndarray:
    """240×320 uint8."""
    image = resize(data.astronaut()[:384], (240, 320), anti_aliasing=True)
    return np.rint(image * 255).astype(np.uint8)


@pytest.fixture(scope="session")
def small(photograph) -> np.ndarray:
    """72×96 uint8, with a face in it."""
    return photograph[20:92, 90:186].copy()


@pytest.fixture(scope="session")
def grey(photograph) -> np.ndarray:
    """240×320 float32 in [0, 255], whole levels."""
    return np.rint(photograph @ np.array([0.299, 0.587, 0.114])).astype(np.float32)


@pytest.fixture(scope="session")
def bikes() -> Path:
    root = os.environ.get("SEGBOOST_DATA")
    if not root or not (Path(root) / "graz02" / "bikes").is_dir():
        pytest.skip("SEGBOOST_DATA is not set or holds no graz02/bikes")
    return Path(root) / "graz02" / "bikes"
