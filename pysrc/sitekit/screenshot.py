"""The README's picture: a lesson's cell that has just run, in the built site."""

from __future__ import annotations

from playwright.sync_api import sync_playwright

from sitekit.paths import DOCS, ROOT
from sitekit.provision.chromium import find_chromium
from sitekit.static_server import serving

PICTURE = DOCS / "assets" / "figures" / "lesson.png"
SITE = ROOT / "build" / "site"
PAGE, CELL = "lessons/counting-operations/", "#cell-timer"


def main(arguments: list[str]) -> int:
    """`sitekit screenshot`: run a cell in Chromium and take its picture."""
    del arguments
    with serving(SITE) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_chromium()))
        page = browser.new_page(viewport={"width": 1000, "height": 700})
        page.goto(url + PAGE)
        page.locator(CELL).locator("button[data-action=more]").click()
        page.locator(CELL).locator("button[data-action=run-above]").click()
        before = page.locator("#cell-predict").and_(page.locator("[data-state=done]"))
        before.wait_for(timeout=120_000)
        page.locator(CELL).locator("button[data-action=more]").click()
        page.locator(CELL).locator("button[data-action=run]").click()
        page.locator(CELL).and_(page.locator("[data-state=done]")).wait_for(timeout=120_000)
        # Downwards: going up would show the theme's "Back to top".
        page.evaluate("scrollTo(0, 0)")
        page.locator(CELL).evaluate("cell => scrollTo(0, cell.offsetTop - 140)")
        page.mouse.move(0, 0)
        page.screenshot(path=PICTURE)
        browser.close()
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size:,} bytes")
    return 0
