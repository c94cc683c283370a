"""The process of the live model: reads one task per line and drops all but the latest.

It reads ``{"number", "name", "masks", "stamps", "values"}``, refits, and answers with the
prediction for the named image. Then it measures the uncertainty of all images and offers one to
label next. A new line interrupts the current task. The process exits when its input ends.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

from segboost.graphs.expansion import expand
from segboost.graphs.graph import Graph
from segboost.label.line_protocol import say
from segboost.label.live.learner import LiveLearner, Painting
from segboost.label.prediction import Prediction, entropy
from segboost.label.project import LabelProject
from segboost.pipelines.batch.image_result import explain
from segboost.pipelines.runtime.single_thread import single_threaded

Task = dict[str, Any]


class SupersededError(Exception):
    """A newer task has arrived."""


class LiveProcess:
    """Runs the latest of the tasks in its queue."""

    def __init__(self, learner: LiveLearner) -> None:
        self.learner = learner
        self.tasks: queue.Queue[Task | None] = queue.Queue()

    def run(self, say: Any) -> None:
        """Run tasks until None is taken from the queue.

        Parameters
        ----------
        say : callable
            Called with the keyword arguments of each answer.
        """
        task = self.tasks.get()
        while task is not None:
            while not self.tasks.empty():  # skip to the latest
                task = self.tasks.get()
                if task is None:
                    return
            try:
                self._answer(task, say)
            except SupersededError:
                pass
            except Exception as error:  # shown on the page; the next stroke may change it
                say(number=task["number"], error=explain(error))
            task = self.tasks.get()

    def check(self) -> None:
        """Raise SupersededError if there is a newer task."""
        if not self.tasks.empty():
            raise SupersededError

    def _answer(self, task: Task, say: Any) -> None:
        stamps = task["stamps"]
        painting = Painting(task["masks"], stamps, tuple(task["values"]))
        if not self.learner.update(painting, self.check):
            say(number=task["number"], waiting=True)
            return
        name = task["name"]
        if name in stamps:
            made = self.learner.predict(name, stamps[name], task["masks"].get(name, ""))
            self.check()
            say(number=task["number"], name=name, stamp=stamps[name], **shown(made, painting))
        unsure: dict[str, float] = {}
        for other in stamps:
            self.check()
            found = self.learner.uncertainty(other, stamps[other])
            if found is not None:
                unsure[other] = found
                say(number=task["number"], other=other, uncertainty=found)
        self.check()
        say(number=task["number"], offer=self.learner.offer(painting, unsure))


def warm_up() -> None:
    """Smooth three superpixels, which loads compiled code before the first stroke."""
    chain = Graph(3, np.array([[0, 1], [1, 2]]))
    expand(chain, [[0.0, 3.0], [1.5, 1.0], [3.0, 0.0]], [1.0, 0.5])


def shown(made: Prediction | None, painting: Painting) -> dict[str, Any]:
    """Return a prediction in the form that the page reads; empty if there is none."""
    if made is None:
        return {}
    values = [painting.values[k] for k in made.label.tolist()]
    unsure = [round(float(e), 3) for e in entropy(made.probability)]
    return {"label": values, "entropy": unsure, "uncertainty": made.uncertainty}


def main() -> None:
    """Answer tasks from standard input."""
    project = LabelProject(Path(sys.argv[1]))
    with single_threaded():
        process = LiveProcess(LiveLearner(project, project.features()))
        warm_up()

        def read() -> None:
            for line in sys.stdin:
                process.tasks.put(json.loads(line))
            process.tasks.put(None)

        threading.Thread(target=read, daemon=True).start()
        process.run(say)


if __name__ == "__main__":
    main()
