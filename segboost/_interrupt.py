"""Detect a KeyboardInterrupt that numba wraps in SystemError, and raise it as what it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is a KeyboardInterrupt or was caused by one.

    If the signal arrives just before compiled code returns, Python raises a SystemError whose
    cause is the KeyboardInterrupt.

    Examples
    --------
    >>> wrapped = SystemError("returned a result with an exception set")
    >>> wrapped.__cause__ = KeyboardInterrupt()
    >>> is_interrupt(wrapped), is_interrupt(ValueError())
    (True, False)
    """
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__
    return False


@contextmanager
def interrupts_unwrapped() -> Iterator[None]:
    """Context that raises a wrapped KeyboardInterrupt as a KeyboardInterrupt.

    Examples
    --------
    >>> try:
    ...     with interrupts_unwrapped():
    ...         raise SystemError("returned a result") from KeyboardInterrupt()
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    interrupted
    """
    try:
        yield
    except SystemError as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        raise
