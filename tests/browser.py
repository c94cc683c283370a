"""Headless Chromium for tests of the HTML pages."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_chromium = pytest.mark.skipif(
    not (CHROMIUM and DRIVER),
    reason="chromium is not installed: apt-get install chromium chromium-driver",
)
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
"""A phone's screen, for `Emulation.setDeviceMetricsOverride`."""


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """Start a browser that keeps its logs and its profile in a folder; end it afterwards."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1280,900",
        f"--user-data-dir={profile}",
        # The sandbox needs a user who is not root.
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def widths(browser: Any) -> tuple[int, int]:
    """Return the widths of the page and of the screen."""
    root = "document.documentElement"
    page, screen = browser.execute_script(f"return [{root}.scrollWidth, {root}.clientWidth]")
    return page, screen


def requests(browser: Any) -> list[str]:
    """Return the URLs that the page has requested since the last call."""
    messages = [json.loads(e["message"])["message"] for e in browser.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return [params["request"]["url"] for params in sent]
