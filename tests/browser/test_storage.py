"""Reviews over versions of the site: databases of every schema open, older and newer tabs meet."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from sitekit.paths import DOCS

from .conftest import Site, Visitor
from .test_review import DATABASE, LESSON_BUTTON, REVIEW, asked, events, find, grade

RECORDED = Path(__file__).parents[1] / "fixtures" / "practice"
LOG = DOCS / "assets" / "js" / "lib" / "practice" / "log-idb.js"
NEXT = 2  # the schema of the build to come

# Puts a recorded database in, past the page's own code.
PUT = f"""({{version, events, states, notes}}) => new Promise((resolve, reject) => {{
  const opening = indexedDB.open({DATABASE}, version);
  opening.onerror = () => reject(opening.error);
  opening.onupgradeneeded = () => {{
    const db = opening.result;
    db.createObjectStore('events', {{keyPath: 'id'}}).createIndex('item', 'item');
    db.createObjectStore('states', {{keyPath: 'id'}});
    db.createObjectStore('notes');
  }};
  opening.onsuccess = () => {{
    const db = opening.result;
    const tx = db.transaction(['events', 'states', 'notes'], 'readwrite');
    for (const event of events) tx.objectStore('events').put(event);
    for (const state of states) tx.objectStore('states').put(state);
    for (const [key, value] of Object.entries(notes)) tx.objectStore('notes').put(value, key);
    tx.oncomplete = () => {{ db.close(); resolve(); }};
  }};
}})"""


def recorded(schema: int) -> dict[str, Any]:
    """The database as a browser held it: its version, events, states and notes."""
    content: dict[str, Any] = json.loads((RECORDED / f"database-{schema}.json").read_text("utf-8"))
    return content


def put(page: Page, site: Site, content: dict[str, Any]) -> None:
    page.goto(site.url + "changes/")
    page.evaluate(PUT, content)


def published(visitor: Visitor, schema: int) -> None:
    """From now on the site is of a build with this schema, and impatient with its storage."""
    text = LOG.read_text("utf-8")
    for name, value in (("SCHEMA_VERSION", str(schema)), ("OPEN_WITHIN_MS", "300")):
        text, count = re.subn(rf"const {name} = \w+;", f"const {name} = {value};", text)
        assert count == 1, name

    def fulfil(route: Route) -> None:
        route.fulfill(body=text, content_type="text/javascript")

    visitor.context.unroute_all()
    visitor.context.route("**/log-idb.js", fulfil)


def without_worker(visitor: Visitor) -> Page:
    """A page whose files come straight from the site."""
    visitor.context.add_init_script("delete Object.getPrototypeOf(navigator).serviceWorker")
    return visitor.page


def kept(page: Page) -> dict[str, dict[str, Any]]:
    return {event["id"]: event for event in events(page)}


def told(page: Page, name: str, words: str) -> None:
    expect(page.locator(f"[data-notice={name}]")).to_contain_text(words)
    expect(page.locator("[data-notice]")).to_have_count(1)


@pytest.mark.parametrize("states", ["as they were", "of another version", "lost"])
@pytest.mark.parametrize("schema", [1])
def test_a_database_of_every_schema_opens_with_nothing_lost(
    page: Page, site: Site, schema: int, states: str
) -> None:
    content = recorded(schema)
    events_before = {event["id"]: event for event in content["events"]}
    if states != "as they were":
        content["notes"]["fold"] = 0
        content["states"] = [{**state, "added": 0} for state in content["states"]]
    if states == "lost":
        content["states"] = []
    put(page, site, content)
    page.goto(site.url + REVIEW)
    expect(page.locator("napkin-review [data-part=due-count]")).to_contain_text("due")
    assert kept(page) == events_before
    expect(page.locator("[data-notice]")).to_have_count(0)
    find(page, "flop-meaning")
    status = page.locator("details[data-item=flop-meaning] [data-part=item-status]")
    expect(status).to_have_text(re.compile(r"due since \d+ days"))
    find(page, "")
    page.locator("napkin-browse select").nth(1).select_option("Suspended")
    expect(page.locator("napkin-browse details[data-item]")).to_have_count(1)
    page.locator("napkin-choices").scroll_into_view_if_needed()
    expect(page.locator("napkin-choices input[type=range]")).to_have_value(re.compile("85"))


def test_a_page_older_than_the_database_keeps_what_is_answered_for_the_newer_one(
    visitor: Visitor, site: Site
) -> None:
    page = without_worker(visitor)
    content = recorded(1)
    put(page, site, {**content, "version": NEXT})
    page.goto(site.url + REVIEW)
    told(page, "newer", "reload the page")
    page.locator("[data-action=add-lesson]", has_text=LESSON_BUTTON).click()
    grade(page, "easy")
    page.reload()  # still the old one: what was answered in it is there
    told(page, "newer", "reload the page")
    expect(asked(page)).to_be_visible()
    published(visitor, NEXT)
    page.reload()
    expect(asked(page)).to_be_visible()
    expect(page.locator("[data-notice]")).to_have_count(0)
    now = kept(page)
    assert {event["id"] for event in content["events"]} < set(now)
    assert sum(event["kind"] == "answer" for event in now.values()) == 1 + sum(
        event["kind"] == "answer" for event in content["events"]
    )


def test_an_older_tab_in_the_way_is_named_and_waited_for(visitor: Visitor, site: Site) -> None:
    page, other = without_worker(visitor), visitor.context.new_page()
    content = recorded(1)
    put(other, site, content)
    # A tab of the old version that does not hear that it should let go.
    other.evaluate(
        f"""() => new Promise((resolve) => {{
          indexedDB.open({DATABASE}).onsuccess = ({{target}}) => {{
            window.held = target.result; resolve(); }}; }})"""
    )
    published(visitor, NEXT)
    page.goto(site.url + REVIEW)
    told(page, "waiting", "Close it")
    page.locator("[data-action=add-lesson]", has_text=LESSON_BUTTON).click()
    grade(page, "easy")
    other.close()
    expect(page.locator("[data-notice]")).to_have_count(0)
    grade(page, "good")
    now = kept(page)
    assert {event["id"] for event in content["events"]} < set(now)
    assert [event["grade"] for event in list(now.values())[-2:]] == [4, 3]


def test_a_tab_that_a_newer_version_overtook_loses_no_answer(visitor: Visitor, site: Site) -> None:
    page, other = without_worker(visitor), visitor.context.new_page()
    put(page, site, recorded(1))
    page.goto(site.url + REVIEW)
    expect(asked(page)).to_be_visible()
    published(visitor, NEXT)
    other.goto(site.url + REVIEW)
    expect(asked(other)).to_be_visible()
    told(page, "superseded", "Reload this page")
    card = str(asked(page).get_attribute("id"))
    grade(page, "easy")
    told(page, "superseded", "Reload this page")
    page.locator("[data-action=backup]").click()
    expect(page.locator("napkin-backup [data-part=told]")).to_contain_text("Reload the page")
    page.reload()
    expect(asked(page)).to_be_visible()
    find(page, card)
    status = page.locator(f"details[data-item={card}] [data-part=item-status]")
    expect(status).to_contain_text("due in")


def test_a_page_put_aside_holds_no_database_and_goes_on_when_it_comes_back(
    page: Page, site: Site
) -> None:
    def turns(kind: str) -> None:
        page.evaluate(f"dispatchEvent(new PageTransitionEvent('{kind}', {{persisted: true}}))")

    put(page, site, recorded(1))
    page.goto(site.url + REVIEW)
    expect(asked(page)).to_be_visible()
    before = kept(page)
    turns("pagehide")
    grade(page, "good")
    told(page, "unsaved", "kept in this tab only")
    assert kept(page) == before
    turns("pageshow")
    expect(page.locator("[data-notice]")).to_have_count(0)
    assert len(kept(page)) == len(before) + 1
