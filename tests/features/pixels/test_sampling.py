from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import map_coordinates

from segboost.features.pixels.sampling import sample_at


@pytest.mark.parametrize("cells", [(1, 1), (3, 5), (20, 30), (40, 60)])
def test_sampling_is_bilinear_between_the_centres_of_cells(cells):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(*cells, 2)).astype(np.float32)
    height, width = 20, 30
    rows, columns = (a.ravel() for a in np.indices((height, width)))
    found = sample_at(values, rows, columns, (height, width))
    places = (
        (rows + 0.5) * cells[0] / height - 0.5,
        (columns + 0.5) * cells[1] / width - 0.5,
    )
    for c in range(2):
        expected = map_coordinates(values[..., c], places, order=1, mode="nearest")
        np.testing.assert_allclose(found[:, c], expected, atol=1e-5)
