"""How stages tell what they are doing: reports to whoever wants to show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Report:
    """How far a stage is.

    Parameters
    ----------
    stage : str
    done : int
        Images, groups or rounds that are done.
    total : int, optional
        How many there are; None where nobody knows.
    message : str
        One line for people.
    objective, gap : float, optional
        Of learning: the best value so far and its relative distance from the bound.
    finished : bool
        The stage ended, with all done or early.
    """

    stage: str
    done: int
    total: int | None = None
    message: str = ""
    objective: float | None = None
    gap: float | None = None
    finished: bool = False

    def details(self) -> str:
        """Return the message with objective and gap, as far as they are there.

        Examples
        --------
        >>> Report("crf", 3, 50, "C = 10", objective=2.5, gap=0.013).details()
        'C = 10, objective 2.5, gap 1.3%'
        """
        parts = [self.message] if self.message else []
        if self.objective is not None:
            parts.append(f"objective {self.objective:.5g}")
        if self.gap is not None:
            parts.append(f"gap {100 * self.gap:.2g}%")
        return ", ".join(parts)


class Progress(Protocol):
    """Whatever takes reports; any thread may call it, and it must not raise."""

    def __call__(self, report: Report, /) -> None:
        """Take a report."""


class QuietProgress:
    """Takes reports and shows nothing."""

    def __call__(self, report: Report, /) -> None:
        """Take a report."""


class LearningStep(Protocol):
    """What the solvers tell after each round; their steps have more."""

    @property
    def objective(self) -> float:
        """The best value so far."""

    @property
    def gap(self) -> float:
        """The relative distance from the bound."""


def track(
    items: Iterable[Item], progress: Progress, stage: str, total: int | None = None
) -> Iterator[Item]:
    """Yield the items; report each one when the next is asked for, and the end.

    Parameters
    ----------
    items : iterable
        A generator of results that come in from workers, for example.
    progress : Progress
    stage : str
    total : int, optional
        Where the items do not know how many they are.
    """
    length = total if total is not None else getattr(items, "__len__", lambda: None)()
    done = 0
    progress(Report(stage, done, length))
    try:
        for item in items:
            yield item
            done += 1
            progress(Report(stage, done, length))
    finally:
        progress(Report(stage, done, length, finished=True))


def step_reporter(
    progress: Progress, stage: str, total: int | None = None, message: str = ""
) -> Callable[[LearningStep], None]:
    """Return a callback for the estimators' ``callback=``, which reports every round.

    Learning may end before `total` rounds: report the end with ``finished=True`` after the fit.
    """
    done = 0

    def report(step: LearningStep) -> None:
        nonlocal done
        done += 1
        progress(Report(stage, done, total, message, float(step.objective), float(step.gap)))

    return report
