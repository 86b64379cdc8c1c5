"""Cards as a reader uses them: in a lesson, on the review page, over reloads, tabs and builds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Download, Locator, Page, Route, expect

from sitekit.items import published

from .conftest import Site, Visitor
from .test_accessibility import violations

REVIEW = "practice/flashcards/"
GUARD_MS = 260  # a press sooner after the answer appeared is taken for a slip
ITEMS = published()
FIRST = [item for item in ITEMS["items"] if item["lesson"] == "counting-operations"]
CARDS = [item["id"] for item in FIRST if item["kind"] == "card"]
LESSON_BUTTON = re.compile("Counting operations")
IN_DAYS = r"\d+ days"  # the scheduler spreads them a little, each card its own way
DUE_IN_DAYS = re.compile(f"due in {IN_DAYS}")


def show(page: Page) -> Locator:
    """Show the answer, and read it for as long as a slip would take."""
    card = page.locator("napkin-review napkin-card")
    card.locator("[data-action=show]").click()
    expect(card).to_have_attribute("data-state", "shown")
    page.wait_for_timeout(GUARD_MS)
    return card


def asked(page: Page) -> Locator:
    return page.locator("napkin-review napkin-card[data-state=asked]")


def grade(page: Page, action: str) -> None:
    before = asked(page).get_attribute("id")
    show(page).locator(f"[data-action={action}]").click()
    expect(page.locator(f"napkin-review napkin-card#{before}")).to_have_count(0)


def due(page: Page) -> Locator:
    return page.locator("napkin-review [data-part=due-count]")


def tool(page: Page, action: str) -> Locator:
    return page.locator(f"napkin-review [data-part=tools] [data-action={action}]")


def find(page: Page, card: str) -> None:
    """Search for a card among all: its id is among its words."""
    page.locator("napkin-browse input[type=search]").fill(card)


DATABASE = """'napkin-practice:' + new URL('../..',
  document.querySelector('script[src*="js/course.js"]').src).pathname.replace(/assets\\/$/, '')"""


def events(page: Page) -> list[dict[str, Any]]:
    """The log, read past the page's own code."""
    found: list[dict[str, Any]] = page.evaluate(
        f"""() => new Promise((resolve, reject) => {{
          const opening = indexedDB.open({DATABASE});
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {{
            const get = opening.result.transaction('events').objectStore('events').getAll();
            get.onsuccess = () => {{ opening.result.close(); resolve(get.result); }};
          }};
        }})"""
    )
    return found


def start(page: Page, site: Site) -> None:
    """The review page with the first lesson's cards in the queue."""
    page.goto(site.url + REVIEW)
    page.locator("[data-action=add-lesson]", has_text=LESSON_BUTTON).click()
    expect(asked(page)).to_be_visible()


def test_review_with_undo_over_a_reload_and_after_the_last_card(page: Page, site: Site) -> None:
    start(page, site)
    expect(due(page)).to_contain_text(f"{len(CARDS)} cards due")
    first, second = CARDS[:2]
    # The answer is in no accessibility tree before it is asked for.
    assert asked(page).aria_snapshot().count("Answer") == 0
    card = show(page)
    again, hard, good, easy = card.locator("[data-part=interval]").all_inner_texts()
    assert (again, hard, good) == ("1 min", "6 min", "10 min") and re.fullmatch(IN_DAYS, easy)
    expect(card.locator("[data-part=back]")).to_be_focused()
    card.locator("[data-action=easy]").click()
    expect(asked(page)).to_have_attribute("id", second)
    expect(page.locator(".napkin-announcer")).to_contain_text(f"Easy: comes back in {easy}")
    page.reload()
    expect(asked(page)).to_have_attribute("id", second)
    tool(page, "undo").click()
    expect(asked(page)).to_have_attribute("id", first)
    # The rest but two go away; then two answers, and nothing is left.
    for _ in CARDS[2:]:
        before = asked(page).get_attribute("id")
        tool(page, "bury").click()
        expect(page.locator(f"napkin-review napkin-card#{before}")).to_have_count(0)
    grade(page, "easy")
    last = asked(page).get_attribute("id")
    show(page).locator("[data-action=easy]").click()
    expect(page.locator("napkin-review [data-part=rest]")).to_be_focused()
    expect(page.locator("napkin-review [data-part=rest]")).to_contain_text("All done for now")
    tool(page, "undo").click()
    expect(asked(page)).to_have_attribute("id", str(last))
    tool(page, "undo").click()
    expect(asked(page)).not_to_have_attribute("id", str(last))
    kinds = [event["kind"] for event in events(page)]
    assert kinds.count("undo") == 3 and kinds.count("answer") == 3
    grade(page, "easy")
    grade(page, "easy")
    # Ahead are those of other days, and what was answered today is not asked again.
    expect(page.locator("[data-action=ahead]")).to_have_count(0)


def test_keys_grade_and_never_while_typing(page: Page, site: Site) -> None:
    start(page, site)
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(page.locator("napkin-review napkin-card")).to_have_attribute("data-state", "shown")
    page.keyboard.press("3")  # at once: a slip
    assert page.locator("napkin-review napkin-card").get_attribute("data-state") == "shown"
    page.wait_for_timeout(GUARD_MS)
    page.keyboard.press("3")
    expect(asked(page)).to_have_attribute("id", CARDS[1])
    page.keyboard.press("u")
    expect(asked(page)).to_have_attribute("id", CARDS[0])
    page.locator("napkin-browse input[type=search]").fill("tick")
    page.locator("napkin-browse input[type=search]").press("u")
    page.locator("napkin-browse input[type=search]").press("Space")
    expect(asked(page)).to_have_attribute("id", CARDS[0])
    kinds = [event["kind"] for event in events(page)]
    assert kinds.count("answer") == 1 and kinds.count("undo") == 1


def test_why_source_suspend_and_browse(page: Page, site: Site) -> None:
    start(page, site)
    grade(page, "easy")
    source = page.locator("napkin-review [data-part=source] a")
    assert "lessons/counting-operations/#" in str(source.get_attribute("href"))
    suspended = asked(page).get_attribute("id")
    tool(page, "suspend").click()
    expect(asked(page)).not_to_have_attribute("id", str(suspended))
    browse = page.locator("napkin-browse")
    browse.locator("select").nth(1).select_option("Suspended")
    row = browse.locator("details[data-item]")
    expect(row).to_have_count(1)
    row.locator("summary").click()
    row.locator("[data-action=resume]").click()
    expect(row.locator("[data-part=item-status]")).to_have_text("(new)")
    browse.locator("select").nth(1).select_option("Any status")
    browse.locator("input[type=search]").fill("one flop")
    row = browse.locator(f"details[data-item={CARDS[0]}]")
    row.locator("summary").click()
    for words in (DUE_IN_DAYS, "Stability: 8 days", "Easy on", "a chance of 100 %"):
        expect(row).to_contain_text(words)
    row.locator("[data-action=manual]").click()
    expect(row.locator("[data-part=item-status]")).to_have_text("(due today)")
    page.locator("napkin-review select").select_option("Numbers in memory")
    expect(due(page)).to_contain_text("0 cards due")


def test_cards_in_the_lesson_are_answered_retried_and_counted(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    block = page.locator("napkin-cards").first
    first = block.locator("napkin-card").first
    expect(first.locator("[data-part=back]")).to_be_hidden()
    link = block.locator("[data-part=due-link]")
    expect(link).to_have_text("Review all due cards (0)")
    first.locator("[data-action=show]").click()
    page.wait_for_timeout(GUARD_MS)
    first.locator("[data-action=again]").click()
    expect(first.locator("[data-part=card-status]")).to_contain_text("In your queue, due in 1 min")
    retry = block.locator("[data-action=retry]")
    expect(retry).to_have_text("Try again (1 to retry)")
    retry.click()
    expect(first.locator("[data-action=show]")).to_be_focused()
    expect(retry).to_be_hidden()
    block.locator("[data-action=add]").click()
    expect(block.locator("[data-action=add]")).to_be_hidden()
    expect(link).not_to_have_text("Review all due cards (0)")
    before = len(events(page))
    # A widget of another page has the same store; nothing is doubled by going to and fro.
    link.click()
    expect(asked(page)).to_be_visible()
    page.go_back()
    block = page.locator("napkin-cards").first
    expect(block.locator("[data-part=due-link]")).to_contain_text("(")
    assert block.locator("[data-part=controls]").count() == block.locator("napkin-card").count()
    assert len(events(page)) == before


def test_two_tabs_and_a_closed_one(visitor: Visitor, site: Site) -> None:
    first, second = visitor.page, visitor.context.new_page()
    start(first, site)
    second.goto(site.url + REVIEW)
    expect(asked(second)).to_have_attribute("id", CARDS[0])
    # Both have the answer open: the second press is refused.
    show(second)
    grade(first, "good")
    second.locator("napkin-review [data-action=again]").click()
    expect(asked(second)).to_have_attribute("id", CARDS[1])
    assert len([event for event in events(first) if event["kind"] == "answer"]) == 1
    # A tab that is closed at once after an answer has written it, with its state.
    show(second).locator("[data-action=easy]").click()
    second.close()
    first.reload()
    expect(asked(first)).to_be_visible()
    assert asked(first).get_attribute("id") not in CARDS[:2]
    assert [e["grade"] for e in events(first) if e["kind"] == "answer"] == [3, 4]


def without(route: Route, name: str, **changed: Any) -> None:
    """The next build: one card is gone, or has another text or place."""
    items = [dict(item) for item in ITEMS["items"]]
    for item in items:
        if item["id"] == name:
            item.update(changed)
    kept = [item for item in items if item["id"] != name or changed]
    route.fulfill(json={**ITEMS, "items": kept})


def test_a_card_that_is_edited_moved_removed_and_put_back_keeps_its_history(
    visitor: Visitor, site: Site
) -> None:
    visitor.context.add_init_script("delete Object.getPrototypeOf(navigator).serviceWorker")
    page = visitor.page
    start(page, site)
    card = CARDS[0]
    grade(page, "easy")
    state = f"details[data-item={card}] [data-part=item-status]"

    def build(**changed: Any) -> None:
        page.unroute_all()
        page.route("**/items.json", lambda route: without(route, card, **changed))
        page.reload()
        expect(asked(page)).to_be_visible()
        find(page, card)

    build(front="<p>Edited front</p>", hash="000000000000")
    row = page.locator(f"details[data-item={card}]")
    expect(row).to_contain_text(re.compile(r"Edited front \(due in \d+ days\)"))
    build(lesson="number-formats", anchor="", heading="")
    row.locator("summary").click()
    expect(row).to_contain_text("Numbers in memory")
    expect(page.locator(state)).to_have_text(DUE_IN_DAYS)
    build()
    expect(row).to_have_count(0)
    page.unroute_all()
    page.reload()
    find(page, card)
    expect(page.locator(state)).to_have_text(DUE_IN_DAYS)


def save(download: Download, folder: Path) -> Path:
    path = folder / download.suggested_filename
    download.save_as(path)
    return path


def test_a_backup_is_merged_into_another_browser_once(
    open_window: Callable[..., Visitor], site: Site, tmp_path: Path
) -> None:
    one, other = open_window().page, open_window().page
    start(one, site)
    grade(one, "easy")
    with one.expect_download() as waiting:
        one.locator("[data-action=backup]").click()
    file = save(waiting.value, tmp_path)
    content = json.loads(file.read_text("utf-8"))
    assert len(content["events"]) == len(CARDS) + 1
    content["events"].append({"id": "damaged"})
    file.write_text(json.dumps(content), "utf-8")
    start(other, site)
    grade(other, "good")
    told = other.locator("napkin-backup [data-part=told]")
    other.locator("napkin-backup input[type=file]").set_input_files(file)
    expect(told).to_contain_text(f"{len(CARDS) + 1} records added, 1 damaged and skipped")
    find(other, CARDS[0])
    row = other.locator(f"details[data-item={CARDS[0]}] [data-part=item-status]")
    expect(row).to_contain_text("due in")
    other.locator("napkin-backup input[type=file]").set_input_files(file)
    expect(told).to_contain_text("0 records added")
    for text in ("{", '{"format": "else"}'):
        file.write_text(text)
        other.locator("napkin-backup input[type=file]").set_input_files(file)
        expect(told).to_contain_text("Nothing was changed")
    for action in ("anki-package", "anki-text"):
        with one.expect_download() as waiting:
            one.locator(f"[data-action={action}]").click()
        exported = save(waiting.value, tmp_path)
        assert exported.read_bytes()[:2] == (b"PK" if action == "anki-package" else b"#s")


def test_settings_apply_at_once_and_statistics_have_their_tables(page: Page, site: Site) -> None:
    start(page, site)
    grade(page, "easy")
    page.locator("napkin-choices").scroll_into_view_if_needed()
    slider = page.locator("napkin-choices input[type=range]")
    expect(page.locator("napkin-choices [data-part=load]")).to_contain_text("90 %")
    for _ in range(7):
        slider.press("ArrowRight")
    expect(page.locator("napkin-choices [data-part=load]")).to_contain_text("97 %")
    expect(page.locator("[data-action=move-all]")).to_contain_text("Move 1 date to this setting")
    page.locator("napkin-choices select").select_option("2")
    card = show(page)
    assert card.locator("[data-part=controls] button").count() == 2
    card.locator("[data-action=again]").click()
    page.locator("napkin-statistics").scroll_into_view_if_needed()
    expect(page.locator("napkin-statistics")).to_have_attribute("data-state", "shown")
    assert page.locator("napkin-statistics svg").count() == 2
    # An answer reads no whole log again, and is one transaction.
    page.evaluate(
        """() => {
          window.seen = {logs: 0, writes: 0};
          const { getAll } = IDBObjectStore.prototype;
          IDBObjectStore.prototype.getAll = function (range) {
            if (this.name === 'events' && !range) window.seen.logs += 1;
            return getAll.apply(this, arguments);
          };
          const { transaction } = IDBDatabase.prototype;
          IDBDatabase.prototype.transaction = function (stores, mode) {
            if (mode === 'readwrite') window.seen.writes += 1;
            return transaction.apply(this, arguments);
          };
        }"""
    )
    show(page).locator("[data-action=good]").click()
    expect(page.locator("#heatmap-table tbody tr td").nth(1)).to_have_text("3")
    assert page.evaluate("window.seen") == {"logs": 0, "writes": 1}
    squares = page.locator("napkin-statistics svg rect[data-day]")
    days = squares.evaluate_all("all => all.map(e => Number(e.dataset.day))")
    assert days == list(range(days[0], days[0] + 364))
    page.locator("#heatmap-table summary").click()
    expect(page.locator("#heatmap-table tbody tr")).to_have_count(1)
    page.locator("#forecast-table summary").click()
    expect(page.locator("#forecast-table tbody tr")).to_have_count(30)
    assert violations(page) == []


def test_lost_storage_is_noticed(page: Page, site: Site) -> None:
    start(page, site)
    page.goto(site.url + "changes/")
    page.evaluate(
        f"""() => new Promise((resolve) => {{
          indexedDB.deleteDatabase({DATABASE}).onsuccess = resolve; }})"""
    )
    page.goto(site.url + REVIEW)
    expect(page.locator("[data-notice=lost]")).to_contain_text("If you have a backup, restore it")


@pytest.mark.parametrize("how", ["refused", "silent"])
def test_blocked_storage_is_told_and_reviewing_works(
    visitor: Visitor, site: Site, how: str
) -> None:
    refuse = "throw new DOMException('blocked', 'SecurityError')"
    act = refuse if how == "refused" else "return new EventTarget()"
    visitor.context.add_init_script(f"IDBFactory.prototype.open = function () {{ {act} }};")
    page = visitor.page
    page.goto(site.url + REVIEW)
    expect(page.locator("[data-notice=blocked]")).to_contain_text("download a backup")
    page.locator("[data-action=add-lesson]", has_text=LESSON_BUTTON).click()
    grade(page, "good")
    tool(page, "undo").click()
    expect(asked(page)).to_have_attribute("id", CARDS[0])


def test_full_storage_is_told_and_nothing_is_lost(visitor: Visitor, site: Site) -> None:
    page = visitor.page
    start(page, site)
    page.evaluate(
        """() => {
          window.addReally = IDBObjectStore.prototype.add;
          IDBObjectStore.prototype.add = () => {
            throw new DOMException('', 'QuotaExceededError'); };
        }"""
    )
    grade(page, "easy")
    expect(page.locator("[data-notice=unsaved]")).to_contain_text("kept in this tab only")
    page.evaluate("() => { IDBObjectStore.prototype.add = window.addReally; }")
    grade(page, "easy")
    expect(page.locator("[data-notice=unsaved]")).to_have_count(0)
    assert [e["grade"] for e in events(page) if e["kind"] == "answer"] == [4, 4]


def test_damaged_states_and_records_are_survived(page: Page, site: Site) -> None:
    start(page, site)
    grade(page, "easy")
    page.goto(site.url + "changes/")
    page.evaluate(
        f"""(card) => new Promise((resolve) => {{
          indexedDB.open({DATABASE}).onsuccess = ({{target: {{result}}}}) => {{
            const tx = result.transaction(['events', 'states'], 'readwrite');
            tx.objectStore('events').put({{id: 'zzz', item: 'flop', kind: 'nonsense'}});
            tx.objectStore('states').put({{id: card, memory: 'broken', added: NaN}});
            tx.oncomplete = () => {{ result.close(); resolve(); }};
          }}; }})""",
        CARDS[0],
    )
    page.goto(site.url + REVIEW)
    find(page, CARDS[0])
    status = page.locator(f"details[data-item={CARDS[0]}] [data-part=item-status]")
    expect(status).to_have_text(DUE_IN_DAYS)
    page.locator("napkin-statistics").scroll_into_view_if_needed()
    expect(page.locator("[data-notice=damaged]")).to_contain_text("skipped")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_a_narrow_page_never_scrolls_sideways(
    open_window: Callable[..., Visitor], site: Site, scheme: str
) -> None:
    # 640 px at 200 % zoom is a page of 320 px.
    page = open_window(
        color_scheme=scheme, viewport={"width": 320, "height": 640}, reduced_motion="reduce"
    ).page
    start(page, site)
    assert violations(page) == []
    show(page)
    page.locator("napkin-statistics").scroll_into_view_if_needed()
    expect(page.locator("napkin-statistics")).to_have_attribute("data-state", "shown")
    page.locator("napkin-choices").scroll_into_view_if_needed()
    assert violations(page) == []
    wide = page.evaluate(
        """() => [...document.querySelectorAll('article *')]
          .filter(e => e.getBoundingClientRect().right > 320 && !e.closest('[data-part=scroll]'))
          .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert (page.evaluate("document.documentElement.scrollWidth"), wide) == (320, [])
    page.goto(site.lesson)
    page.locator("napkin-cards [data-action=show]").first.click()
    expect(page.locator("napkin-cards [data-action=good]").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_without_scripts_all_cards_can_be_read(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(java_script_enabled=False).page
    page.goto(site.url + REVIEW)
    shown = page.locator("napkin-review .napkin-card")
    assert shown.count() == sum(item["kind"] == "card" for item in ITEMS["items"])
    shown.first.locator("summary").click()
    expect(shown.first.locator("details > :nth-child(2)")).to_be_visible()
    page.goto(site.lesson)
    card = page.locator(f"napkin-card#{CARDS[0]}")
    expect(card.locator("[data-part=back]")).to_be_hidden()
    card.locator("summary").click()
    expect(card.locator("[data-part=back]")).to_be_visible()


def test_the_page_names_all_its_scripts_in_its_head(page: Page, site: Site) -> None:
    start(page, site)
    named = page.locator("link[rel=modulepreload]").evaluate_all("all => all.map(e => e.href)")
    paths = {path for path in site.faults.requests if re.search(r"assets/(js|vendor)/", path)}
    # Editors come with idle moments, and a worker's script is no module of the page.
    late = {"/napkin/assets/js/lib/editor.js", "/napkin/assets/js/worker/search.js"}
    assert {path.split("?")[0] for path in paths} - late <= {
        re.sub("https?://[^/]+", "", href) for href in named
    }


def test_a_page_without_cards_loads_no_scheduler(page: Page, site: Site) -> None:
    page.goto(site.url + "changes/")
    expect(page.locator("h1")).to_contain_text("Changes")
    page.wait_for_load_state("networkidle")
    assert not [path for path in site.faults.requests if "js/lib/practice" in path]
