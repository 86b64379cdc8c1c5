"""Cards as a reader uses them: in a lesson, on the review page, over reloads and tabs."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

from .conftest import Site

REVIEW = "practice/flashcards/"
DAY = 86_400_000


def grade(page: Page, action: str) -> None:
    """Show the answer and grade it, as a reader who reads it first."""
    card = page.locator("napkin-review napkin-card")
    card.locator("[data-action=show]").click()
    expect(card).to_have_attribute("data-state", "shown")
    page.wait_for_timeout(260)  # a press sooner than that is taken for a slip
    card.locator(f"[data-action={action}]").click()


def front(page: Page) -> str:
    return page.locator("napkin-review napkin-card [data-part=front]").inner_text()


def due(page: Page) -> Locator:
    return page.locator("napkin-review [data-part=due-count]")


def events(page: Page) -> list[dict[str, Any]]:
    """The log, read past the page's own code."""
    found: list[dict[str, Any]] = page.evaluate(
        """() => new Promise((resolve, reject) => {
          const opening = indexedDB.open('napkin-practice:' + new URL('.', document.querySelector(
            'script[src*="course.js"]').src.replace('assets/js/course.js', '')).pathname);
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const get = opening.result.transaction('events').objectStore('events').getAll();
            get.onsuccess = () => { opening.result.close(); resolve(get.result); };
          };
        })"""
    )
    return found


def add_lesson(page: Page, site: Site) -> None:
    page.goto(site.url + REVIEW)
    page.locator("[data-action=add-lesson]").first.click()
    expect(page.locator("napkin-review napkin-card [data-action=show]")).to_be_visible()


def test_a_lesson_is_added_and_its_first_card_answered(page: Page, site: Site) -> None:
    add_lesson(page, site)
    first = front(page)
    grade(page, "good")
    expect(page.locator("napkin-review napkin-card [data-part=front]")).not_to_have_text(first)
    (answer,) = [event for event in events(page) if event["kind"] == "answer"]
    assert answer["grade"] == 3 and answer["after"]["phase"] == "learning"
