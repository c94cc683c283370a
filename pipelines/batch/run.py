"""Segment a batch into a locked output folder, resuming an interrupted run."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from segboost.pipelines.batch.image_result import ImageResult
from segboost.pipelines.batch.journal import BatchJournal
from segboost.pipelines.batch.segmenting import (
    BatchOptions,
    check_batch,
    full_disk_named,
    segment_files,
)
from segboost.pipelines.batch.table import write_results
from segboost.pipelines.runtime.folder_lock import FolderLock
from segboost.progress import Progress, track
from segboost.storage.output_record import Outputs, check_outputs, recorded_outputs

TABLE = "results.csv"


@dataclass(frozen=True)
class BatchRun:
    """Summary of a run.

    Parameters
    ----------
    failed : list of ImageResult
    n_known : int
        Number of images that an earlier run had finished.
    cpu_seconds : float
        CPU time of the images that this run segmented.
    """

    failed: list[ImageResult]
    n_known: int
    cpu_seconds: float


def run_batch(
    model_folder: Path,
    images: Sequence[Path],
    options: BatchOptions,
    n_jobs: int,
    executor: Executor | None,
    progress: Progress,
) -> BatchRun:
    """Segment image files into a folder, with a table of the results; see `segment_files`.

    Raises
    ------
    ForeignFileError
        Before any work, if files that segboost did not write would be replaced.
    """
    check_batch(model_folder, images, options)
    failed, spent = [], 0.0
    outputs, output = batch_outputs(images, options), options.output
    check_outputs(output, outputs, images, options.overwrite)
    with (
        FolderLock(output),
        full_disk_named(output),
        recorded_outputs(output, outputs, images, options.overwrite),
    ):
        journal = BatchJournal(model_folder, options.output, options.wanted)
        known = journal.read(images)
        todo = [path for path in images if path not in known]
        made = segment_files(model_folder, todo, options, n_jobs, executor)
        results = write_results(journal.follow(images, known, made), options.output / TABLE)
        for result in track(results, progress, "segmentation", len(images)):
            spent += result.cpu_seconds
            if result.failed:
                failed.append(result)
        journal.remove()
    return BatchRun(failed, len(known), spent - sum(r.cpu_seconds for r in known.values()))


def batch_outputs(images: Sequence[Path], options: BatchOptions) -> Outputs:
    """Return the files that segmenting these images writes."""
    folders = ("", *(f"{name}/" for name in sorted(options.wanted)))
    masks = (f"{folder}{path.stem}.png" for folder in folders for path in images)
    return Outputs((*masks, TABLE))
