"""Detect a KeyboardInterrupt that numba wraps in SystemError."""

from __future__ import annotations


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
