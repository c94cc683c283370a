"""Sizes of pixels."""

from __future__ import annotations

import numpy as np
import pytest

from segboost.io.pixel_size import PixelSize


@pytest.mark.parametrize("values", [(0, 1, "µm"), (1, np.inf, "µm"), (1, 1, "")])
def test_bad_pixel_sizes_are_refused(values):
    with pytest.raises(ValueError, match=r"pixel size|unit"):
        PixelSize(*values)
