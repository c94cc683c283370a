"""Start ``segboost label`` in a process and drive its page in a browser."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time

import numpy as np
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from segboost.datasets.images.masks import read_mask
from tests.browser import requests
from tests.label.folders import HEIGHT, WIDTH, scenes

PATIENCE = 240
"""Seconds that a loaded machine may take for a step."""


class Server:
    """``segboost label`` in a separate process."""

    def __init__(self, folder, settings):
        self.folder = folder
        code = "from segboost.cli.main import main; main()"
        command = [sys.executable, "-c", code, "label", str(folder), "--config", str(settings)]
        self.process = subprocess.Popen(
            [*command, "--jobs", "1", "--no-browser"], stdout=subprocess.PIPE, text=True
        )
        self.address = self.process.stdout.readline().split()[-1]

    def mask(self, name):
        return read_mask(self.folder / "segboost-label" / "masks" / f"{name}.png", "index")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def until(condition):
    """Wait until a condition holds; exceptions while the page changes count as false."""
    end = time.monotonic() + PATIENCE
    error = None
    while time.monotonic() < end:
        try:
            if found := condition():
                return found
        except Exception as raised:
            error = raised
        time.sleep(0.2)
    raise AssertionError(f"the condition was not met in time: {error}")


def data(browser, name):
    return browser.execute_script(f"return document.body.dataset.{name} || ''")


def opened(browser, server, name=None):
    """Open the page, and an image of the list if one is named; return the key of the image."""
    browser.get(server.address)
    until(lambda: data(browser, "superpixels"))
    if name is None:
        return data(browser, "superpixels")
    return choose(browser, name)


def row(browser, name):
    while True:  # the page may draw the list again while it is read
        rows = browser.find_elements(By.CSS_SELECTOR, "#images li")
        with contextlib.suppress(StaleElementReferenceException):
            return next(r for r in rows if r.find_element(By.TAG_NAME, "b").text == name)


def choose(browser, name):
    def open_row():
        found = row(browser, name)
        key = found.get_attribute("data-key")
        found.find_element(By.TAG_NAME, "button").click()
        return key

    key = until(open_row)
    until(lambda: data(browser, "superpixels") == key)
    return key


def press(browser, *keys):
    ActionChains(browser, duration=0).send_keys(*keys).perform()


def stroke(browser, start, end):
    """Drag from one pixel of the image to another; the image is centred on the canvas."""
    canvas = browser.find_element(By.ID, "canvas")
    box = canvas.rect
    scale = min(box["width"] / WIDTH, box["height"] / HEIGHT) * 0.97
    x, y = ((p - s / 2) * scale for p, s in zip(start, (WIDTH, HEIGHT), strict=True))
    dx, dy = ((b - a) * scale for a, b in zip(start, end, strict=True))
    drag = ActionChains(browser, duration=30).move_to_element_with_offset(canvas, x, y)
    drag.click_and_hold().move_by_offset(dx / 2, dy / 2).move_by_offset(dx / 2, dy / 2).release()
    drag.perform()


def saved(browser):
    until(lambda: data(browser, "saved") == "true")


def click(browser, name):
    browser.find_element(By.ID, name).click()


def inside(value, k=0):
    """Return two points of a class: the line between them is far from the other class."""
    from scipy import ndimage

    region = scenes(4)[k].mask() == value
    depth = ndimage.distance_transform_edt(np.pad(region, 1))[1:-1, 1:-1]
    row, column = np.unravel_index(np.argmax(depth), depth.shape)
    reach = int(depth.max() * 0.6)
    return (column - reach, row), (column + reach, row)


def check_quiet(browser, server):
    """Check that the page logged no error and contacted no other server."""
    bad = [e["message"] for e in browser.get_log("browser") if "409" not in e["message"]]
    assert bad == []
    asked = requests(browser)
    assert asked
    hosts = {url.split("/")[2] for url in asked if url.startswith("http")}
    assert hosts == {server.address.split("/")[2]}
