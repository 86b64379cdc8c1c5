"""Instant navigation: one worker and one editor style for the whole visit."""

from playwright.sync_api import Page, Worker, expect

from .conftest import LESSON, Site, button, cell, part, run, write_code


def pythons(workers: list[Worker]) -> list[Worker]:
    """Those that run Python; the theme's search has one of its own."""
    return [worker for worker in workers if worker.url.endswith("/worker/python.js")]


def go(page: Page, name: str) -> None:
    page.locator(".md-sidebar--primary").get_by_role("link", name=name, exact=True).click()
    expect(page.locator("h1")).to_contain_text({"Home": "Napkin"}.get(name, name))


def listeners_on_the_window(page: Page) -> int:
    """How many hang on what outlives every page."""
    devtools = page.context.new_cdp_session(page)
    window = devtools.send("Runtime.evaluate", {"expression": "window"})["result"]
    told = devtools.send("DOMDebugger.getEventListeners", {"objectId": window["objectId"]})
    devtools.detach()
    return len(told["listeners"])


def test_twenty_navigations_keep_one_worker_and_working_cells(page: Page, site: Site) -> None:
    started: list[Worker] = []
    page.on("worker", lambda worker: started.append(worker))
    page.goto(site.lesson)
    page.evaluate("window.sameDocument = true")
    write_code(cell(page), "1 + 1")
    assert run(cell(page)) == "2\n"
    elements = page.locator("*").count()
    counts = []
    for _ in range(10):
        go(page, "Changes")
        counts.append(listeners_on_the_window(page))
        go(page, "Counting operations")
        expect(cell(page).locator(".cm-content")).to_be_visible()
    assert max(counts[2:]) <= counts[1], f"pages that were left are held on to: {counts}"
    assert page.locator("*").count() <= elements + 10
    assert page.evaluate("window.sameDocument"), "the navigation was not instant"
    element = cell(page)
    element.scroll_into_view_if_needed()
    expect(element.locator(".cm-content")).to_be_visible()
    padding = element.locator(".cm-line").first.evaluate("e => getComputedStyle(e).paddingLeft")
    assert padding != "0px", "the editor lost its styles"
    write_code(element, "40 + 2")
    assert run(element) == "42\n"
    first, *others = pythons(started)
    assert first in page.workers, "the worker with the reader's variables is gone"
    assert len(others) <= 1, "one more may have kept the snapshot, meanwhile"


def test_another_page_starts_with_fresh_variables(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    write_code(cell(page), "secret = 1")
    run(cell(page))
    go(page, "Home")
    write_code(cell(page), "secret")
    assert "NameError" in run(cell(page), "error")
    expect(part(cell(page), "status")).to_contain_text("NameError after")
    # On the way back the reader's own name is gone, and no cell above gives it a value.
    go(page, "Counting operations")
    write_code(cell(page), "secret")
    run(cell(page), "error")
    status = part(cell(page), "status")
    expect(status).to_contain_text("secret is gone: a page's variables are cleared when")
    write_code(cell(page), "never")
    run(cell(page), "error")
    expect(status).to_contain_text("NameError after")


def test_leaving_a_page_ends_what_runs_there(page: Page, site: Site) -> None:
    started: list[Worker] = []
    page.on("worker", lambda worker: started.append(worker))
    page.goto(site.lesson)
    element = cell(page)
    write_code(element, "while True: pass")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running", timeout=60_000)
    go(page, "Changes")
    go(page, "Counting operations")
    expect(button(cell(page), "run")).to_have_attribute("aria-disabled", "false")
    write_code(cell(page), "'free'")
    assert run(cell(page)) == "'free'\n"
    assert pythons(started)[0] in page.workers, "the next page has to start Python anew"


def test_back_and_forward_show_working_cells(page: Page, site: Site) -> None:
    page.goto(site.url)
    go(page, "Counting operations")
    go(page, "Changes")
    page.go_back()
    expect(page.locator("h1")).to_contain_text("Counting operations")
    write_code(cell(page), "6 * 7")
    assert run(cell(page)) == "42\n"
    assert part(cell(page), "output").text_content() == "42\n"
    assert LESSON in page.url
