"""Search costs nothing until a reader searches, and then finds."""

from playwright.sync_api import Page, expect

from .conftest import LESSON, Site, Visitor, wait_for

FIELD = "[data-md-component=search-query]"
TOLD = ".md-search-result__meta"
RESULT = ".md-search-result__item a"


def searched(page: Page, words: str) -> str:
    """Type into the field that has the focus; the address of the first result."""
    page.keyboard.type(words)
    expect(page.locator(TOLD)).to_contain_text("matching documents")
    return str(page.locator(RESULT).first.get_attribute("href"))


def test_the_index_is_built_when_a_reader_searches(page: Page, site: Site) -> None:
    page.goto(site.url)
    wait_for(page, "navigator.serviceWorker.controller !== null")
    page.reload()
    page.wait_for_load_state("networkidle")
    for path in site.faults.requests:
        assert "documents.json" not in path and "workers/search" not in path
    page.keyboard.press("s")
    assert "lessons/roofline/" in searched(page, "roofline")
    # The page that a result leads to has the words marked.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("article mark:visible").first).to_be_visible()


def test_a_link_to_a_search_shows_what_it_finds(page: Page, site: Site) -> None:
    page.goto(site.url + LESSON + "?q=roofline")
    expect(page.locator(RESULT).first).to_contain_text("roofline")


def test_a_search_that_cannot_be_loaded_says_so_and_can_be_tried_again(
    visitor: Visitor, site: Site
) -> None:
    visitor.allow("Failed to load resource")
    page = visitor.page
    site.faults.set("missing", "documents.json")
    page.goto(site.url)
    page.locator(FIELD).click()
    expect(page.locator(TOLD)).to_contain_text("check the connection")
    site.faults.set("ok")
    page.keyboard.press("Escape")
    page.locator(FIELD).click()
    assert "lessons/roofline/" in searched(page, "roofline")
