"""Load mutated models under resource limits and an audit hook, in a separate process.

Usage: python -m tests.hostile.fuzz ROOT CASES SEED, with folders KIND.NAME below ROOT. The last
line of its output is JSON.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from segboost import ModelFileError, load_model
from segboost.pipelines.segmentation.model.segmenter_files import load_segmenter, save_segmenter
from segboost.pipelines.tables.model import TableModel
from tests.hostile.mutations import mutate

LOAD = {
    "segmenter": (load_segmenter, save_segmenter),
    "estimator": (load_model, lambda model, folder: model.save(folder)),
    "baseline": (load_model, lambda model, folder: model.save(folder)),
    "table": (TableModel.load, lambda model, folder: model.save(folder)),
}
MEMORY = 2 * 2**30
SECONDS = 60.0
FORBIDDEN = ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork",
             "socket.connect", "pickle.find_class", "ctypes.dlopen")  # fmt: skip


def _is_compiling():
    """Return whether numba is reading its own cache, which is not part of a model."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename.endswith(os.path.join("numba", "core", "caching.py")):
            return True
        frame = frame.f_back
    return False


class Watch:
    """Audit hook that records commands, sockets, pickles and reads of the secret file."""

    def __init__(self):
        self.on = False
        self.seen = []

    def __call__(self, event, arguments):
        if not self.on:
            return
        if event in FORBIDDEN and not (event.startswith("pickle") and _is_compiling()):
            self.seen.append(f"{event} {arguments!r}"[:200])
        if event == "open" and "secret" in str(arguments[0]):
            self.seen.append(f"open {arguments[0]}")


def contents(folder):
    paths = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in paths}


class Fuzz:
    """Counts the outcomes of the mutated models."""

    def __init__(self, watch):
        self.watch = watch
        self.counts = Counter()
        self.problems = []
        self.slowest = 0.0

    def run(self, name, source, cases, seed, place):
        """Load `cases` mutations of a model folder, whose name begins with its kind."""
        load, save = LOAD[name.partition(".")[0]]
        rng = np.random.default_rng(seed)
        original = contents(source)
        folder, again = place / "model", place / "again"
        for case in range(cases):
            shutil.copytree(source, folder)
            updated = mutate(rng, folder)
            if contents(folder) == original:
                self.counts["unchanged"] += 1
            else:
                model = self._load(load, folder, updated, f"{name} {case}")
                if model is not None and not updated:
                    save(model, again)
                    if contents(again) != {k: original.get(k) for k in contents(again)}:
                        self.problems.append(f"{name} {case}: another model was loaded")
                    shutil.rmtree(again)
            shutil.rmtree(folder)

    def _load(self, load, folder, updated, case):
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        start = time.process_time()
        self.watch.on = True
        model, end = None, "loaded"
        try:
            model = load(folder)
        except ModelFileError as error:
            end = "refused"
            if "\n" in str(error):
                self.problems.append(f"{case}: two lines: {error}")
        except BaseException as error:
            end = "failed"
            self.problems.append(f"{case}: {type(error).__name__}: {error}"[:300])
        self.watch.on = False
        faulthandler.cancel_dump_traceback_later()
        self.slowest = max(self.slowest, time.process_time() - start)
        self.counts[f"updated, {end}" if updated else end] += 1
        return model


def main(root, cases, seed):
    warnings.simplefilter("ignore")
    folders = sorted(root.iterdir())
    for folder in folders:
        LOAD[folder.name.partition(".")[0]][0](folder)  # compile before the limits apply
    watch = Watch()
    sys.addaudithook(watch)
    # Libraries map far more than they use: the limit is on top of that.
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY, mapped + MEMORY))
    fuzz = Fuzz(watch)
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "secret").write_text("nobody's business")
        for number, folder in enumerate(folders):
            fuzz.run(folder.name, folder, cases, [seed, number], Path(place))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    found = {"counts": fuzz.counts, "problems": fuzz.problems, "seen": watch.seen}
    print(json.dumps({**found, "slowest": fuzz.slowest, "peak": peak}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
