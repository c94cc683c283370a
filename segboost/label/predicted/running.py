"""The server's side of an export of predictions: one process at a time, and its progress."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from typing import Any

from segboost.label.line_protocol import read_messages, send_task, start_process
from segboost.label.project import LabelProject

PICTURES, OBJECTS = "predictions", "objects"
"""The kinds of export: masks, probabilities and overlays; and tables of objects."""


class PredictionExport:
    """Starts the process of an export and keeps its progress.

    Parameters
    ----------
    project : LabelProject
    """

    def __init__(self, project: LabelProject) -> None:
        self.project = project
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._progress: dict[str, Any] = {}
        self._number = 0

    def start(self, what: Sequence[str], from_model: bool) -> int:
        """Start an export and return its number; raise a RuntimeError if one is running."""
        with self._lock:
            if self._process is not None:
                raise RuntimeError("an export is already running: wait until it is done")
            self._number += 1
            self._progress = {"what": list(what)}
            self._process = start_process("segboost.label.predicted.process", self.project.folder)
            send_task(self._process, {"what": list(what), "from_model": from_model})
            threading.Thread(target=self._watch, args=(self._process,), daemon=True).start()
            return self._number

    def snapshot(self) -> dict[str, Any]:
        """Return the state of the export for the page."""
        with self._lock:
            return {
                "running": self._process is not None,
                "number": self._number,
                "folder": str(self.project.predictions),
                **self._progress,
            }

    def close(self) -> None:
        """Kill the process."""
        with self._lock:
            if self._process is not None:
                self._process.kill()

    def _watch(self, process: subprocess.Popen[str]) -> None:
        for message in read_messages(process):
            with self._lock:
                self._progress |= message
        process.wait()
        with self._lock:
            self._process = None
            if "finished" not in self._progress and "error" not in self._progress:
                self._progress["error"] = f"the export exited with status {process.returncode}"
