"""A folder of scenes, its server and a browser, for the tests that drive the page."""

from __future__ import annotations

import signal

import pytest

from tests.browser import chromium
from tests.label.folders import tiny_settings, write_images


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser") / "images"
    write_images(folder, 4)
    (folder / "broken.png").write_bytes(b"no image")
    return folder


@pytest.fixture(scope="module")
def server(place):
    from tests.label.driving import Server

    server = Server(place, tiny_settings(place.parent / "settings.json"))
    yield server
    if server.process.poll() is None:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 0


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from tests.label.driving import PATIENCE

    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        driver.set_page_load_timeout(PATIENCE)
        driver.set_script_timeout(PATIENCE)
        yield driver
