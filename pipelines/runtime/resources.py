"""Time and memory that this process and its workers have used.

Read directly from the kernel: on Linux psutil does not report the peak memory of running
processes (``VmHWM``), and finds children by reading every process of the machine.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

# The unit of ru_maxrss: kilobytes, but bytes on macOS.
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Usage:
    """A reading of clocks and memory.

    Parameters
    ----------
    wall : float
        Seconds on a monotonic clock; only differences are meaningful.
    cpu : float
        Seconds of processor time of this process and its children, finished or running.
    peak_self, peak_child : int
        Peak resident memory so far, in bytes, of this process and of its largest child.
    peak_total : int
        This process's peak plus the sum of the peaks of its running children, or plus the peak of
        its largest child if that is more.
    """

    wall: float
    cpu: float
    peak_self: int
    peak_child: int
    peak_total: int


@dataclass(frozen=True)
class _Child:
    cpu: float
    peak: int


def read_usage() -> Usage:
    """Return the current reading.

    The system adds a child to its parent's figures when the child ends. Workers that are still
    running, such as those of a pool, are read from ``/proc`` if the system has it.
    """
    own = resource.getrusage(resource.RUSAGE_SELF)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    alive = [child for pid in _children() if (child := _read_child(pid)) is not None]
    cpu = own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime
    peak = own.ru_maxrss * _MAXRSS_UNIT
    largest = max([ended.ru_maxrss * _MAXRSS_UNIT, *(child.peak for child in alive)])
    together = max(largest, sum(child.peak for child in alive))
    return Usage(
        time.perf_counter(), cpu + sum(child.cpu for child in alive), peak, largest, peak + together
    )


def _children() -> list[int]:
    """Return the running children of all threads of this process."""
    found: list[int] = []
    for path in Path("/proc/self/task").glob("*/children"):
        try:
            found += map(int, path.read_text().split())
        except (OSError, ValueError):
            continue
    return found


def _read_child(pid: int) -> _Child | None:
    """Return a child's figures, including its own finished children; None if it is gone."""
    folder = Path("/proc") / str(pid)
    try:
        # The name of the command, in brackets, may contain anything.
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        status = (folder / "status").read_text().splitlines()
    except OSError:
        return None
    ticks = sum(map(int, fields[11:15]))
    peak = next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), 0)
    return _Child(ticks / os.sysconf("SC_CLK_TCK"), peak * 1024)
