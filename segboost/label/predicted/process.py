"""The process that exports predictions: reads one task, reports its progress line by line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from segboost.io.errors import ImageFileError
from segboost.label.images import FolderImage, ImageFolder
from segboost.label.line_protocol import end_with_server, say
from segboost.label.masks import MaskFolder
from segboost.label.predicted.files import export_predictions
from segboost.label.predicted.source import LiveSource, PredictionSource, TrainedSource
from segboost.label.project import LabelProject
from segboost.pipelines.batch.image_result import explain
from segboost.pipelines.runtime.single_thread import single_threaded


def run(folder: Path, what: list[str], from_model: bool) -> int:
    """Export all usable images of a folder; return their number."""
    project = LabelProject(folder)
    classes = project.classes()
    masks = MaskFolder(project.masks, lambda: classes)
    images = [i for i in ImageFolder(folder).scan() if not i.problem and _is_usable(i, masks)]
    source: PredictionSource
    source = TrainedSource(project) if from_model else LiveSource(project, images, masks)

    def report(done: int) -> None:
        say(done=done, total=len(images))

    report(0)
    export_predictions(project.predictions, images, masks, source, what, report)
    return len(images)


def _is_usable(image: FolderImage, masks: MaskFolder) -> bool:
    try:
        masks.version(image)
    except ImageFileError:
        return False  # shown in the list
    return True


def main() -> None:
    """Run the task in the first line of standard input."""
    task = json.loads(sys.stdin.readline())
    end_with_server(lambda: os._exit(1))
    if hasattr(os, "nice"):
        os.nice(5)  # the page and its server come first
    try:
        with single_threaded():
            say(finished=run(Path(sys.argv[1]), task["what"], task["from_model"]))
    except Exception as error:  # shown on the page
        say(error=explain(error))


if __name__ == "__main__":
    main()
