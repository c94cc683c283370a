"""Live prediction, classes, tools, view and export in a real browser."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("uvicorn", reason="the extra label is not installed")
pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from segboost.datasets.images.masks import read_values
from tests.browser import PHONE, needs_chromium, widths
from tests.label.driving import (
    check_quiet,
    choose,
    click,
    data,
    inside,
    opened,
    press,
    saved,
    stroke,
    until,
)

pytestmark = [pytest.mark.slow, needs_chromium]


def values(server, name):
    return read_values(server.folder / "segboost-label" / "masks" / f"{name}.png").values


def text(browser, name):
    return browser.find_element(By.ID, name).text


def delay_state(browser):
    """Delay every response about the server's state, so that it may predate a click."""
    browser.execute_script(
        "const ask = window.fetch; window.fetch = async (address, options) => {"
        "  const answer = await ask(address, options);"
        "  const late = new Promise((go) => setTimeout(go, 1500));"
        "  if (String(address).includes('api/state')) await late;"
        "  return answer; }"
    )


def test_the_prediction_follows_every_stroke(browser, server):
    opened(browser, server, "scene_0.png")
    before_painting = browser.find_element(By.ID, "canvas").rect
    press(browser, "f")
    stroke(browser, *inside(1, 0))
    saved(browser)
    until(lambda: "paint two classes" in text(browser, "prediction-message"))
    assert "paint background" in text(browser, "training-message") or "features" in text(
        browser, "training-message"
    )
    press(browser, "b")
    stroke(browser, *inside(0, 0))
    until(lambda: data(browser, "drawn").startswith("live"))
    assert data(browser, "source") == "live"
    assert "live model" in text(browser, "prediction-message")
    assert browser.find_element(By.ID, "canvas").rect == before_painting  # nothing moved
    first = data(browser, "drawn")
    stroke(browser, (5, 5), (60, 5))
    until(lambda: data(browser, "drawn") not in ("", first))
    click(browser, "accept")
    saved(browser)
    until(lambda: not (server.mask("scene_0") == 255).any())
    assert set(np.unique(server.mask("scene_0"))) == {0, 1}
    click(browser, "undo")
    saved(browser)


def test_a_third_class_is_added_renamed_painted_and_removed(browser, server):
    opened(browser, server, "scene_0.png")
    click(browser, "classes-open")
    click(browser, "class-add")
    press(browser, "wheel", Keys.ENTER)
    until(lambda: "wheel" in text(browser, "classes"))
    click(browser, "classes-open")
    field = browser.find_elements(By.CSS_SELECTOR, "#class-rows input[type=text]")[2]
    field.clear()
    field.send_keys("tyre")
    up = browser.find_elements(By.CSS_SELECTOR, "#class-rows li")[2]
    up.find_element(By.CSS_SELECTOR, "button").click()  # one place up
    click(browser, "class-apply")
    until(lambda: "tyre" in text(browser, "classes"))
    names = [s.text for s in browser.find_elements(By.CSS_SELECTOR, "#classes span")]
    assert names == ["foreground", "tyre", "background", "Erase"]
    press(browser, "2")
    until(lambda: data(browser, "tool") == "tyre")
    before = data(browser, "drawn")
    delay_state(browser)  # the page does not know of its last stroke when the class is removed
    stroke(browser, (70, 60), (90, 60))
    saved(browser)
    assert (values(server, "scene_0")[60, 75:88] == 2).all()
    until(lambda: data(browser, "drawn") not in ("", before))  # three classes live
    click(browser, "classes-open")
    browser.find_elements(By.CSS_SELECTOR, "#class-rows li")[1].find_elements(
        By.TAG_NAME, "button"
    )[2].click()
    click(browser, "class-apply")
    until(lambda: "will become void" in text(browser, "class-message"))
    assert (values(server, "scene_0") == 2).any()  # not before confirmation
    click(browser, "class-apply")
    until(lambda: "tyre" not in text(browser, "classes"))
    assert not (values(server, "scene_0") == 2).any()
    assert (values(server, "scene_0") == 1).any()
    kept = json.loads((server.folder / "segboost-label" / "classes.json").read_text())
    assert [c["name"] for c in kept["classes"]] == ["foreground", "background"]
    until(lambda: data(browser, "superpixels"))


def halves(browser):
    """Return the mean values of two squares, left and right of the middle, read from a copy."""
    return browser.execute_script(
        "const c = document.getElementById('canvas'), o = new OffscreenCanvas(2, 1);"
        "const copy = o.getContext('2d', { willReadFrequently: true });"
        "for (const k of [0, 1]) copy.drawImage("
        "  c, c.width / 2 + (k ? 20 : -60), c.height / 2 - 20, 40, 40, k, 0, 1, 1);"
        "const [a, b, d, , e, f, g] = copy.getImageData(0, 0, 2, 1).data;"
        "return [(a + b + d) / 3, (e + f + g) / 3]"
    )


def test_contrast_stretching_changes_the_picture(browser, server):
    dark = np.zeros((72, 96), np.uint8)
    dark[:, 48:] = 16
    Image.fromarray(dark).save(server.folder / "dark.png")
    opened(browser, server, "scene_0.png")

    stretch = browser.find_element(By.ID, "stretch")
    assert not stretch.is_selected()
    choose(browser, "dark.png")
    press(browser, "p")  # hide the prediction, which may come at any time
    until(lambda: max(halves(browser)) > 200)  # stretched automatically, because it is dark
    black, white = halves(browser)
    assert black < 20
    assert white > 235
    press(browser, "c")
    until(lambda: max(halves(browser)) < 30)
    black, grey = halves(browser)
    assert (round(black, -1), round(grey, -1)) == (0, 20)  # as the file has it: 0 and 16
    press(browser, "c")
    until(lambda: max(halves(browser)) > 200)
    press(browser, "c", "p")
    choose(browser, "scene_0.png")
    assert not stretch.is_selected()
    (server.folder / "dark.png").unlink()


def test_lasso_polygon_box_and_fill_paint(browser, server):
    opened(browser, server, "scene_3.png")
    path = server.folder / "segboost-label" / "masks" / "scene_3.png"
    canvas = browser.find_element(By.ID, "canvas")
    press(browser, "x", "f")
    stroke(browser, (20, 20), (70, 50))
    saved(browser)
    mask = values(server, "scene_3")
    assert (mask[35, 45], mask[22, 22]) == (1, 255)
    assert 0 in mask[35, 71:76]  # the other class surrounds the box
    click(browser, "undo")
    saved(browser)
    assert not path.exists()
    press(browser, "l")
    lasso = ActionChains(browser, duration=20).move_to_element_with_offset(canvas, -60, -60)
    lasso.click_and_hold()
    for dx, dy in ((120, 0), (0, 120), (-120, 0)):
        lasso.move_by_offset(dx, dy)
    lasso.release().perform()
    saved(browser)
    assert values(server, "scene_3")[36, 48] == 1
    click(browser, "undo")
    press(browser, "g")
    saved(browser)
    for x, y in ((-60, -60), (60, -60), (60, 60)):
        ActionChains(browser, duration=0).move_to_element_with_offset(
            canvas, x, y
        ).click().perform()
    press(browser, Keys.ENTER)
    saved(browser)
    mask = values(server, "scene_3")
    assert 0.3 < (mask == 1).sum() / (values_area(browser) or 1) < 0.7
    click(browser, "undo")
    press(browser, "i", *"]" * 30)
    saved(browser)
    stroke(browser, (48, 36), (48, 36))
    saved(browser)
    assert (values(server, "scene_3") == 1).mean() > 0.5  # everything is similar enough
    click(browser, "undo")
    press(browser, "r")
    saved(browser)
    assert not path.exists()


def values_area(browser):
    """Return how many image pixels a square of 120 by 120 screen pixels covers."""
    box = browser.find_element(By.ID, "canvas").rect
    return (120 / (min(box["width"] / 96, box["height"] / 72) * 0.97)) ** 2


def test_the_keyboard_alone_is_enough(browser, server):
    opened(browser, server, "scene_3.png")
    browser.execute_script("document.getElementById('canvas').focus()")
    press(browser, "1", Keys.ENTER)
    saved(browser)
    assert values(server, "scene_3")[36, 48] == 1
    right = ActionChains(browser, duration=0).key_down(Keys.SHIFT)
    for _ in range(12):
        right.send_keys(Keys.ARROW_RIGHT)
    right.key_up(Keys.SHIFT).send_keys("2", Keys.ENTER).perform()
    saved(browser)
    assert (values(server, "scene_3") == 0).any()
    click(browser, "undo")
    click(browser, "undo")
    saved(browser)


def test_all_images_are_exported(browser, server):
    opened(browser, server, "scene_0.png")
    delay_state(browser)
    click(browser, "export-open")
    for name in ("predictions", "objects"):
        browser.find_element(By.CSS_SELECTOR, f"#export-form input[name={name}]").click()
    click(browser, "export-go")
    until(lambda: data(browser, "export") == "done")
    until(lambda: "objects.csv" in text(browser, "exported-message"))
    assert "Copy" in text(browser, "exported-message")
    place = server.folder / "segboost-label" / "predictions"
    stems = [f"scene_{k}.png" for k in range(4)]
    for folder in ("masks", "probabilities", "overlays"):
        assert sorted(p.name for p in (place / folder).iterdir()) == stems
    found = read_values(place / "masks" / "scene_0.png").values
    painted = values(server, "scene_0")
    assert np.array_equal(found[painted != 255], painted[painted != 255])
    assert set(np.unique(found)) <= {0, 1}
    coco = json.loads((place / "objects.coco.json").read_text())
    assert [i["file_name"] for i in coco["images"]] == stems
    rows = (place / "objects.csv").read_text().splitlines()
    assert len(rows) == 1 + len(coco["annotations"])
    click(browser, "export-close")


def test_a_phone_and_a_dark_screen_show_everything(browser, server):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    opened(browser, server)
    browser.find_element(By.CSS_SELECTOR, "#view-panel summary").click()
    until(browser.find_element(By.ID, "contrast").is_displayed)
    width, screen = widths(browser)
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    tall = browser.find_element(By.ID, "canvas").rect["height"]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert width <= screen == 390
    assert tall > 220
    assert ground == "rgb(17, 20, 23)"


def test_no_errors_and_no_requests_to_other_hosts(browser, server):
    check_quiet(browser, server)
