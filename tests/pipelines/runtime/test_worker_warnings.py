"""Warnings of workers reach the process that started them."""

from __future__ import annotations

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from segboost.pipelines.runtime.parallel_map import map_tasks
from segboost.pipelines.runtime.shared_pool import map_shared


def doubt(item):
    warnings.warn(f"doubtful: {item % 2}", ConvergenceWarning, stacklevel=1)
    return item


def doubt_shared(shared, item):
    return doubt(item) + shared


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_worker_warnings_are_issued_by_the_parent_and_not_printed(n_jobs, capfd):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert list(map_tasks(doubt_shared, 10, range(6), n_jobs)) == list(range(10, 16))
        assert list(map_shared(doubt, range(6), n_jobs)) == list(range(6))
    found = {(str(w.message), w.category) for w in caught}
    assert found == {(f"doubtful: {k}", ConvergenceWarning) for k in (0, 1)}
    assert "doubtful" not in capfd.readouterr().err
