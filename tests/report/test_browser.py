"""A report in a real browser, without a screen: it renders, sorts and filters, says nothing in the console, asks for nothing, and is accessible."""

import json
import shutil

import pytest

from benchmarks.insight import small
from spacy_mtl.report import make_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1200,900",
)  # fmt: skip
#: Seconds for axe on a machine that does much besides.
PATIENCE = 180
pytestmark = [
    pytest.mark.skipif(not (CHROMIUM and CHROMEDRIVER), reason="needs Chromium and its chromedriver"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    driver.set_script_timeout(PATIENCE)
    yield driver
    driver.quit()


@pytest.fixture(scope="module", params=["mtl_ner", "mtl_parser"])
def page(request, browser, tmp_path_factory):
    nlp = small.trained(request.param, "MTLStruct", 3)
    report = make_report(nlp, small.read(request.param, nlp, "dev")[:30], train=small.read(request.param, nlp))
    report.save(path := tmp_path_factory.mktemp("page") / "report.html")
    browser.get(path.as_uri())
    return browser


def column(browser, table, number):
    """The cells of a column of a table that are shown."""
    script = (
        "return Array.from(document.querySelectorAll(arguments[0] + ' tbody tr')).filter(r => !r.hidden)"
        ".map(r => r.cells[arguments[1]].textContent.trim())"
    )
    return browser.execute_script(script, table, number)


def test_console_is_silent_and_nothing_is_asked_for(page):
    assert page.get_log("browser") == []
    assert page.title.endswith(": report")
    asked = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    urls = {entry["params"]["request"]["url"] for entry in asked if entry["method"] == "Network.requestWillBeSent"}
    assert any(url.startswith("file://") for url in urls)  # the page itself, so requests are recorded
    assert not [url for url in urls if url.startswith(("http", "ws", "ftp"))]


def test_a_table_sorts_both_ways_by_mouse_and_by_keyboard(page):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    table = "#c1-table"
    heads = page.find_elements(By.CSS_SELECTOR, f"{table} th[aria-sort]")
    texts = [head.text.split()[0] for head in heads]
    features, template = texts.index("features"), texts.index("template")
    number = page.execute_script("return arguments[0].cellIndex", heads[features])
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", heads[features])
    heads[features].find_element(By.TAG_NAME, "button").click()
    values = [int(value.replace(",", "")) for value in column(page, table, number)]
    assert heads[features].get_attribute("aria-sort") == "descending"
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 1
    heads[features].find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    assert heads[features].get_attribute("aria-sort") == "ascending"
    assert [int(value.replace(",", "")) for value in column(page, table, number)] == sorted(values)
    heads[template].find_element(By.TAG_NAME, "button").send_keys(Keys.SPACE)
    names = column(page, table, 0)
    assert names == sorted(names, key=str.lower)
    assert heads[features].get_attribute("aria-sort") == "none"


def test_a_table_filters(page):
    from selenium.webdriver.common.by import By

    field = page.find_element(By.CSS_SELECTOR, "input[data-filter='c1-table']")
    everything = column(page, "#c1-table", 1)
    wanted = everything[0][:4]
    field.send_keys(wanted.upper())
    shown = column(page, "#c1-table", 1)
    rows = [row for row in everything if wanted.lower() in row.lower()]
    assert set(rows) <= set(shown)
    assert page.find_element(By.CSS_SELECTOR, "output[data-count='c1-table']").text == f"{len(shown)} shown"
    field.clear()
    field.send_keys("nothing like this")
    assert column(page, "#c1-table", 1) == []
    field.clear()
    field.send_keys(" \b")
    assert len(column(page, "#c1-table", 1)) == len(everything)


def violations(page):
    from axe_core_python.selenium import Axe

    only = {"resultTypes": ["violations"]}  # what is right is found as well, but not described
    found = Axe().run(page, options=only)["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(page, scheme):
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    background = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    assert violations(page) == []


def test_it_fits_a_phone(page):
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390
        assert violations(page) == []
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_it_prints_on_a_few_pages(page):
    """Tables that scroll on a screen are whole on paper."""
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        heights = page.execute_script(
            "return Array.from(document.querySelectorAll('.tall')).map(e => [e.scrollHeight, e.clientHeight])"
        )
        assert heights
        assert all(whole <= shown + 1 for whole, shown in heights)
        assert page.execute_script("return getComputedStyle(document.querySelector('nav')).display") == "none"
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen"})
