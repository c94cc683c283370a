"""A method of learning from tables, as the experiment protocol sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy.typing as npt

Candidate = Mapping[str, Any]
"""Parameters that one fit is made with; plain JSON values."""
Fit = Callable[[npt.NDArray[Any], npt.NDArray[Any], Candidate, int], Any]
"""``fit(X, y, candidate, seed) -> model``."""
Measure = Callable[[Any, npt.NDArray[Any], npt.NDArray[Any]], Mapping[str, float]]
"""``measure(model, X, y) -> {name: value}``."""
Curves = Callable[[Any, npt.NDArray[Any], npt.NDArray[Any]], Mapping[str, npt.NDArray[Any]]]
"""``curves(model, X_test, y_test) -> {name: values by round}``."""
Describe = Callable[[Any], Mapping[str, float]]
"""``describe(model) -> {name: value}``: what the fit itself tells, such as its objective."""


@dataclass(frozen=True)
class TableMethod:
    """What is fitted, with which candidates, and how it is measured.

    The functions go to other processes: they are functions of a module, or `functools.partial`
    of such.

    Parameters
    ----------
    name : str
        The row of the table.
    candidates : sequence of mappings
        One of them is chosen on the validation part; the first of equally good ones.
    fit, measure : callable
        `measure` is asked about the training, the validation and the test part.
    parameters : mapping of str to JSON values
        All else that a result depends on and that `candidates` do not say; part of its key.
    curves : callable, optional
        Asked about the test part.
    describe : callable, optional
    requires : sequence of str
        Modules without which the method is left out.
    """

    name: str
    candidates: Sequence[Candidate]
    fit: Fit
    measure: Measure
    parameters: Mapping[str, Any] = field(default_factory=dict)
    curves: Curves | None = None
    describe: Describe | None = None
    requires: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not self.candidates:
            raise ValueError(f"the method {self.name} has no candidates")

    def missing(self) -> list[str]:
        """Return the required modules that are not installed."""
        return [name for name in self.requires if find_spec(name) is None]
