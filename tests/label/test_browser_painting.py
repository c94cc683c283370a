"""Painting in a real browser: brushes, undo and redo, pointers, zoom and the keyboard."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("uvicorn", reason="the extra label is not installed")
pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from tests.browser import needs_chromium
from tests.label.driving import (
    check_quiet,
    choose,
    click,
    data,
    opened,
    press,
    row,
    saved,
    stroke,
    until,
)
from tests.label.folders import HEIGHT, WIDTH, scenes

pytestmark = [pytest.mark.slow, needs_chromium]


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


def test_a_click_paints_a_whole_superpixel(browser, server):
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
    click(browser, "undo")  # the history is kept
    saved(browser)
    assert not (server.folder / "segboost-label" / "masks" / "scene_1.png").exists()


def test_keyboard_focus_stays_in_the_list(browser, server):
    opened(browser, server, "scene_0.png")
    focused = "return document.activeElement.closest('li')?.dataset.key || ''"
    assert browser.execute_script(focused) == ""  # after a click the image has the focus
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
    # With the space bar held, a drag moves the image and paints nothing.
    before = server.mask("scene_2")
    drag = ActionChains(browser, duration=0).move_to_element(canvas).key_down(" ")
    drag.click_and_hold().move_by_offset(-100, 0).release().key_up(" ").perform()
    # Read from a copy: the browser warns about canvases that are read repeatedly.
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


def test_a_pen_paints_while_the_hand_touches_the_screen(browser, server):
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
    painted = server.mask("scene_2")
    scale = min(box["width"] / WIDTH, box["height"] / HEIGHT) * 0.97
    reach = int(40 / scale)
    assert reach >= 2
    # One line from where the pen came down to where it left, and nothing below the hand.
    assert (painted[HEIGHT // 2, WIDTH // 2 - reach : WIDTH // 2 + reach] == 1).all()
    assert (painted[HEIGHT // 2 + int(100 / scale)] == 255).all()
    clean(browser, server, "scene_2")


def test_no_errors_and_no_requests_to_other_hosts(browser, server):
    check_quiet(browser, server)
