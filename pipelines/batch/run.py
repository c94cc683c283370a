"""Segment a batch into a locked output folder, resuming an interrupted run."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from segboost.pipelines.batch.image_result import ImageResult
from segboost.pipelines.batch.journal import BatchJournal
from segboost.pipelines.batch.output_names import output_names
from segboost.pipelines.batch.scientific.output_names import scientific_outputs
from segboost.pipelines.batch.scientific.scientific_image import is_scientific
from segboost.pipelines.batch.scientific.summaries import write_summaries
from segboost.pipelines.batch.segmenting import (
    BatchOptions,
    check_batch,
    explain_full_disk,
    load_once,
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
    notes : tuple of (str, str)
        Names of images, and anything skipped or guessed while reading them.
    """

    failed: list[ImageResult]
    n_known: int
    cpu_seconds: float
    notes: tuple[tuple[str, str], ...] = ()


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
    failed, notes, spent = [], [], 0.0
    model, output = load_once(model_folder, options.allow_import), options.output
    legend = model.legend
    scientific = [path for path in images if is_scientific(path, model, options.scientific)]
    outputs = batch_outputs(images, options, legend.n_classes, scientific)
    check_outputs(output, outputs, images, options.overwrite)
    with (
        FolderLock(output),
        explain_full_disk(output),
        recorded_outputs(output, outputs, images, options.overwrite),
    ):
        journal = BatchJournal(
            model_folder, output, options.wanted, legend.n_classes, options.scientific, scientific
        )
        earlier = journal.read(images)
        todo = [path for path in images if path not in earlier]
        new_results = segment_files(model_folder, todo, options, n_jobs, executor)
        recorded = journal.record(images, earlier, new_results)
        results = write_results(recorded, output / TABLE, legend)
        for result in track(results, progress, "segmentation", len(images)):
            spent += result.cpu_seconds
            if result.failed:
                failed.append(result)
            if result.notes:
                notes.append((result.name, result.notes))
        write_summaries(images, output, options.scientific)
        journal.remove()
    spent -= sum(r.cpu_seconds for r in earlier.values())
    return BatchRun(failed, len(earlier), spent, tuple(notes))


def batch_outputs(
    images: Sequence[Path],
    options: BatchOptions,
    n_classes: int = 2,
    scientific: Sequence[Path] = (),
) -> Outputs:
    """Return the files that segmenting these images writes.

    Parameters
    ----------
    images : sequence of Path
    options : BatchOptions
    n_classes : int
    scientific : sequence of Path
        The scientific images among them.
    """
    plain = [path for path in images if path not in set(scientific)]
    names = (n for path in plain for n in output_names(path.stem, options.wanted, n_classes))
    return Outputs(
        (*names, *scientific_outputs(scientific, options.scientific, options.wanted), TABLE)
    )
