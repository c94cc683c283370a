"""Ctrl-C, also where it comes in disguise."""

from __future__ import annotations


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C, or was caused by it.

    Compiled code that is about to return when the signal comes turns it into a SystemError, whose
    cause it is.

    Examples
    --------
    >>> disguised = SystemError("returned a result with an exception set")
    >>> disguised.__cause__ = KeyboardInterrupt()
    >>> is_interrupt(disguised), is_interrupt(ValueError())
    (True, False)
    """
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__
    return False
