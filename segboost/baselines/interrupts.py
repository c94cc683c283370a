"""Ctrl-C ends a fit, not the work done."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_log = logging.getLogger(__name__)


@contextmanager
def rounds_kept() -> Iterator[None]:
    """Leave the block on Ctrl-C with a warning in the log, and go on after it.

    For loops over rounds whose results so far make a usable model.
    """
    try:
        yield
    except KeyboardInterrupt:
        _log.warning("interrupted: the model has the rounds done until now")
