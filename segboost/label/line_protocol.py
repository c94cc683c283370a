"""The protocol between the server and its processes: one JSON object per line.

A process reads its tasks from standard input and writes messages to standard output. Its input
ends with the server.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Message = dict[str, Any]


def start_process(module: str, folder: Path, new_group: bool = False) -> subprocess.Popen[str]:
    """Start a module as a process.

    Parameters
    ----------
    module : str
    folder : Path
        The folder being labelled; the only argument of the process.
    new_group : bool
        Whether it leads a new process group, so that its own processes can be killed with it.
    """
    return subprocess.Popen(
        [sys.executable, "-m", module, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=new_group,
    )


def send_task(process: subprocess.Popen[str], task: Mapping[str, Any]) -> None:
    """Send a task to a process; raise an OSError if it is dead."""
    assert process.stdin is not None
    process.stdin.write(json.dumps(task) + "\n")
    process.stdin.flush()


def read_messages(process: subprocess.Popen[str]) -> Iterator[Message]:
    """Yield the messages of a process until its output ends."""
    assert process.stdout is not None
    for line in process.stdout:
        try:
            message = json.loads(line)
        except ValueError:
            continue  # a library printed something
        if isinstance(message, dict):
            yield message


def say(**values: Any) -> None:
    """Send a message to the server."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def end_with_server(end: Callable[[], Any]) -> None:
    """Call `end` when the input of this process ends, because the server is gone.

    Call this after the only task has been read.
    """

    def wait() -> None:
        if not sys.stdin.readline():
            end()

    threading.Thread(target=wait, daemon=True).start()
