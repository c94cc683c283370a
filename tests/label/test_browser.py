"""The whole way in a real browser: paint, undo, reload, train, look, accept, export, segment."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("uvicorn", reason="the extra label is not installed")
pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from tests.browser import PHONE, chromium, needs_chromium, requests, widths
from tests.label.driving import (
    PATIENCE,
    Server,
    choose,
    click,
    data,
    inside,
    opened,
    press,
    row,
    saved,
    stroke,
    until,
)
from tests.label.folders import HEIGHT, WIDTH, scenes, tiny_settings, write_images

pytestmark = [pytest.mark.slow, needs_chromium]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser") / "images"
    write_images(folder, 4)
    (folder / "broken.png").write_bytes(b"no image")
    return folder


@pytest.fixture(scope="module")
def server(place):
    server = Server(place, tiny_settings(place.parent / "settings.json"))
    yield server
    if server.process.poll() is None:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 0


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        driver.set_page_load_timeout(PATIENCE)
        driver.set_script_timeout(PATIENCE)
        yield driver


def test_paint_undo_redo_erase_and_reload(browser, server):
    opened(browser, server, "scene_0.png")
    press(browser, "f", "[", "[", "[", "[")
    stroke(browser, (20, 20), (60, 20))
    saved(browser)
    first = server.mask("scene_0")
    assert (first[20, 25:55] == 1).all()
    assert not (first == 0).any()
    press(browser, "b")
    stroke(browser, (20, 50), (60, 50))
    saved(browser)
    both = server.mask("scene_0")
    assert (both[50, 25:55] == 0).all()
    click(browser, "undo")
    saved(browser)
    assert np.array_equal(server.mask("scene_0"), first)
    click(browser, "redo")
    saved(browser)
    assert np.array_equal(server.mask("scene_0"), both)
    press(browser, "e")
    stroke(browser, (40, 10), (40, 60))
    saved(browser)
    assert server.mask("scene_0")[20, 40] == 255
    for _ in range(3):  # to the beginning
        click(browser, "undo")
    saved(browser)
    assert not (server.folder / "segboost-label" / "masks" / "scene_0.png").exists()
    assert not browser.find_element(By.ID, "undo").is_enabled()
    for _ in range(2):
        click(browser, "redo")
    saved(browser)
    browser.refresh()
    until(lambda: data(browser, "superpixels"))
    until(lambda: row(browser, "scene_0.png").get_attribute("data-state") == "painted")
    assert np.array_equal(server.mask("scene_0"), both)


def test_a_superpixel_is_taken_whole(browser, server):
    from segboost.features.superpixels.methods import find_superpixels

    opened(browser, server, "scene_1.png")
    press(browser, "s", "f")
    stroke(browser, (30, 30), (30, 30))
    saved(browser)
    labels = find_superpixels(scenes(4)[1].image())
    assert np.array_equal(server.mask("scene_1") == 1, labels == labels[30, 30])
    click(browser, "undo")
    saved(browser)
    press(browser, "r")


def test_going_to_another_image_ends_the_stroke_on_this_one(browser, server):
    opened(browser, server, "scene_1.png")
    canvas = browser.find_element(By.ID, "canvas")
    press(browser, "f")
    held = ActionChains(browser, duration=30).move_to_element_with_offset(canvas, -40, 0)
    held.click_and_hold().move_by_offset(80, 0).send_keys("j").perform()
    other = row(browser, "scene_2.png").get_attribute("data-key")
    until(lambda: data(browser, "superpixels") == other)
    ActionChains(browser, duration=30).move_by_offset(0, 40).release().perform()
    saved(browser)
    painted = server.mask("scene_1")
    assert painted[HEIGHT // 2, WIDTH // 2] == 1
    assert not (server.folder / "segboost-label" / "masks" / "scene_2.png").exists()
    choose(browser, "scene_1.png")
    click(browser, "undo")  # the history is still there
    saved(browser)
    assert not (server.folder / "segboost-label" / "masks" / "scene_1.png").exists()


def test_the_keyboard_stays_where_it_is_in_the_list(browser, server):
    opened(browser, server, "scene_0.png")
    focused = "return document.activeElement.closest('li')?.dataset.key || ''"
    assert browser.execute_script(focused) == ""  # a click leaves the keyboard to the image
    wanted = row(browser, "scene_2.png")
    browser.execute_script("arguments[0].querySelector('button').focus()", wanted)
    browser.execute_script("performance.clearResourceTimings()")
    asked = "return performance.getEntriesByType('resource').filter(e => /state/.test(e.name))"
    until(lambda: len(browser.execute_script(asked)) >= 3)
    assert browser.execute_script(focused) == wanted.get_attribute("data-key")


def test_two_fingers_zoom_and_one_paints(browser, server):
    opened(browser, server, "scene_2.png")
    box = browser.find_element(By.ID, "canvas").rect
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def touch(kind, *points):
        shown = [{"x": px, "y": py, "id": k} for k, (px, py) in enumerate(points)]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": shown})

    touch("touchStart", (x - 50, y))
    touch("touchStart", (x - 50, y), (x + 50, y))
    touch("touchMove", (x - 100, y), (x + 100, y))
    touch("touchEnd")
    assert not (server.folder / "segboost-label" / "masks" / "scene_2.png").exists()
    press(browser, "f")
    touch("touchStart", (x, y))
    touch("touchMove", (x + 30, y))
    touch("touchEnd")
    saved(browser)
    painted = server.mask("scene_2")
    assert painted[HEIGHT // 2, WIDTH // 2] == 1
    click(browser, "undo")
    saved(browser)


def clean(browser, server, name):
    """Undo the only stroke on an image."""
    click(browser, "undo")
    saved(browser)
    assert not (server.folder / "segboost-label" / "masks" / f"{name}.png").exists()


def test_zoom_pan_and_opacity(browser, server):
    opened(browser, server, "scene_2.png")
    box = browser.find_element(By.ID, "canvas").rect
    scale = min(box["width"] / WIDTH, box["height"] / HEIGHT) * 0.97 * 1.4**2
    press(browser, "f", "+", "+", *"[" * 20)
    canvas = browser.find_element(By.ID, "canvas")
    ActionChains(browser, duration=0).move_to_element_with_offset(canvas, 100, 0).click().perform()
    saved(browser)
    rows, columns = np.nonzero(server.mask("scene_2") == 1)
    assert abs(columns.mean() + 0.5 - (WIDTH / 2 + 100 / scale)) <= 1
    assert abs(rows.mean() + 0.5 - HEIGHT / 2) <= 1
    # With the space bar a drag moves the image, and paints nothing.
    before = server.mask("scene_2")
    drag = ActionChains(browser, duration=0).move_to_element(canvas).key_down(" ")
    drag.click_and_hold().move_by_offset(-100, 0).release().key_up(" ").perform()
    # Read from a copy: the browser warns of canvases that are read again and again.
    pixel = (
        "const c = document.getElementById('canvas'), o = new OffscreenCanvas(1, 1);"
        "const copy = o.getContext('2d', { willReadFrequently: true });"
        "copy.drawImage(c, c.width / 2, c.height / 2, 1, 1, 0, 0, 1, 1);"
        "return [...copy.getImageData(0, 0, 1, 1).data]"
    )
    ActionChains(browser, duration=0).move_to_element_with_offset(canvas, 200, 200).perform()
    until(lambda: browser.execute_script(pixel)[2] > 150)  # the stroke is in the middle now
    press(browser, *"O" * 10)
    image = scenes(4)[2].image()[int(rows.mean()), int(columns.mean())]
    until(lambda: np.abs(np.array(browser.execute_script(pixel)[:3]) - image).max() < 40)
    press(browser, *"o" * 6)
    assert np.array_equal(server.mask("scene_2"), before)
    press(browser, "0", *"]" * 20)
    clean(browser, server, "scene_2")


def test_a_pen_paints_whatever_the_hand_does(browser, server):
    opened(browser, server, "scene_2.png")
    press(browser, "f")
    box = browser.find_element(By.ID, "canvas").rect
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def pen(kind, px, buttons=1):
        event = {"type": kind, "x": px, "y": y, "button": "left", "buttons": buttons}
        event |= {"pointerType": "pen", "clickCount": 1}
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def hand(kind, *points):
        shown = [{"x": px, "y": y + 100, "id": k} for k, px in enumerate(points)]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": shown})

    pen("mousePressed", x - 40)
    hand("touchStart", x)
    hand("touchStart", x, x + 60)
    pen("mouseMoved", x + 40)
    hand("touchEnd")
    pen("mouseReleased", x + 40, 0)
    saved(browser)
    until(lambda: (server.mask("scene_2") == 1)[HEIGHT // 2, WIDTH // 2])
    clean(browser, server, "scene_2")


def test_a_closed_tab_keeps_its_stroke(browser, server):
    opened(browser, server)
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    opened(browser, server, "scene_2.png")
    press(browser, "f")
    canvas = browser.find_element(By.ID, "canvas")
    held = ActionChains(browser, duration=0).move_to_element_with_offset(canvas, -40, 0)
    held.click_and_hold().move_by_offset(80, 0).perform()
    browser.close()
    browser.switch_to.window(first)
    mask = server.folder / "segboost-label" / "masks" / "scene_2.png"
    until(mask.exists)
    assert server.mask("scene_2")[HEIGHT // 2, WIDTH // 2] == 1
    mask.unlink()


def test_two_tabs_do_not_overwrite_each_other(browser, server):
    opened(browser, server, "scene_3.png")
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    second = browser.current_window_handle
    opened(browser, server, "scene_3.png")
    press(browser, "f")
    stroke(browser, (20, 20), (60, 20))
    saved(browser)
    theirs = server.mask("scene_3")
    browser.switch_to.window(first)
    press(browser, "b")
    stroke(browser, (20, 50), (60, 50))
    banner = browser.find_element(By.ID, "banner")
    until(banner.is_displayed)
    assert "another tab" in banner.text
    assert np.array_equal(server.mask("scene_3"), theirs)
    banner.find_element(By.TAG_NAME, "button").click()
    until(lambda: not banner.is_displayed())
    stroke(browser, (20, 50), (60, 50))
    saved(browser)
    both = server.mask("scene_3")
    assert (both[20, 25:55] == 1).all()
    assert (both[50, 25:55] == 0).all()
    browser.switch_to.window(second)
    browser.close()
    browser.switch_to.window(first)
    for _ in range(2):
        press(browser, "e")
    # Nothing of this image, so that what follows learns from true strokes.
    (server.folder / "segboost-label" / "masks" / "scene_3.png").unlink()


def test_a_broken_image_is_shown_as_broken(browser, server):
    opened(browser, server)
    found = row(browser, "broken.png")
    assert found.get_attribute("data-state") == "broken"
    assert "not an image" in found.text
    assert not found.find_element(By.TAG_NAME, "button").is_enabled()


def test_shortcuts_are_shown(browser, server):
    opened(browser, server)
    press(browser, "?")
    dialog = browser.find_element(By.ID, "help")
    until(dialog.is_displayed)
    assert "undo" in dialog.text
    dialog.find_element(By.TAG_NAME, "button").click()
    until(lambda: not dialog.is_displayed())


def test_a_phone_needs_no_scrolling_to_the_side(browser, server):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    opened(browser, server)
    width, screen = widths(browser)
    tall = browser.find_element(By.ID, "canvas").rect["height"]
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert screen == 390
    assert width <= screen
    assert tall > 250


def test_train_see_accept_export_and_segment(browser, server, tmp_path):
    for name, k in (("scene_0.png", 0), ("scene_1.png", 1), ("scene_2.png", 2)):
        mask = server.folder / "segboost-label" / "masks" / f"scene_{k}.png"
        mask.unlink(missing_ok=True)
        opened(browser, server, name)
        for key, value in (("f", 1), ("b", 0)):
            press(browser, key)
            stroke(browser, *inside(value, k))
            saved(browser)
    click(browser, "train")
    until(lambda: data(browser, "training") == "running")
    click(browser, "stop")
    until(lambda: data(browser, "training") == "stopped")
    assert not (server.folder / "segboost-label" / "model").exists()
    click(browser, "train")
    until(lambda: data(browser, "training") == "trained")
    # The image without paint is offered next, and its prediction is there.
    until(lambda: "next" in row(browser, "scene_3.png").get_attribute("class"))
    click(browser, "next")
    until(
        lambda: data(browser, "prediction") == row(browser, "scene_3.png").get_attribute("data-key")
    )
    assert "% uncertain" in browser.find_element(By.ID, "prediction-told").text
    # A correction first: it stays.
    press(browser, "f")
    stroke(browser, *inside(1, 3))
    saved(browser)
    corrected = server.mask("scene_3")
    click(browser, "accept")
    until(lambda: row(browser, "scene_3.png").get_attribute("data-state") == "complete")
    accepted = server.mask("scene_3")
    assert (accepted[corrected == 1] == 1).all()
    assert not (accepted == 255).any()
    click(browser, "export")
    until(browser.find_element(By.ID, "exported").is_displayed)
    told = browser.find_element(By.ID, "exported").text
    assert "4 images" in told
    assert "segboost train --images" in told
    model = server.folder / "segboost-label" / "model"
    code = "from segboost.cli.main import main; main()"
    command = [sys.executable, "-c", code, "segment", "--model", str(model)]
    image = server.folder / "scene_3.png"
    subprocess.run([*command, str(image), "--output", str(tmp_path), "--jobs", "1"], check=True)
    found = np.array(Image.open(tmp_path / "scene_3.png")) == 255
    free = corrected == 255
    assert np.array_equal(found[free], accepted[free] == 1)


def test_no_error_and_no_request_to_elsewhere(browser, server):
    bad = [e["message"] for e in browser.get_log("browser") if "409" not in e["message"]]
    assert bad == []
    asked = requests(browser)
    assert asked
    hosts = {m.split('"url":"')[1].split("/")[2] for m in asked if '"url":"http' in m}
    assert hosts == {server.address.split("/")[2]}


def test_a_killed_server_loses_nothing(browser, server, place):
    opened(browser, server, "scene_0.png")
    press(browser, "b")
    stroke(browser, (10, 66), (80, 66))
    saved(browser)
    painted = server.mask("scene_0")
    server.kill()
    banner = browser.find_element(By.ID, "banner")
    until(banner.is_displayed)  # before anything is painted that could not be saved
    assert "does not answer" in banner.text
    undo = browser.find_element(By.ID, "undo")
    click(browser, "undo")
    stroke(browser, (10, 5), (80, 5))
    assert undo.is_enabled()  # neither was taken: one stroke is still to be undone
    assert not browser.find_element(By.ID, "redo").is_enabled()
    assert browser.execute_script("return document.getElementById('saved').textContent") == (
        "waiting for the server"
    )
    again = Server(place, place.parent / "settings.json")
    try:
        assert np.array_equal(again.mask("scene_0"), painted)
        opened(browser, again, "scene_0.png")
        until(lambda: row(browser, "scene_0.png").get_attribute("data-state") == "painted")
    finally:
        again.kill()
