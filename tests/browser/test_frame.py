"""Progress that is kept, the way back to it, and terms explained where they stand."""

from collections.abc import Callable

from playwright.sync_api import expect

from .conftest import Site, Visitor, part, wait_for


def test_progress_is_kept_and_leads_back(visitor: Visitor, site: Site) -> None:
    page = visitor.page
    page.goto(site.url)
    path = page.locator("napkin-path")
    lesson = path.locator("li[ref=counting-operations]")
    expect(part(path, "next")).to_contain_text("Begin with")
    assert not part(lesson, "progress").count()

    lesson.get_by_role("link").click()
    progress = page.locator("napkin-progress")
    expect(progress).to_contain_text("Module")
    expect(progress).to_contain_text("sections read, 0 of 3 exercises passed")
    page.locator("#the-timer").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#the-timer').scrollIntoView()")
    kept = (
        "Object.entries(localStorage)"
        ".some(([k, v]) => k.includes(':read:') && v.includes('the-timer'))"
    )
    wait_for(page, kept)

    page.reload()
    page.evaluate("scrollTo(0, 0)")
    resume = part(page.locator("napkin-progress"), "resume")
    expect(resume).to_have_text("Go on at “The timer”")
    resume.click()
    expect(page).to_have_url(site.lesson + "#the-timer")

    page.goto(site.url)
    expect(part(path, "next")).to_contain_text("Go on with “Counting operations”, at “The timer”")
    expect(part(lesson, "progress")).to_contain_text("sections read")
    expect(lesson).to_have_attribute("data-state", "begun")
    part(path, "next").get_by_role("link").click()
    expect(page).to_have_url(site.lesson + "#the-timer")


def test_a_term_is_a_link_that_explains_itself(visitor: Visitor, site: Site) -> None:
    page = visitor.page
    page.goto(site.lesson)
    term = page.locator("a.term", has_text="GPU").first
    meaning = "A chip with thousands of simple cores"
    term.scroll_into_view_if_needed()
    term.focus()
    tooltip = page.locator(".md-tooltip2__inner", has_text=meaning)
    expect(tooltip).to_be_visible()
    term.click()
    expect(page.locator("dt#gpu")).to_be_in_viewport()


def test_without_scripts_the_frame_stands(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(java_script_enabled=False).page
    page.goto(site.lesson)
    expect(part(page.locator("napkin-progress"), "facts")).to_contain_text("min to read")
    assert "thousands of simple cores" in (
        page.locator("a.term", has_text="GPU").first.get_attribute("title") or ""
    )
    page.goto(site.url)
    page.locator("napkin-path").get_by_role("link", name="Counting operations", exact=True).click()
    expect(page.locator("h1")).to_contain_text("Counting operations")
