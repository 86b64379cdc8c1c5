"""Playwright over the built site. A test fails on any console error that it does not expect."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from sitekit.paths import DOCS, ROOT
from sitekit.provision.chromium import find_chromium

from .server import Faults, serve

SITE = ROOT / "build" / "site"
LESSON = "lessons/counting-operations/"

expect.set_options(timeout=15_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A busy machine may lose a race once: tried again, and told in pytest's closing line."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def built_site() -> Path:
    if not (SITE / "index.html").exists():
        pytest.fail("the site is not built: run `make test`, which builds it first")
    return SITE


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # A GPU of its own making, so that WebGPU can be tried where there is none.
        software = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
        browser = playwright.chromium.launch(executable_path=str(find_chromium()), args=software)
        yield browser
        browser.close()


@dataclass(frozen=True)
class Site:
    """A served site: its address and the faults that its server can be given."""

    url: str
    faults: Faults
    cdn: Faults

    @property
    def lesson(self) -> str:
        return self.url + LESSON


@pytest.fixture(scope="session")
def _site(built_site: Path) -> Iterator[Site]:
    with serve(built_site) as (url, faults):
        yield Site(url, faults, faults)


@pytest.fixture
def site(_site: Site) -> Site:
    """The site with the runtime's files beside it, as `make serve` shows it."""
    _site.faults.set("ok")
    _site.faults.requests.clear()
    return _site


@pytest.fixture
def cdn_site(built_site: Path, tmp_path: Path) -> Iterator[Site]:
    """The same site with the runtime on another origin, as production has it on a CDN."""
    with serve(built_site / "assets/runtime/pyodide") as (cdn_url, cdn):
        copy = with_runtime_at(cdn_url, built_site, tmp_path)
        with serve(copy) as (url, own):
            yield Site(url, own, cdn)


def with_runtime_at(cdn_url: str, built_site: Path, tmp_path: Path) -> Path:
    """A copy of the site that loads Pyodide from another origin."""
    copy = tmp_path / "site"
    shutil.copytree(
        built_site, copy, ignore=shutil.ignore_patterns("pyodide"), copy_function=os.link
    )
    config = copy / "assets/runtime/config.js"
    text = config.read_text("utf-8")
    config.unlink()  # a hard link to the built one
    config.write_text(re.sub(r'"base": "[^"]+"', f'"base": "{cdn_url}"', text), "utf-8")
    return copy


@dataclass
class Visitor:
    """A reader's browser window with what went wrong in its console."""

    context: BrowserContext
    page: Page
    errors: list[str]
    allowed: list[str]

    def allow(self, pattern: str) -> None:
        """Expect console errors that match, in a test about failures."""
        self.allowed.append(pattern)

    def unexpected(self) -> list[str]:
        return [e for e in self.errors if not any(re.search(p, e) for p in self.allowed)]


@pytest.fixture
def open_window(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """Opens windows with the options of Playwright's `new_context`, and judges their consoles."""
    visitors: list[Visitor] = []

    def opened(**options: object) -> Visitor:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        page = context.new_page()
        visitor = Visitor(context, page, [], [])

        def heard(message: object) -> None:
            if getattr(message, "type", "") in ("error", "warning"):
                visitor.errors.append(getattr(message, "text", ""))

        page.on("console", heard)
        page.on("pageerror", lambda error: visitor.errors.append(str(error)))
        visitors.append(visitor)
        return visitor

    yield opened
    # Before closing: what a closing window cuts off may complain, and no reader hears it.
    unexpected = [error for visitor in visitors for error in visitor.unexpected()]
    for visitor in visitors:
        visitor.context.close()
    assert unexpected == []


@pytest.fixture
def visitor(open_window: Callable[..., Visitor]) -> Visitor:
    return open_window()


@pytest.fixture
def page(visitor: Visitor) -> Page:
    return visitor.page


# What a reader does with a cell.


def cell(page: Page, index: int = 0) -> Locator:
    return page.locator("napkin-cell").nth(index)


def button(cell: Locator, action: str) -> Locator:
    return cell.locator(f"button[data-action={action}]")


def part(cell: Locator, name: str) -> Locator:
    return cell.locator(f"[data-part={name}]")


def write_code(cell: Locator, code: str) -> None:
    """Replace the cell's code as a reader would: select all, and type."""
    cell.scroll_into_view_if_needed()
    content = cell.locator(".cm-content")
    content.click()
    content.press("ControlOrMeta+a")
    cell.page.keyboard.insert_text(code)
    # The editor hears of what stands in the page a moment later.
    for _ in range(40):
        if cell.evaluate("(cell, code) => cell.code === code", code):
            break
        cell.page.wait_for_timeout(25)


def run(cell: Locator, state: str = "done", seconds: float = 60) -> str:
    """Press Run, wait until it ends in `state`; the output's text."""
    button(cell, "run").click()
    ended = re.compile("done|error|stopped")
    expect(cell).to_have_attribute("data-state", ended, timeout=seconds * 1000)
    expect(cell).to_have_attribute("data-state", state)
    return part(cell, "output").text_content() or ""


def wait_for(page: Page, expression: str, seconds: float = 60) -> None:
    """Wait until an expression, which may be a promise, is true in the page."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"not true within {seconds} s: {expression}"
        page.wait_for_timeout(100)


def replace_script(visitor: Visitor, name: str, change: Callable[[str], str]) -> None:
    """From now on one of the site's scripts is a changed one: what no page could make happen."""
    text = (DOCS / "assets" / "js" / name).read_text("utf-8")
    changed = change(text)
    assert changed != text, name
    # Its files come straight from the site, so that they can be replaced.
    visitor.context.add_init_script("delete Object.getPrototypeOf(navigator).serviceWorker")
    visitor.context.route(
        f"**/assets/js/{name}",
        lambda route: route.fulfill(body=changed, content_type="text/javascript"),
    )
