"""A whole batch into a folder: one run at a time, which goes on where one before was stopped."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from segboost.pipelines.batch.image_result import ImageResult
from segboost.pipelines.batch.journal import BatchJournal
from segboost.pipelines.batch.segmenting import BatchOptions, check_batch, segment_files
from segboost.pipelines.batch.table import write_results
from segboost.pipelines.runtime.folder_lock import FolderLock
from segboost.progress import Progress, track

TABLE = "results.csv"


@dataclass(frozen=True)
class BatchRun:
    """What a run did.

    Parameters
    ----------
    failed : list of ImageResult
    n_known : int
        Images that an earlier run had done.
    cpu_seconds : float
        Of the images that this run did.
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
    """Segment image files into a folder, with a table of all; see `segment_files`."""
    check_batch(model_folder, images, options)
    failed, spent = [], 0.0
    with FolderLock(options.output):
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
