"""Data sets selected by options, and errors for options that exclude each other."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from segboost.cli.options.data import check_data, count_jobs
from segboost.cli.options.usage_errors import as_usage_error

OWN = {"images": Path("photos"), "masks": Path("masks")}


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "synthetic"),
        (OWN, "folders"),
        ({**OWN, "test_fraction": 0.2}, "folders"),
        ({"dataset": "graz02", "category": "bike"}, "graz02"),
    ],
)
def test_options_select_a_data_set(options, name):
    assert check_data(options) == name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"images": Path("photos")}, "must be given together"),
        ({"dataset": "graz"}, "unknown data set 'graz': choose one of"),
        ({"dataset": "synthetic", **OWN}, "synthetic does not take --images"),
        ({"dataset": "folders"}, "needs --images DIR and --masks DIR"),
        ({"dataset": "graz02"}, "needs --category: choose one of bike, car, people"),
        ({"test_fraction": 0.5}, "synthetic does not take --test-fraction"),
        ({"category": "bike"}, "synthetic does not take --category"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(typer.BadParameter, match=message):
        check_data(options)


def test_jobs_are_those_given_else_one_per_core_and_at_most_eight(monkeypatch):
    assert count_jobs(3) == 3
    for cores, jobs in ((2, 2), (64, 8)):
        monkeypatch.setattr("joblib.cpu_count", lambda cores=cores: cores)
        assert count_jobs(None) == jobs


@pytest.mark.parametrize("error", [ValueError("two\nlines"), FileNotFoundError("two lines")])
def test_bad_input_files_are_usage_errors_of_one_line(error):
    with pytest.raises(typer.BadParameter, match=r"^two lines$"), as_usage_error():
        raise error


def test_other_errors_are_not_converted():
    with pytest.raises(ZeroDivisionError), as_usage_error():
        raise ZeroDivisionError
