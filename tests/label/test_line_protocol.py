"""Messages between the server and its processes: one JSON object per line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from segboost.label.line_protocol import read_messages, send_task

NOISY = """
import json, sys
from segboost.label.line_protocol import say
print("a library says hello")
print("[1, 2]")
print("null")
task = json.loads(sys.stdin.readline())
say(got=task["name"])
print("{broken")
say(done=True)
"""


def start(code):
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_lines_that_are_not_messages_are_skipped():
    with start(NOISY) as process:
        send_task(process, {"name": "image \u00e9\n1"})
        assert list(read_messages(process)) == [{"got": "image \u00e9\n1"}, {"done": True}]


def test_sending_to_a_dead_process_raises_an_error():
    with start("") as process:
        process.wait()
        with pytest.raises(BrokenPipeError):
            send_task(process, {"name": "x" * 100_000})
        # The unsent text would be flushed once more on exit.
        process.stdin = None
