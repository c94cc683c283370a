"""Commands in processes that start fast and can be killed."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys

from segboost.cli.main import run

CONTEXT = multiprocessing.get_context("forkserver")
# The server imports once; every command is a copy of it.
CONTEXT.set_forkserver_preload(
    [
        "tests.crashes.command_processes",
        "segboost.pipelines.segmentation.training_run",
        "segboost.pipelines.batch.segmenting",
        "segboost.pipelines.batch.table",
        "segboost.datasets.registry",
        "rich.progress",
        "skimage.segmentation",
        "sklearn.cluster",
    ]
)


def start(arguments, printed=os.devnull, limit=None):
    """Start a command; its output goes to the file `printed`. `limit` is the largest file size."""
    process = CONTEXT.Process(target=_run, args=(list(arguments), str(printed), limit))
    process.start()
    return process


def finish(arguments, printed=os.devnull, limit=None, seconds=600):
    """Run a command to its end; return its status."""
    process = start(arguments, printed, limit)
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
        raise RuntimeError(f"{arguments[0]} hangs")
    return process.exitcode


def _run(arguments, printed, limit):
    descriptor = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    status = run(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
