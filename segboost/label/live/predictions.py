"""The server's side of the live model: sends tasks to its process and keeps the answers."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Mapping
from typing import Any

from segboost.label.line_protocol import read_messages, send_task, start_process
from segboost.label.live.learner import Painting
from segboost.label.project import LabelProject


class LivePredictions:
    """Starts the process of the live model with the first task, and restarts it if it dies.

    Parameters
    ----------
    project : LabelProject
    """

    def __init__(self, project: LabelProject) -> None:
        self.project = project
        self.error = ""
        self.number = 0
        self.answered = 0
        self.uncertainty: dict[str, float] = {}
        self.offer: str | None = None
        self._found: dict[str, Any] = {}
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        """Whether the answer to the last task is pending."""
        return self.answered < self.number

    def ask(self, painting: Painting, name: str) -> int:
        """Request the prediction for an image after these strokes; return the number of the task.

        An earlier task that is not answered yet is dropped.
        """
        with self._lock:
            if self._closed:
                return self.number
            self.number += 1
            task = {"number": self.number, "name": name, "values": list(painting.values)}
            task |= {"masks": dict(painting.masks), "stamps": dict(painting.stamps)}
            if self._process is None or self._process.poll() is not None:
                self._start()
            assert self._process is not None
            try:
                send_task(self._process, task)
            except OSError:
                self.error = "the process of the live model died: the next stroke restarts it"
                self.answered = self.number
            return self.number

    def snapshot(self) -> dict[str, Any]:
        """Return the state of the live model for the page."""
        with self._lock:
            return {
                "busy": self.busy,
                "answered": self.answered,
                "waiting": "waiting" in self._found,
                "problem": self.error,
            }

    def prediction(self, name: str, stamp: str) -> Mapping[str, Any] | None:
        """Return the latest answer if it is about this image; None otherwise."""
        with self._lock:
            found = self._found
            same = found.get("name") == name and found.get("stamp") == stamp
            return found if same and "label" in found else None

    def close(self) -> None:
        """Kill the process."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def _start(self) -> None:
        self._process = start_process("segboost.label.live.process", self.project.folder)
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        for message in read_messages(process):
            if isinstance(message.get("number"), int):
                self._record(message)
        process.wait()
        with self._lock:
            if not self._closed and self._process is process:
                self.error = f"the live model exited with status {process.returncode}"
                self.answered = self.number

    def _record(self, message: dict[str, Any]) -> None:
        with self._lock:
            if "other" in message or "offer" in message:
                if message["number"] == self.number:
                    self._record_others(message)
                return
            self.answered = max(self.answered, message["number"])
            self.error = message.get("error", "")
            self._found = message
            if "uncertainty" in message:
                self.uncertainty[message["name"]] = message["uncertainty"]
            elif "waiting" in message:
                self.uncertainty, self.offer = {}, None

    def _record_others(self, message: dict[str, Any]) -> None:
        if "offer" in message:
            self.offer = message["offer"]
        else:
            self.uncertainty[message["other"]] = message["uncertainty"]
