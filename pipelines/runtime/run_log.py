"""The log of a run: one JSON object per line, readable even if the run was killed."""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np

from segboost._interrupt import is_interrupt
from segboost._version import __version__
from segboost.pipelines.runtime.resources import Usage, read_usage
from segboost.storage.regular_file import read_regular
from segboost.storage.whole_file import check_replaceable, flush_folder

PACKAGES = (
    "numpy", "scipy", "scikit-learn", "scikit-image", "numba", "highspy", "PyMaxflow", "joblib",
    "pillow",
)  # fmt: skip
"""Packages that results depend on; their versions are logged."""


@dataclass(frozen=True)
class StageTime:
    """Wall and processor time of one stage in seconds, including workers."""

    stage: str
    wall: float
    cpu: float


class RunLog:
    """The log file of a run, written line by line as events happen.

    Lines go to ``<name>.part`` at once. At the end the file is flushed to disk and renamed, so a
    log under its final name belongs to a run that was not killed. The log of a killed run is
    kept, and the next run is appended to it.

    Events: ``start`` (configuration, seed, versions, machine), ``stage begins``,
    ``stage ends`` (wall and CPU seconds, peak memory, status), ``end`` (the same for the whole
    run, and the stages' times); and those that the caller adds.

    Parameters
    ----------
    path : path
        The log's final name.
    configuration : mapping
        All options of the run, with defaults filled in.
    seed : int, optional

    Examples
    --------
    >>> with RunLog("run.jsonl", {"C": 10.0}, seed=0) as log:
    ...     with log.stage("features", images=2):
    ...         pass
    >>> [event["event"] for event in read_run_log("run.jsonl")]
    ['start', 'stage begins', 'stage ends', 'end']
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        configuration: Mapping[str, Any],
        seed: int | None = None,
    ) -> None:
        self.path = Path(path)
        self.stages: list[StageTime] = []
        self._start_fields = {
            "configuration": configuration,
            "seed": seed,
            "versions": package_versions(),
            "machine": {"system": platform.platform(), "cores": os.cpu_count()},
        }
        self._file: IO[bytes] | None = None
        self._started = read_usage()
        self._peak_total = 0

    @property
    def peak_total(self) -> int:
        """Peak memory of this process and its workers, read at the ends of stages, in bytes."""
        return self._peak_total

    @property
    def part(self) -> Path:
        """Path of the log while the run is in progress."""
        return self.path.with_name(f"{self.path.name}.part")

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for path in (self.part, self.path):
            check_replaceable(path)
        torn = self.part.exists() and not self.part.read_bytes().endswith(b"\n")
        self._file = open(self.part, "ab")
        if torn:
            self._file.write(b"\n")
        self._started = read_usage()
        self.event("start", **self._start_fields)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is None:
            return
        stages = [asdict(stage) for stage in self.stages]
        self.event("end", **_status(error), **self._spent(self._started), stages=stages)
        os.fsync(self._file.fileno())
        self._file.close()
        self._file = None
        os.replace(self.part, self.path)
        flush_folder(self.path.parent)

    def event(self, event: str, **fields: Any) -> None:
        """Add a line with the time of day, the event and its fields.

        NumPy values, paths and dataclasses become plain ones; NaN and infinities become null.
        """
        if self._file is None:
            raise ValueError("events can be logged only within the with block")
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps(_plain({"time": now, "event": event, **fields}), allow_nan=False)
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    @contextmanager
    def stage(self, stage: str, **fields: Any) -> Iterator[dict[str, Any]]:
        """Log the beginning and the end of a stage.

        Yields a dictionary; its entries are logged at the end of the stage.
        """
        self.event("stage begins", stage=stage, **fields)
        before = read_usage()
        notes: dict[str, Any] = {}
        error: BaseException | None = None
        try:
            yield notes
        except BaseException as raised:
            error = raised
            raise
        finally:
            spent = self._spent(before)
            self.stages.append(StageTime(stage, spent["wall"], spent["cpu"]))
            self.event("stage ends", **{**notes, "stage": stage, **_status(error), **spent})

    def _spent(self, before: Usage) -> dict[str, Any]:
        """Return the time spent since a reading, and the peaks of the whole run so far."""
        after = read_usage()
        # Workers may have ended, and no longer count, when the last reading is taken.
        self._peak_total = max(self._peak_total, after.peak_total)
        return {
            "wall": round(after.wall - before.wall, 6),
            "cpu": round(max(0.0, after.cpu - before.cpu), 6),
            "peak_bytes": after.peak_self,
            "peak_child_bytes": after.peak_child,
            "peak_total_bytes": self._peak_total,
        }


def read_run_log(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return the events of a log, finished or not; lines cut off by a kill are skipped."""
    events = []
    for line in read_regular(path).splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            events.append(event)
    return events


def package_versions() -> dict[str, str | None]:
    """Return the versions of Python, of this package and of those that results depend on."""
    versions: dict[str, str | None] = {"python": platform.python_version(), "segboost": __version__}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    return versions


def _status(error: BaseException | None) -> dict[str, str]:
    if error is None:
        return {"status": "done"}
    if is_interrupt(error):
        return {"status": "interrupted"}
    return {"status": "failed", "error": f"{type(error).__name__}: {error}"}


def _plain(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return str(value)
