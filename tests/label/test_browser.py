"""Tabs, training, export and a killed server, in a real browser."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("uvicorn", reason="the extra label is not installed")
pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from tests.browser import PHONE, needs_chromium, widths
from tests.label.driving import (
    Server,
    check_quiet,
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
from tests.label.folders import HEIGHT, WIDTH

pytestmark = [pytest.mark.slow, needs_chromium]


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
    # Remove the mask, so that later tests learn from correct strokes only.
    (server.folder / "segboost-label" / "masks" / "scene_3.png").unlink()


def test_a_stroke_on_a_deleted_file_is_kept_until_the_file_is_back(browser, server):
    opened(browser, server, "scene_2.png")
    path = server.folder / "scene_2.png"
    away = server.folder.parent / "away.png"
    # The page must not notice before the stroke, or it would refuse it.
    browser.execute_script(
        "const ask = window.fetch; window.held = true; window.fetch = async (address, options) => {"
        "  while (window.held && String(address).includes('api/state'))"
        "    await new Promise((resolve) => setTimeout(resolve, 50));"
        "  return ask(address, options); };"
    )
    path.rename(away)
    press(browser, "f")
    stroke(browser, (20, 20), (60, 20))
    banner = browser.find_element(By.ID, "banner")
    until(lambda: "not saved" in banner.text)
    browser.execute_script("window.held = false")
    # The page is not stuck: another image opens and is saved.
    choose(browser, "scene_3.png")
    until(lambda: not banner.is_displayed())
    stroke(browser, (20, 50), (60, 50))
    saved(browser)
    copy = away.with_name("copy.png")  # another time stamp: the file was replaced
    copy.write_bytes(away.read_bytes())
    copy.rename(path)
    until(lambda: row(browser, "scene_2.png"))
    choose(browser, "scene_2.png")
    until(lambda: "not saved" in banner.text)
    until(lambda: banner.find_element(By.TAG_NAME, "button").click() is None)
    saved(browser)
    assert (server.mask("scene_2")[20, 25:55] == 1).all()
    # Chromium logs every error response; only these are expected.
    messages = [entry["message"] for entry in browser.get_log("browser")]
    assert all("404" in m or "409" in m or "410" in m for m in messages), messages
    for name in ("scene_2", "scene_3"):
        (server.folder / "segboost-label" / "masks" / f"{name}.png").unlink()


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


def test_a_phone_needs_no_horizontal_scrolling(browser, server):
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
    until(lambda: data(browser, "training") not in ("running", "stopped"))
    assert data(browser, "training") == "trained"
    # The unpainted image is offered next, with its prediction.
    until(lambda: "next" in row(browser, "scene_3.png").get_attribute("class"))
    click(browser, "next")
    until(
        lambda: data(browser, "prediction") == row(browser, "scene_3.png").get_attribute("data-key")
    )
    until(lambda: data(browser, "source") == "model")
    assert "trained model · uncertainty" in browser.find_element(By.ID, "prediction-message").text
    # A correction stays. With Live off, the prediction is still that of the trained model.
    click(browser, "live")
    press(browser, "f")
    stroke(browser, *inside(1, 3))
    saved(browser)
    corrected = server.mask("scene_3")
    click(browser, "accept")
    until(lambda: row(browser, "scene_3.png").get_attribute("data-state") == "complete")
    accepted = server.mask("scene_3")
    assert (accepted[corrected == 1] == 1).all()
    assert not (accepted == 255).any()
    click(browser, "export-open")
    click(browser, "export-go")
    notice = browser.find_element(By.ID, "exported-message")
    until(lambda: "segboost segment --model" in notice.text)
    assert "4 images" in notice.text
    assert "--test-fraction 0 --output images-model" in notice.text
    click(browser, "export-close")
    click(browser, "live")
    model = server.folder / "segboost-label" / "model"
    code = "from segboost.cli.main import main; main()"
    command = [sys.executable, "-c", code, "segment", "--model", str(model)]
    image = server.folder / "scene_3.png"
    subprocess.run([*command, str(image), "--output", str(tmp_path), "--jobs", "1"], check=True)
    found = np.array(Image.open(tmp_path / "scene_3.png")) == 255
    free = corrected == 255
    assert np.array_equal(found[free], accepted[free] == 1)


def test_no_errors_and_no_requests_to_other_hosts(browser, server):
    check_quiet(browser, server)


def test_a_killed_server_loses_nothing(browser, server, place):
    opened(browser, server, "scene_0.png")
    press(browser, "b")
    stroke(browser, (10, 66), (80, 66))
    saved(browser)
    painted = server.mask("scene_0")
    server.kill()
    banner = browser.find_element(By.ID, "banner")
    until(banner.is_displayed)  # before a stroke that could not be saved
    assert "is not responding" in banner.text
    undo = browser.find_element(By.ID, "undo")
    click(browser, "undo")
    stroke(browser, (10, 5), (80, 5))
    assert undo.is_enabled()  # neither was accepted: one stroke can still be undone
    assert not browser.find_element(By.ID, "redo").is_enabled()
    assert browser.execute_script("return document.getElementById('saved').textContent") == (
        "waiting for the server"
    )
    again = Server(place, place.parent / "settings.json")
    try:
        assert again.address == server.address
        assert np.array_equal(again.mask("scene_0"), painted)
        # The page that is still open reconnects by itself.
        until(lambda: not banner.is_displayed())
        press(browser, "f")
        stroke(browser, (10, 5), (80, 5))
        saved(browser)
        assert (again.mask("scene_0")[5, 20:70] == 1).all()
        assert undo.is_enabled()
    finally:
        again.kill()
