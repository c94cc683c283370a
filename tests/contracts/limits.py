"""A time limit for code that must never hang."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TimeLimitError(Exception):
    """The code under test exceeded its time limit."""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `TimeLimitError` if the body runs longer than this."""

    def late(signum: int, frame: object) -> None:
        raise TimeLimitError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
