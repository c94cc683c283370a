"""Progress reporting protocol: long jobs send reports to a display or a log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Report:
    """The progress of one stage.

    Parameters
    ----------
    stage : str
        Its name, in words a user understands.
    done : int
        Finished images, groups or rounds.
    total : int, optional
        How many there are; None if unknown.
    message : str
        One line of text shown to the user.
    objective, gap : float, optional
        During learning: the best value so far and its relative distance from the bound.
    finished : bool
        Whether the stage has ended, complete or early.
    """

    stage: str
    done: int
    total: int | None = None
    message: str = ""
    objective: float | None = None
    gap: float | None = None
    finished: bool = False

    def details(self) -> str:
        """Return the message with objective and gap, if there are any.

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
    """Receiver of reports. Any thread may call it, and it must not raise."""

    def __call__(self, report: Report, /) -> None:
        """Take a report."""


class QuietProgress:
    """Receiver that shows nothing."""

    def __call__(self, report: Report, /) -> None:
        """Take a report."""


class LearningStep(Protocol):
    """The attributes of a solver step that reports use."""

    @property
    def objective(self) -> float:
        """The best value so far."""

    @property
    def gap(self) -> float:
        """The relative distance from the bound."""


def track(
    items: Iterable[Item], progress: Progress, stage: str, total: int | None = None
) -> Iterator[Item]:
    """Yield the items; report each when the next one is requested, and report the end.

    Parameters
    ----------
    items : iterable
        For example a generator of results from workers.
    progress : Progress
    stage : str
    total : int, optional
        The number of items, if they have no length.
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
    """Return a callback for the estimators' ``callback=`` that reports every round.

    Learning may end before `total` rounds: report the end with ``finished=True`` after the fit.
    """
    done = 0

    def report(step: LearningStep) -> None:
        nonlocal done
        done += 1
        progress(Report(stage, done, total, message, float(step.objective), float(step.gap)))

    return report
