"""Nothing moves that need not, nothing is stolen, and it works zoomed, by touch and isolated."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sitekit.static_server import StaticHandler, serving

from .conftest import LESSON, Site, Visitor, button, cell, part, run, wait_for, write_code


def test_a_run_does_not_make_the_page_jump(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    element = cell(page, 3)
    element.scroll_into_view_if_needed()
    expect(element.locator(".cm-content")).to_be_visible()
    heights = page.evaluate_handle(
        """() => {
          const output = document.querySelectorAll('napkin-cell [data-part=output]')[3];
          const heights = [];
          new ResizeObserver(() => heights.push(output.offsetHeight)).observe(output);
          return heights;
        }"""
    )
    write_code(element, "import time\nfor i in range(5):\n    time.sleep(0.1)\n    print(i)")
    run(element)
    recorded, *later = heights.json_value()
    # While it runs the output keeps the room of the recorded one; then it takes its own.
    assert all(height >= recorded for height in later[:-1])


def test_output_is_followed_only_by_a_reader_at_its_end(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    element = cell(page)
    output = part(element, "output")
    code = "import time\nfor i in range(400):\n    print(i)\n    time.sleep(0.005)"
    write_code(element, code)
    run(element)
    at_end = "e => e.scrollTop > 0 && e.scrollTop + e.clientHeight >= e.scrollHeight - 4"
    wait_for(page, f"({at_end})(document.querySelector('napkin-cell [data-part=output]'))")
    write_code(element, code.replace("print(i)", "print('again', i)"))
    button(element, "run").click()
    expect(output).to_contain_text("again 100")
    output.evaluate("e => { e.scrollTop = 0; }")
    expect(element).to_have_attribute("data-state", "done", timeout=30_000)
    assert output.evaluate("e => e.scrollTop") == 0
    # Who goes back down follows again, though the end has moved on meanwhile.
    write_code(element, code.replace("400", "1_500").replace("print(i)", "print('last', i)"))
    button(element, "run").click()
    expect(output).to_contain_text("last 100")
    output.evaluate("e => { e.scrollTop = 0; }")
    expect(output).to_contain_text("last 200")
    assert output.evaluate("e => e.scrollTop") == 0
    output.evaluate("e => e.scrollTo({top: e.scrollHeight, behavior: 'smooth'})")
    expect(element).to_have_attribute("data-state", "done", timeout=30_000)
    wait_for(page, f"({at_end})(document.querySelector('napkin-cell [data-part=output]'))")


def test_focus_stays_where_the_reader_put_it(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    write_code(cell(page), "import time\ntime.sleep(0.5)\n1 / 0")
    button(cell(page), "run").click()
    elsewhere = page.locator("article a").first
    elsewhere.focus()
    expect(cell(page)).to_have_attribute("data-state", "error", timeout=60_000)
    expect(elsewhere).to_be_focused()


BATCHES = """
window.batches = [];
addEventListener("DOMContentLoaded", () => {
  // Called once at the end of each task, with all that the task has changed.
  new MutationObserver((records) => {
    const added = records.flatMap(({ addedNodes }) => [...addedNodes]);
    const toolbars = added.filter((node) => node.querySelector?.("[data-action=run]"));
    if (toolbars.length) window.batches.push(toolbars.length);
  }).observe(document.body, { childList: true, subtree: true });
});
"""


def test_a_page_full_of_cells_makes_them_live_one_a_task(page: Page, site: Site) -> None:
    page.add_init_script(BATCHES)
    page.goto(site.lesson)
    count = page.locator("napkin-cell").count()
    expect(page.locator("napkin-cell button[data-action=run]")).to_have_count(count)
    assert count > 5
    assert page.evaluate("window.batches") == [1] * count


def test_phone_keyboards_leave_code_alone(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    content = cell(page).locator(".cm-content")
    for name, value in (
        ("autocapitalize", "off"),
        ("autocorrect", "off"),
        ("spellcheck", "false"),
    ):
        expect(content).to_have_attribute(name, value)


def test_by_touch(open_window: Callable[..., Visitor], site: Site) -> None:
    page = open_window(viewport={"width": 390, "height": 844}, has_touch=True).page
    page.goto(site.lesson)
    element = cell(page)
    element.scroll_into_view_if_needed()
    button(element, "run").tap()
    expect(element).to_have_attribute("data-state", "done", timeout=60_000)
    button(element, "more").tap()
    expect(button(element, "share")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_nothing_of_ours_is_animated_for_readers_who_asked_for_less(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(reduced_motion="reduce").page
    page.goto(site.lesson)
    moving = page.locator("napkin-cell, napkin-cell *").evaluate_all(
        """all => all.filter(e => {
          const style = getComputedStyle(e);
          return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0;
        }).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert moving == []


class IsolatedHandler(StaticHandler):
    """A host that isolates its pages, as some let their users do."""

    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


@pytest.fixture
def isolated(built_site: Path) -> Iterator[str]:
    with serving(built_site, IsolatedHandler) as url:
        yield url


def test_where_the_host_isolates_pages_the_clock_is_finer_and_stop_works(
    page: Page, isolated: str
) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'deviceMemory', {value: 2})")
    page.goto(isolated + LESSON)
    assert page.evaluate("crossOriginIsolated")
    write_code(cell(page), "from napkin.timing import clock_tick\nclock_tick() < 5e-5")
    assert run(cell(page)) == "True\n"
    write_code(cell(page), "kept = 42\nwhile True: pass")
    button(cell(page), "run").click()
    expect(cell(page)).to_have_attribute("data-state", "running")
    button(cell(page), "stop").click()
    expect(cell(page)).to_have_attribute("data-state", "stopped", timeout=2_000)
    write_code(cell(page), "kept")
    assert run(cell(page)) == "42\n"
    # A Stop that Python never hears does not reach the next one, which gets NumPy ready and then
    # asks for the rest of the library; nothing else does when that is kept and memory spared.
    numpy = page.locator("#cell-one-product")
    write_code(numpy, "print('going')\nsum(range(10**11))")
    kept = "caches.open('napkin-runtime').then(c => c.keys()).then(k => k.map(r => r.url).join())"
    wait_for(page, f"{kept}.then(urls => urls.includes('stdlib-rest'))")
    button(numpy, "run").click()
    expect(part(numpy, "output")).to_contain_text("going", timeout=30_000)
    with page.expect_request("**/stdlib-rest*"):
        button(numpy, "stop").click()
        expect(part(numpy, "status")).to_contain_text("Variables were lost")
