"""Schedule the background processes of the server: features, predictions and training."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from segboost.label.images import FolderImage
from segboost.label.line_protocol import read_messages, send_task, start_process
from segboost.label.project import LabelProject

TRY_AGAIN = 10.0
"""Seconds after which an image is tried again if reading it failed for a temporary reason."""


@dataclass
class Training:
    """Progress of a running training process."""

    process: subprocess.Popen[str]
    strokes: int = 0
    started: float = field(default_factory=time.monotonic)
    stage: str = "starting"
    done: int = 0
    total: int | None = None
    note: str = ""
    stopped: bool = False


class BackgroundProcesses:
    """Computes features and predictions of a folder in worker processes, and trains on request.

    The image open in the browser comes first. While training runs, no other work is started, so
    that training gets all processors.

    Parameters
    ----------
    project : LabelProject
    n_workers : int
        Number of worker processes, and of processes that training uses.
    on_described : callable, optional
        Called with the name of an image when its features have been computed.
    """

    def __init__(
        self,
        project: LabelProject,
        n_workers: int,
        on_described: Callable[[str], Any] = lambda name: None,
    ) -> None:
        self.project = project
        self.n_workers = n_workers
        self.failed: dict[str, str] = {}
        self._again: dict[str, float] = {}  # when to retry temporary failures
        self.described: set[str] = set()
        self.uncertainty: dict[str, float] = {}
        self.model_key = project.model_key()
        self.training: Training | None = None
        self.outcome = ""
        self.trained_in: float | None = None
        self.trained_strokes = 0
        self._on_described = on_described
        self._images: dict[str, str] = {}  # stamps by name, in name order
        self._focus: list[str] = []
        self._taken: set[str] = set()
        self._closed = False
        self._wake = threading.Condition()
        self._processes: list[subprocess.Popen[str]] = []

    def start(self) -> None:
        """Start one thread per worker process."""
        for number in range(self.n_workers):
            threading.Thread(target=self._run_worker, args=(number,), daemon=True).start()

    def update_images(self, images: Sequence[FolderImage]) -> None:
        """Update the list of images, in order; changed files are processed again."""
        with self._wake:
            before = self._images
            self._images = {i.path.name: i.stamp for i in images if not i.problem}
            for name in before:
                if self._images.get(name) != before[name]:
                    self.failed.pop(name, None)
                    self._again.pop(name, None)
                    self.described.discard(name)
                    self.uncertainty.pop(name, None)
            for name, moment in list(self._again.items()):
                if time.monotonic() > moment:
                    self.failed.pop(name, None)
                    del self._again[name]
            self._wake.notify_all()

    def focus(self, names: Sequence[str]) -> None:
        """Process these images first, in this order, then those that follow the first one."""
        with self._wake:
            self._focus = list(names)
            self._wake.notify_all()

    def train(self, names: Sequence[str], strokes: int = 0) -> None:
        """Start training on these images; raise a RuntimeError if training is already running.

        Parameters
        ----------
        names : sequence of str
        strokes : int
            The number of strokes so far; becomes `trained_strokes` when training is done.
        """
        with self._wake:
            if self.training is not None:
                raise RuntimeError("training is already running: stop it first")
            process = self._spawn("segboost.label.training_process", new_group=True)
            send_task(process, {"names": list(names), "jobs": self.n_workers})
            self.training = Training(process, strokes)
            self.outcome = ""
        threading.Thread(target=self._watch_training, args=(self.training,), daemon=True).start()

    def stop_training(self) -> None:
        """Kill the running training and all its processes, if any."""
        with self._wake:
            training = self.training
            if training is not None:
                training.stopped = True
                _kill_group(training.process)

    def snapshot(self) -> dict[str, Any]:
        """Return the state of training for the page."""
        with self._wake:
            now = self.training
            shown: dict[str, Any] = {"outcome": self.outcome, "seconds": self.trained_in}
            if now is not None:
                shown |= {"stage": now.stage, "done": now.done, "total": now.total}
                shown |= {"note": now.note, "elapsed": time.monotonic() - now.started}
            return {"running": now is not None, **shown}

    def close(self) -> None:
        """Kill all processes."""
        self.stop_training()
        with self._wake:
            self._closed = True
            for process in self._processes:
                process.kill()
            self._wake.notify_all()

    def _spawn(self, module: str, new_group: bool = False) -> subprocess.Popen[str]:
        return start_process(module, self.project.folder, new_group)

    def _watch_training(self, training: Training) -> None:
        error, finished = "", False
        for message in read_messages(training.process):
            error, finished = message.get("error", error), message.get("finished", finished)
            if "stage" in message:
                with self._wake:
                    training.stage, training.note = message["stage"], message["note"]
                    training.done, training.total = message["done"], message["total"]
        training.process.wait()
        with self._wake:
            self.training = None
            if finished:
                self.trained_in = time.monotonic() - training.started
                self.model_key = self.project.model_key()
                self.uncertainty = {}
                self.trained_strokes = training.strokes
            elif not training.stopped:
                error = error or f"training exited with status {training.process.returncode}"
            self.outcome = "trained" if finished else "stopped" if training.stopped else error
            self._wake.notify_all()

    def _run_worker(self, number: int) -> None:
        """Send commands to one worker process, one at a time; replace it if it dies."""
        process: subprocess.Popen[str] | None = None
        while (task := self._wait_for_task(number)) is not None:
            if process is None:
                process = self._spawn("segboost.label.worker_process")
                with self._wake:
                    self._processes.append(process)
            answer = _ask(process, task)
            with self._wake:
                if answer is None:
                    process.kill()  # in case it is still running
                    process.wait()
                    self._processes.remove(process)
                    process = None
                if answer is None and self._closed:
                    return
                fresh = task["name"] not in self.described
                self._record_result(task, answer or {"error": "the worker process died"})
                fresh = fresh and task["name"] in self.described
                self._wake.notify_all()
            if fresh:
                self._on_described(task["name"])

    def _wait_for_task(self, number: int) -> dict[str, Any] | None:
        """Wait for the next task and return it; None after `close`."""
        with self._wake:
            while not self._closed:
                # The first worker learns the visual words; the others wait for it.
                early = number > 0 and not (self.described or self.failed)
                task = None if early or self.training is not None else self._next_task()
                if task is not None:
                    self._taken.add(task["name"])
                    return task
                self._wake.wait()
            return None

    def _next_task(self) -> dict[str, Any] | None:
        for name in self._in_order():
            if name in self._taken or name in self.failed:
                continue
            if self.model_key is not None and name not in self.uncertainty:
                return {"do": "predict", "name": name, "model": self.model_key}
            if name not in self.described:
                return {"do": "features", "name": name}
        return None

    def _in_order(self) -> list[str]:
        names = list(self._images)
        first = [name for name in self._focus if name in self._images]
        start = names.index(first[0]) if first else 0
        return [*first, *(n for n in names[start:] + names[:start] if n not in first)]

    def _record_result(self, task: dict[str, Any], answer: dict[str, Any]) -> None:
        name = task["name"]
        self._taken.discard(name)
        if "error" in answer:
            if task.get("model") == self.model_key or task["do"] == "features":
                self.failed[name] = answer["error"]
                if answer.get("temporary"):
                    self._again[name] = time.monotonic() + TRY_AGAIN
            return
        self.described.add(name)
        if task["do"] == "predict" and task["model"] == self.model_key:
            self.uncertainty[name] = answer["uncertainty"]


def _ask(process: subprocess.Popen[str], task: dict[str, Any]) -> dict[str, Any] | None:
    """Return a worker's answer; None if it died."""
    try:
        send_task(process, task)
        return next(read_messages(process), None)
    except (OSError, ValueError):
        return None


def _kill_group(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
