"""The training schedule: when models are trained and used, independent of wall-clock time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from segboost.tracking.model import Scorer

Training = Callable[[], Scorer]


@dataclass
class _Job:
    due: int
    training: Training
    future: Future[Scorer] | None = None


class Trainer:
    """Runs training jobs in order and delivers their models at fixed frames.

    A job submitted at frame t is due at frame t + delay: its model is used from that frame on.
    Until then it may run in a thread in parallel with prediction. Neither the thread nor its speed
    changes the results.

    Parameters
    ----------
    delay : int
        In frames, at least 1.
    background : bool
        Whether to use a thread.
    """

    def __init__(self, delay: int, background: bool) -> None:
        self._delay = delay
        self._pool = ThreadPoolExecutor(1, "segboost-training") if background else None
        self._jobs: list[_Job] = []

    def submit(self, frame: int, training: Training) -> None:
        """Submit a job at a frame."""
        job = _Job(frame + self._delay, training)
        if self._pool is not None:
            job.future = self._pool.submit(training)
        self._jobs.append(job)

    def due(self, frame: int) -> Scorer | None:
        """Return the newest model that is due at a frame, or None."""
        model = None
        while self._jobs and self._jobs[0].due <= frame:
            job = self._jobs.pop(0)
            model = job.training() if job.future is None else job.future.result()
        return model

    def close(self) -> None:
        """Drop waiting jobs and wait for the running one."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        self._jobs.clear()
