"""A worker process that computes features and predictions, one command per line.

It reads ``{"do": "features" | "predict", "name": ...}``, for predictions with the key of the
``"model"``, and answers each command with one line. It exits when its input ends, so that it does
not outlive a killed server.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from segboost.io.errors import is_temporary
from segboost.label.line_protocol import say
from segboost.label.prediction import Prediction, predict_image
from segboost.label.project import PREDICTION, LabelProject
from segboost.pipelines.batch.image_result import explain
from segboost.pipelines.runtime.single_thread import single_threaded
from segboost.pipelines.segmentation.images.working_size import reduce_items
from segboost.pipelines.segmentation.model.segmenter_files import Segmenter, load_segmenter


class Worker:
    """Executes commands on the images of a folder."""

    def __init__(self, folder: Path) -> None:
        self.project = LabelProject(folder)
        self.stage = self.project.features()
        self._longest_side = self.project.config().longest_side
        self._model: tuple[str, Segmenter] | None = None

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Execute a command; errors are returned as answers."""
        try:
            item = self._item(command["name"])
            if command["do"] == "features":
                self.stage.make(item)
                return {"done": True}
            return {"done": True, **self._predict(command["name"], command["model"])}
        except Exception as error:  # one bad image must not stop the others
            return {"error": explain(error), "temporary": is_temporary(error)}

    def _item(self, name: str) -> Any:
        return reduce_items([self.project.item(name)], self._longest_side)[0]

    def _predict(self, name: str, model_key: str) -> dict[str, Any]:
        store, parts = self.project.store, self.project.prediction_parts(model_key, name)
        found = store.get(PREDICTION, parts)
        if found is None:
            model = self._load(model_key)
            made = predict_image(model, self.stage, self._item(name))
            store.put(PREDICTION, parts, made.to_artefact())
            return {"uncertainty": made.uncertainty}
        return {"uncertainty": Prediction.from_artefact(found).uncertainty}

    def _load(self, key: str) -> Segmenter:
        if self._model is None or self._model[0] != key:
            found = load_segmenter(self.project.model, self.project.config().imports)
            self._model = key, found
            if self.project.model_key() != key:
                self._model = None
                raise RuntimeError("the model was replaced by a newer one")
        return self._model[1]


def main() -> None:
    """Answer commands from standard input."""
    if hasattr(os, "nice"):
        os.nice(5)  # the page and its server come first
    with single_threaded():
        worker = Worker(Path(sys.argv[1]))
        for line in sys.stdin:
            say(**worker.answer(json.loads(line)))


if __name__ == "__main__":
    main()
