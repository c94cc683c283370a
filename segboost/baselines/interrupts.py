"""Handling of Ctrl-C during a fit: keep the rounds completed so far."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from segboost._interrupt import interrupts_unwrapped

_log = logging.getLogger(__name__)


@contextmanager
def rounds_kept() -> Iterator[None]:
    """Context that ends on Ctrl-C with a warning in the log instead of an exception.

    For loops over rounds whose results so far are a usable model.
    """
    try:
        with interrupts_unwrapped():
            yield
    except KeyboardInterrupt:
        _log.warning("interrupted: the model keeps the rounds completed so far")
