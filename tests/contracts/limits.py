"""A time limit: what must never hang is run under it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TimeLimitError(Exception):
    """The code under test ran longer than it was given."""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `TimeLimitError` where the body runs longer than this."""

    def late(signum: int, frame: object) -> None:
        raise TimeLimitError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
