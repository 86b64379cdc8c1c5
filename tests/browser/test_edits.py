"""What a reader changed is there the next time, whatever happens to the lesson or the storage."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .conftest import Site, Visitor, button, cell, part, run, write_code


def text(page: Page, index: int = 0) -> str:
    cell(page, index).scroll_into_view_if_needed()
    content = cell(page, index).locator(".cm-content")
    expect(content).to_be_visible()
    return content.inner_text()


def test_an_edit_survives_a_reload_and_reset_until_it_is_refused(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    lesson = text(page)
    element = cell(page)
    write_code(element, "print('mine <b>')")
    page.reload()
    expect(element.locator(".cm-content")).to_have_text("print('mine <b>')")
    expect(part(element, "status")).to_contain_text("Your version")
    assert run(element) == "mine <b>\n"
    button(element, "reset").click()
    assert text(page) == lesson
    page.reload()
    assert text(page) == lesson
    write_code(element, "print('new')")
    assert run(element) == "new\n"
    button(element, "my-version").click()
    assert text(page) == "print('mine <b>')"
    expect(button(element, "run")).to_be_focused()
    page.reload()
    button(element, "my-version").click()
    assert text(page) == "print('new')"
    button(element, "reset").click()
    expect(button(element, "my-version")).to_have_text("Your versions (2)")
    button(element, "forget").click()
    expect(button(element, "my-version")).to_have_count(0)
    page.reload()
    assert text(page) == lesson
    expect(button(element, "my-version")).to_have_count(0)


def test_an_edit_is_kept_for_its_cell_only_and_over_navigation(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    second = text(page, 1)
    write_code(cell(page), "mine = 1")
    page.get_by_role("link", name="Changes", exact=True).first.click()
    expect(page.locator("h1")).to_contain_text("Changes")
    page.go_back()
    expect(cell(page).locator(".cm-content")).to_have_text("mine = 1")
    assert text(page, 1) == second


def test_when_the_lesson_changed_both_versions_can_be_had(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    lesson = text(page)
    write_code(cell(page), "mine = 1")
    key, kept = page.evaluate("Object.entries(localStorage).find(([k]) => k.includes(':edit:'))")
    # As if it had been made on the page of last month.
    old = json.dumps({**json.loads(kept), "lesson": "00000000"})
    page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, old])
    page.reload()
    element = cell(page)
    expect(element.locator(".cm-content")).to_have_text("mine = 1")
    expect(part(element, "status")).to_contain_text("has changed")
    run(element)
    button(element, "lesson-version").click()
    assert text(page) == lesson
    element.locator(".cm-content").press("ControlOrMeta+End")
    page.keyboard.insert_text("  # new")
    run(element)
    page.reload()
    button(element, "my-version").click()
    assert text(page) == "mine = 1"
    page.reload()
    assert text(page) == "mine = 1"


def store(page: Page, expression: str) -> None:
    """Put the value of a JavaScript expression in the place of what is kept of the first cell."""
    page.evaluate(
        f"""() => localStorage.setItem(
             Object.keys(localStorage).find((key) => key.includes(':edit:')), {expression})"""
    )


def test_corrupt_storage_means_the_lessons_code(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    lesson = text(page)
    write_code(cell(page), "mine = 1")
    store(page, "'{'")
    page.reload()
    assert text(page) == lesson


def test_megabytes_of_code_and_half_a_character_leave_the_page_usable(
    page: Page, site: Site
) -> None:
    page.goto(site.lesson)
    element = cell(page)
    lesson = element.evaluate("cell => cell.code")
    write_code(element, "mine = 1")
    code = r"('x = 1  # ' + 'y'.repeat(80) + '\n').repeat(50_000) + `z = '\ud800'`"
    store(page, f"JSON.stringify({{code: {code}, lesson: '00000000'}})")
    page.reload()
    write_code(cell(page, 1), "print('alive')")
    assert run(cell(page, 1)) == "alive\n"
    assert element.evaluate(f"cell => cell.code === {code}")
    assert "surrogates not allowed" in run(element, "error")
    button(element, "lesson-version").click()
    assert element.evaluate("cell => cell.code") == lesson
    page.reload()
    button(element, "my-version").click()
    assert element.evaluate(f"cell => cell.code === {code}")


def test_full_storage_is_told_and_the_cell_works(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    page.evaluate(
        """() => { let piece = 'x'.repeat(1 << 20);
             for (let i = 0; piece.length; i++) {
               try { localStorage.setItem('full' + i, piece); }
               catch { piece = piece.slice(piece.length / 2 + 1); }
             } }"""
    )
    write_code(cell(page), "print('not kept, but here')")
    expect(part(cell(page), "status")).to_contain_text("does not keep edits")
    assert run(cell(page)) == "not kept, but here\n"


def test_blocked_storage_is_survived(visitor: Visitor, site: Site) -> None:
    visitor.context.add_init_script(
        """for (const name of ['localStorage', 'caches', 'indexedDB'])
             Object.defineProperty(globalThis, name,
               { get() { throw new DOMException('blocked', 'SecurityError'); } });"""
    )
    # The theme itself needs storage for its colours, and complains.
    visitor.allow("blocked|SecurityError")
    page = visitor.page
    page.goto(site.lesson)
    write_code(cell(page), "print('works')")
    assert run(cell(page)) == "works\n"


def test_two_tabs_show_the_newer_edit(visitor: Visitor, site: Site) -> None:
    first = visitor.page
    second = visitor.context.new_page()
    first.goto(site.lesson)
    second.goto(site.lesson)
    expect(cell(second).locator(".cm-content")).to_be_visible()
    write_code(cell(first), "from_first = 1")
    expect(cell(second).locator(".cm-content")).to_have_text("from_first = 1")


HOSTILE = "x = '<img src=x onerror=alert(1)></script><script>alert(2)</script>'\nprint(x)"


def test_markup_in_a_kept_edit_is_text(page: Page, site: Site) -> None:
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(site.lesson)
    write_code(cell(page), HOSTILE)
    page.reload()
    expect(cell(page).locator(".cm-content")).to_contain_text("onerror")
    expect(cell(page).locator("img")).to_have_count(0)
    assert "<img src=x" in run(cell(page))


def test_on_a_phone_no_row_is_kept_for_a_status_beside_your_version(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(viewport={"width": 390, "height": 844}, has_touch=True).page
    page.goto(site.lesson)
    write_code(cell(page), "print('mine')")
    button(cell(page), "reset").click()
    version = button(cell(page), "my-version")
    expect(version).to_be_visible()
    expect(part(cell(page), "status")).to_have_text("")
    bar = part(cell(page), "toolbar")
    ends = "e => e.getBoundingClientRect().bottom"
    assert bar.evaluate(ends) - version.evaluate(ends) < 12
    height = bar.evaluate("e => e.offsetHeight")
    run(cell(page))
    expect(part(cell(page), "status")).to_contain_text("Done in")
    assert bar.evaluate("e => e.offsetHeight") == height
