"""``segboost label``: waiting time for the Train button and for a list of photographs."""

from __future__ import annotations

import io
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image

from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.problems.scribbles import scribble
from tests.browser import CHROMIUM, DRIVER, chromium

TITLE = (
    "Label: the Train button on 10 images of 640×480; a list of 100 photographs of 12 megapixels"
)

JOBS = 2
PATIENCE = 1800
# Times since the page was requested until the whole list and the thumbnails in view are shown.
WATCH = """
const rows = () => [...document.querySelectorAll("#images li")];
const inView = (row) => {
  const box = row.getBoundingClientRect(), list = row.parentElement.getBoundingClientRect();
  return box.bottom > list.top && box.top < Math.min(list.bottom, innerHeight);
};
const timer = setInterval(() => {
  if (rows().length < 100) return;
  window.listed ||= performance.now();
  const shown = rows().filter(inView).map((row) => row.querySelector("img"));
  if (!shown.every((image) => image.complete && image.naturalWidth)) return;
  window.seen = performance.now();
  window.loaded = rows().filter((row) => row.querySelector("img").naturalWidth).length;
  clearInterval(timer);
}, 10);
"""


def run() -> list[Figure]:
    return [*train_figures(), *list_figures()]


def train_figures() -> Iterator[Figure]:
    """Measure the Train button: workers compute features ahead, then a process trains."""
    from segboost.datasets import load_synthetic
    from segboost.label.session import LabelSession

    items = load_synthetic(10, 0, height=480, width=640).train
    with tempfile.TemporaryDirectory() as place:
        for k, item in enumerate(items):
            Image.fromarray(item.image()).save(Path(place) / f"scene_{k}.png")
        session = LabelSession(Path(place), JOBS)
        session.start()
        try:
            for image, item in zip(session.images.scan(), items, strict=True):
                session.masks.save(image, scribble(item.mask()), "none")
            until(lambda: len(session.processes.described) == len(items))
            before = children_seconds()
            session.train()
            until(lambda: not session.processes.snapshot()["running"])
            spent = children_seconds() - before
            state = session.processes.snapshot()
        finally:
            session.close()
    if state["outcome"] != "trained":
        raise RuntimeError(state["outcome"])
    yield Figure("CPU time of Train, features computed ahead", spent, "s")
    yield at_most(f"wall time of Train, {JOBS} jobs", state["seconds"], 60.0, "s")


def list_figures() -> Iterator[Figure]:
    """Open a folder of a hundred photographs in a browser, first without masks, then with."""
    if not (CHROMIUM and DRIVER):
        print("chromium is not installed: the list is not measured", file=sys.stderr)
        return
    from segboost.label.masks import encode_mask
    from segboost.label.project import LabelProject

    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as profile:
        folder = Path(place)
        write_photographs(folder)
        with chromium(Path(profile)) as browser:
            browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
            yield from open_list(browser, folder, "no masks")
            mask = np.full((3000, 4000), 255, np.uint8)
            mask[1000:1100, 500:3500], mask[2000:2100, 500:3500] = 1, 0
            masks = LabelProject(folder).masks
            masks.mkdir()
            data = encode_mask(mask)
            for k in range(100):
                (masks / f"photo_{k:03d}.png").write_bytes(data)
            yield from open_list(browser, folder, "all painted")


def open_list(browser, folder: Path, what: str) -> Iterator[Figure]:
    with serving(folder) as address:
        browser.get(address)
        until(lambda: browser.execute_script("return window.seen || 0"))
        listed, seen, loaded = browser.execute_script(
            "return [window.listed, window.seen, window.loaded]"
        )
        browser.get("about:blank")
    yield at_most(f"100 images in the list, {what}", listed / 1000, 3.0, "s")
    yield Figure(f"visible thumbnails loaded ({loaded}), {what}", seen / 1000, "s")


def write_photographs(folder: Path) -> None:
    """Write a hundred JPEG files of 4000×3000 that differ only in a comment."""
    rng = np.random.default_rng(0)
    small = Image.fromarray(rng.integers(0, 256, (300, 400, 3), dtype=np.uint8))
    buffer = io.BytesIO()
    small.resize((4000, 3000)).save(buffer, "JPEG", quality=90)
    start, rest = buffer.getvalue()[:2], buffer.getvalue()[2:]
    for k in range(100):
        comment = b"\xff\xfe\x00\x05%03d" % k
        (folder / f"photo_{k:03d}.jpg").write_bytes(start + comment + rest)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    code = "from segboost.cli.main import main; main()"
    command = [
        sys.executable,
        "-c",
        code,
        "label",
        str(folder),
        "--jobs",
        str(JOBS),
        "--no-browser",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"the condition was not met within {PATIENCE} s")
        time.sleep(0.1)


def children_seconds() -> float:
    """Return the CPU seconds of finished child processes and their descendants."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
