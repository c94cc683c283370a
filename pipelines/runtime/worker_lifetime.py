"""Worker processes that end with the process that started them.

A process that is killed cannot stop its workers: they would finish what they were given, and then
wait for more, with the memory they have.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

PAUSE = 1.0
"""Seconds between two looks at the parent."""


def tied(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function such that a worker process that calls it ends with this process."""
    return partial(_call, os.getpid(), function)


def _call(parent: int, function: Callable[..., Any], *args: Any) -> Any:
    leave_with_parent(parent)
    return function(*args)


@lru_cache(maxsize=1)
def leave_with_parent(parent: int) -> None:
    """End this process soon after `parent`, where that is the one that started it.

    Parameters
    ----------
    parent : int
        Its number. Nothing happens in another process than a child of it.
    """
    if os.getppid() == parent:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:  # a child whose parent is gone gets another one
        time.sleep(PAUSE)
    os._exit(1)  # files are whole at any moment: they are written under another name
