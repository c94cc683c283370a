"""A method of learning from tables, as the experiment protocol sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from segboost._types import AnyArray

Candidate = Mapping[str, Any]
"""The parameters of one fit, as plain JSON values."""
Fit = Callable[[AnyArray, AnyArray, Candidate, int], Any]
"""``fit(X, y, candidate, seed) -> model``."""
PathFit = Callable[[AnyArray, AnyArray, Sequence[Candidate], int], Iterator[Any]]
"""``path(X, y, candidates, seed)`` yields the models of all candidates, in order."""
Measure = Callable[[Any, AnyArray, AnyArray], Mapping[str, float]]
"""``measure(model, X, y) -> {name: value}``."""
Curves = Callable[[Any, AnyArray, AnyArray], Mapping[str, AnyArray]]
"""``curves(model, X_test, y_test) -> {name: values by round}``."""
Describe = Callable[[Any], Mapping[str, float]]
"""``describe(model) -> {name: value}``: figures of the fit itself, such as its objective."""


@dataclass(frozen=True)
class TableMethod:
    """A method: how it is fitted, with which candidates, and how it is measured.

    The functions are sent to other processes, so they must be module-level functions, or a
    `functools.partial` of one.

    Parameters
    ----------
    name : str
        Name of the row in the table.
    candidates : sequence of mappings
        The best one on the validation part is chosen; the first wins a tie.
    fit : callable or None
        Fits one candidate; None if `path` is given.
    measure : callable
        Called on the training, the validation and the test part.
    parameters : mapping of str to JSON values
        Everything else that a result depends on; part of its key.
    curves : callable, optional
        Called on the test part.
    describe : callable, optional
    path : callable, optional
        Fits the candidates one after the other, each starting from the previous ones. It may
        yield the same object each time, modified: a model is measured before the next fit.
    requires : sequence of str
        Modules that the method needs; it is skipped if one is not installed.
    """

    name: str
    candidates: Sequence[Candidate]
    fit: Fit | None
    measure: Measure
    parameters: Mapping[str, Any] = field(default_factory=dict)
    curves: Curves | None = None
    describe: Describe | None = None
    path: PathFit | None = None
    requires: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not self.candidates:
            raise ValueError(f"the method {self.name} has no candidates")
        if (self.fit is None) == (self.path is None):
            raise ValueError(f"the method {self.name} needs either fit or path")

    def models(
        self, X: AnyArray, y: AnyArray, candidates: Sequence[Candidate], seed: int
    ) -> Iterator[Any]:
        """Yield one fitted model per candidate."""
        if self.path is not None:
            yield from self.path(X, y, candidates, seed)
        else:
            assert self.fit is not None
            for candidate in candidates:
                yield self.fit(X, y, candidate, seed)

    def missing(self) -> list[str]:
        """Return the required modules that are not installed."""
        return [name for name in self.requires if find_spec(name) is None]
