"""After one visit everything visited works without a network; with one, today's page is shown."""

import os
import shutil
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sitekit.static_server import StaticHandler, serving

from .conftest import LESSON, Site, Visitor, cell, run, wait_for, write_code
from .test_navigation import go
from .test_second_visit import keep_snapshot

KEPT_PACKS = (
    "caches.open('napkin-runtime').then(cache => cache.keys())"
    ".then(keys => keys.map(({url}) => url).filter(url => url.endsWith('.pack')))"
)


def controlled(page: Page) -> None:
    """Wait until the service worker answers for this page."""
    page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=30_000)


@pytest.mark.parametrize("kind", ["site", "cdn_site"])
def test_visited_pages_and_python_work_without_a_network(
    visitor: Visitor, kind: str, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(kind)
    visitor.allow("net::ERR|Failed to load resource|Failed to fetch|NetworkError")
    page = visitor.page
    page.goto(site.url)
    controlled(page)
    keep_snapshot(page, site.url, files=7)
    # A lesson with NumPy that is read only, after all was kept for a page without.
    go(page, "Counting operations")
    wait_for(page, KEPT_PACKS + ".then(packs => packs.some(url => url.includes('numpy')))")
    visitor.context.set_offline(True)
    page.reload()
    expect(page.locator("h1")).to_contain_text("Counting operations")
    write_code(cell(page), "import numpy as np\nprint(float(np.ones(3) @ np.ones(3)))")
    assert run(cell(page)) == "3.0\n"
    page.goto(site.url)
    expect(page.locator("h1")).to_contain_text("Napkin")
    page.goto(site.url + "changes/")
    expect(page.locator("h1")).to_contain_text("No network")
    expect(page.get_by_role("link", name=LESSON)).to_be_visible()


def test_a_used_calculator_draws_its_chart_without_a_network(visitor: Visitor, site: Site) -> None:
    visitor.allow("net::ERR|Failed to load resource|Failed to fetch|NetworkError")
    page = visitor.page
    page.goto(site.lesson)
    controlled(page)
    keep_snapshot(page, site.lesson)
    page.goto(site.url + "tools/kv-cache/")
    context = page.locator("napkin-calculator [name=context]")
    mark = page.locator("[data-chart] [data-point] title", has_text="your context: ")
    context.fill("8k")
    expect(mark).to_have_text("your context: 8k tokens, 1.05 GB", timeout=60_000)
    visitor.context.set_offline(True)
    page.reload()
    context.fill("16k")
    expect(mark).to_have_text("your context: 16k tokens, 2.1 GB", timeout=60_000)


class LastingHandler(StaticHandler):
    """Lets browsers take all it sends to be good for ten minutes, as GitHub Pages does."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


def test_an_updated_site_shows_on_the_next_load(
    visitor: Visitor, built_site: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "site"
    shutil.copytree(built_site, copy, ignore=shutil.ignore_patterns("pyodide", "*.pack"))
    page = visitor.page
    with serving(copy, LastingHandler) as url:
        page.goto(url + "changes/")
        controlled(page)
        page.reload()
        html = copy / "changes/index.html"
        publish(html, "newest first", "NEWEST TODAY", seconds=5)
        # What a page needs besides itself: it may have been renamed, and the rest must know.
        scripts = copy / "assets/js"
        publish(scripts / "course.js", "./lib/offline.js", "./lib/renamed.js", seconds=5)
        (scripts / "lib/renamed.js").write_text(
            "export const workOffline = () => (document.body.dataset.version = 'today');", "utf-8"
        )
        publish(copy / "assets/runtime/config.js", '"version": "', '"version": "today-', seconds=5)
        page = visitor.context.new_page()
        page.goto(url + "changes/")
        expect(page.locator("article")).to_contain_text("NEWEST TODAY")
        expect(page.locator("body")).to_have_attribute("data-version", "today")
        config = "import('/napkin/assets/runtime/config.js').then(m => m.default.version)"
        assert page.evaluate(config).startswith("today-")
        # And by instant navigation, which fetches pages itself.
        page.goto(url)
        publish(html, "NEWEST TODAY", "EVEN NEWER", seconds=10)
        page.get_by_role("link", name="Changes", exact=True).first.click()
        expect(page.locator("article")).to_contain_text("EVEN NEWER")


def publish(file: Path, old: str, new: str, *, seconds: int) -> None:
    """Change a file, `seconds` from now: a server tells a file's age in whole seconds."""
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    later = time.time() + seconds
    os.utime(file, (later, later))
