"""``segboost label``: time from the end of a stroke to the drawn prediction, in a browser."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from tests.benchmarks.figures import Figure, at_most
from tests.benchmarks.label.bench_label_speed import serving, until
from tests.benchmarks.problems.scribbles import scribble
from tests.browser import CHROMIUM, DRIVER, chromium

TITLE = "Label: from the end of a stroke to the prediction on the screen, images of 640×480"

WIDTH, HEIGHT = 640, 480
TARGET = {10: 2.0, 40: 5.0}
STROKES = 12


def run() -> list[Figure]:
    if not (CHROMIUM and DRIVER):
        print("chromium is not installed: nothing is measured", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as profile:
        folder = Path(place)
        masks = write_scenes(folder, max(TARGET))
        with chromium(Path(profile)) as browser:
            return [f for count in TARGET for f in measure(browser, folder, masks, count)]


def measure(browser, folder: Path, masks: list[bytes], count: int) -> Iterator[Figure]:
    """Paint a few strokes on the last of `count` painted images; yield the waiting times."""
    place = folder / "segboost-label" / "masks"
    place.mkdir(parents=True, exist_ok=True)
    for k in range(count):
        (place / f"scene_{k:02d}.png").write_bytes(masks[k])
    with serving(folder) as address:
        browser.get(address)
        script = "return Number(document.querySelectorAll('#images li').length)"
        until(lambda: browser.execute_script(script) == max(TARGET))
        until(lambda: "features" not in notice(browser))
        row = browser.find_elements("css selector", "#images li button")[count - 1]
        row.click()
        until(lambda: data(browser, "drawn"))
        waits = [stroke(browser, k) for k in range(STROKES)]
        browser.get("about:blank")
    shown = " ".join(f"{wait:.2f}" for wait in waits)
    print(f"{count} painted images, waits in seconds: {shown}", file=sys.stderr, flush=True)
    name = f"median wait of {STROKES} strokes, {count} painted images"
    yield at_most(name, float(np.median(waits)), TARGET[count], "s")
    longest = float(np.quantile(waits, 0.9))
    yield Figure(f"90 % of the waits are shorter, {count} painted images", longest, "s")


def stroke(browser, k: int) -> float:
    """Paint one stroke; return the seconds from pointer-up to the drawn prediction."""
    from selenium.webdriver import ActionChains

    before = data(browser, "drawn")
    canvas = browser.find_element("id", "canvas")
    drag = ActionChains(browser, duration=20).move_to_element_with_offset(
        canvas, -150 + 17 * k, -120 + 20 * k
    )
    drag.click_and_hold().move_by_offset(60, 10).move_by_offset(60, -10).release().perform()
    until(lambda: data(browser, "drawn") not in ("", before))
    return float(data(browser, "wait")) / 1000


def data(browser, name: str) -> str:
    return browser.execute_script(f"return document.body.dataset.{name} || ''")


def notice(browser) -> str:
    return browser.execute_script(
        "const notice = document.getElementById('training-message').textContent;"
        "return document.body.dataset.superpixels ? notice : 'features'"
    )


def write_scenes(folder: Path, count: int) -> list[bytes]:
    """Write scenes as PNG files; return their strokes as mask files."""
    from segboost.datasets import load_synthetic
    from segboost.label.masks import encode_mask

    masks = []
    for k, item in enumerate(load_synthetic(count, 0, height=HEIGHT, width=WIDTH).train):
        Image.fromarray(item.image()).save(folder / f"scene_{k:02d}.png")
        masks.append(encode_mask(scribble(item.mask())))
    return masks
