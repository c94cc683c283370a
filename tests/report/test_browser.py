"""The page in a real browser: errors, pictures, slider, keyboard, phone width and dark mode."""

from __future__ import annotations

import pytest

pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser import PHONE, chromium, needs_chromium, requests, widths

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def opened(browser, page):
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    prefer(browser, "light")
    browser.get(page.as_uri())
    return browser


def opacity(card, layer):
    return float(card.find_element(By.CSS_SELECTOR, layer).value_of_css_property("opacity"))


def colours(browser):
    code = "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor];"
    return browser.execute_script(code)


def prefer(browser, scheme):
    # Without smooth scrolling, which would move the target of a click.
    names = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in names.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def test_no_errors_and_no_requests(opened):
    assert opened.get_log("browser") == []
    asked = requests(opened)
    assert asked
    assert not any(url.startswith("http") for url in asked)


def test_all_pictures_load(opened):
    code = "return [...document.images].map(i => i.complete && i.naturalWidth > 0)"
    loaded = opened.execute_script(code)
    assert len(loaded) == 6 * 5
    assert all(loaded)


def test_the_slider_goes_from_image_to_prediction_to_truth(opened):
    card = opened.find_element(By.CSS_SELECTOR, ".card")
    slider = card.find_element(By.CSS_SELECTOR, ".wipe")
    assert (opacity(card, ".prediction"), opacity(card, ".truth")) == (1, 0)
    slider.send_keys(Keys.HOME)
    assert (opacity(card, ".prediction"), opacity(card, ".truth")) == (0, 0)
    slider.send_keys(Keys.END)
    assert (opacity(card, ".prediction"), opacity(card, ".truth")) == (0, 1)
    slider.send_keys(Keys.ARROW_LEFT * 5)
    assert 0 < opacity(card, ".prediction") < opacity(card, ".truth") < 1
    card.find_element(By.CSS_SELECTOR, '.steps button[data-step="1"]').click()
    assert opacity(card, ".prediction") == 1
    assert slider.get_attribute("aria-valuetext") == "prediction"


def test_one_slider_moves_all_and_errors_can_be_hidden(opened):
    cards = opened.find_elements(By.CSS_SELECTOR, ".card")
    assert all(opacity(card, ".errors") == 1 for card in cards)
    opened.find_element(By.CSS_SELECTOR, ".show-errors").click()
    assert all(opacity(card, ".errors") == 0 for card in cards)
    opened.find_element(By.CSS_SELECTOR, ".every").send_keys("3")
    assert all(opacity(card, ".truth") == 1 for card in cards)


def test_everything_can_be_reached_by_keyboard(opened):
    body = opened.find_element(By.TAG_NAME, "body")
    reached = set()
    for _ in range(120):
        body.send_keys(Keys.TAB)
        active = opened.switch_to.active_element
        reached.add(active.get_attribute("class") or active.get_attribute("id") or active.tag_name)
        body = active
    assert {"theme", "wipe", "every", "show-errors", "bars", "summary", "skip"} <= reached


def test_the_columns_describe_their_images(opened):
    bars = opened.find_element(By.CSS_SELECTOR, ".bars")
    told = opened.find_element(By.CSS_SELECTOR, ".told")
    bars.send_keys(Keys.ARROW_RIGHT)
    first = told.text
    bars.send_keys(Keys.END)
    assert "% correct" in first
    assert told.text != first
    assert bars.get_attribute("aria-valuenow") == "6"


def test_a_phone_needs_no_horizontal_scrolling(opened, page):
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    opened.get(page.as_uri())
    opened.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    width, screen = widths(opened)
    assert screen == 390
    assert width <= screen


def test_dark_and_light_by_the_system_and_by_the_button(opened):
    light = colours(opened)
    prefer(opened, "dark")
    dark = colours(opened)
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    opened.find_element(By.ID, "theme").click()
    assert colours(opened) == light
    opened.find_element(By.ID, "theme").click()
    assert colours(opened) == dark
