"""The training process: reads image names from standard input, reports progress line by line.

It is a separate process so that it can be stopped at any time; results of finished stages stay in
the store, and the model folder is replaced in one step at the end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from segboost.io.legend import TWO_CLASSES
from segboost.label.line_protocol import end_with_server, say
from segboost.label.project import C_OF_ONE_IMAGE, LabelProject
from segboost.pipelines.batch.image_result import explain
from segboost.pipelines.segmentation.checked_training import StageReporter, check_and_train
from segboost.pipelines.segmentation.model.segmenter_files import save_segmenter
from segboost.pipelines.segmentation.stages.features import WORDS
from segboost.progress import Report


class LineProgress:
    """Writes every progress report as a line of JSON."""

    def __call__(self, report: Report) -> None:
        """Write a report."""
        say(stage=report.stage, done=report.done, total=report.total, note=report.details())


def run(folder: Path, names: list[str], n_jobs: int) -> None:
    """Train on these images and save the model."""
    project = LabelProject(folder)
    config, classes = project.config(), project.classes()
    items = [project.item(name) for name in names]
    say(stage=WORDS, done=0, total=1, note="")
    project.features()  # removes unreadable images from the vocabulary
    words = [project.item(name) for name in project.vocabulary()]
    legend = classes.legend if len(classes.classes) > 2 else TWO_CLASSES
    if len(items) == 1 and config.C is None and legend is not TWO_CLASSES:
        config = replace(config, C=C_OF_ONE_IMAGE)  # two classes have a CRF with fixed weights
    with StageReporter(LineProgress()) as report:
        trained = check_and_train(
            items, config, project.store, n_jobs, report, words, legend=legend
        )
    extra = {"dataset": folder.resolve().name, "n_train": len(items), "notes": ["partial labels"]}
    save_segmenter(trained.model, project.model, extra)
    project.keep_model_values(classes.values)


def kill_own_group() -> None:
    """Kill this process and its workers."""
    os.killpg(os.getpgid(0), signal.SIGKILL)


def main() -> None:
    """Train on the images that the first line of standard input names."""
    task = json.loads(sys.stdin.readline())
    end_with_server(kill_own_group)
    try:
        run(Path(sys.argv[1]), task["names"], task["jobs"])
    except Exception as error:  # shown on the page
        say(error=explain(error))
    else:
        say(finished=True)


if __name__ == "__main__":
    main()
