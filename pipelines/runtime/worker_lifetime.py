"""Worker processes that end with the process that started them.

A killed process cannot stop its workers: they would finish their tasks and then wait for more
while still holding their memory.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

PAUSE = 1.0
"""Seconds between checks of the parent."""


def ends_with_this_process(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that a worker process that calls it ends with this process."""
    return partial(_call, os.getpid(), function)


def _call(parent: int, function: Callable[..., Any], *args: Any) -> Any:
    leave_with_parent(parent)
    return function(*args)


@lru_cache(maxsize=1)
def leave_with_parent(parent: int) -> None:
    """End this process soon after `parent` ends, if `parent` started it.

    Parameters
    ----------
    parent : int
        Process id. Nothing happens in a process that is not a child of it.
    """
    if os.getppid() == parent:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # an orphaned child gets another parent
        time.sleep(PAUSE)
    os._exit(1)  # safe at any moment: files are written under a temporary name
