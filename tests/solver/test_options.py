"""The options of the loop are checked once, by name."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from segboost.solver.options import LARGEST_C, SolverOptions


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("C", [0, -1.0, np.nan, np.inf, 1e100]),
        ("n_iterations", [0, -1, 1.5, True, None, "10"]),
        ("gap", [0, 1, -0.1, np.nan]),
        ("epsilon_cp", [0, -1, np.nan, np.inf]),
        ("epsilon_cg", [-1e-9, np.nan]),
        ("form", ["both", None]),
        ("centre", [-0.1, 1.0, np.nan]),
        ("patience", [0, -1]),
        ("columns", ["all", None]),
    ],
)
def test_bad_values_are_refused_by_name(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be"):
            SolverOptions(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", "ten"),
        ("C", None),
        ("gap", "small"),
        ("epsilon_cg", None),
        ("centre", "x"),
        ("patience", 1.5),
        ("epsilon_cp", "x"),
        ("C", True),
    ],
)
def test_values_of_the_wrong_type_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        SolverOptions(**{name: value})


def test_the_defaults():
    assert SolverOptions() == SolverOptions(
        C=1.0,
        n_iterations=100,
        slack="one",
        gap=1e-3,
        epsilon_cp=None,
        epsilon_cg=1e-3,
        form="dual",
        centre=0.7,
        patience=20,
        columns="channel",
        adaptive=True,
    )


def test_the_largest_c_is_allowed():
    assert SolverOptions(C=LARGEST_C).C == 1e15
    with pytest.raises(ValueError, match=r"^C must be at most 1e\+15"):
        SolverOptions(C=1.01e15)


def test_the_literal_mode_is_the_paper_s():
    options = SolverOptions(C=3.0, slack="each", gap=1e-4).literal()
    assert (options.form, options.centre, options.patience) == ("primal", 0.0, None)
    assert (options.columns, options.adaptive) == ("best", False)
    assert (options.C, options.slack, options.gap) == (3.0, "each", 1e-4)


def test_options_are_frozen():
    with pytest.raises(FrozenInstanceError):
        SolverOptions().C = 2.0
