"""The second visit starts from what the first one kept, and never suffers from it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from .conftest import Site, Visitor, button, cell, part, run, wait_for, write_code

KEPT = """async () => {
  const cache = await caches.open('napkin-snapshots');
  return (await cache.keys()).map(({url}) => url);
}"""


def keep_snapshot(page: Page, site: Site) -> str:
    """A first visit, until its snapshot is kept; its address."""
    page.goto(site.lesson)
    write_code(cell(page), "print('first')")
    run(cell(page))
    wait_for(page, f"({KEPT})().then(urls => urls.length === 1)")
    # The worker that made it ends after keeping the files for use without a network.
    kept_files = "caches.open('napkin-runtime').then(c => c.keys()).then(keys => keys.length)"
    wait_for(page, f"{kept_files}.then(length => length >= 8)")
    urls: list[str] = page.evaluate(KEPT)
    return urls[0]


def restored(page: Page) -> bool:
    """Whether the page's interpreter came from the snapshot."""
    return bool(
        page.evaluate(
            f"import('{page.url.split('/lessons/')[0]}/assets/js/lib/runtime.js')"
            ".then(({runtime}) => runtime.restored)"
        )
    )


@pytest.fixture(scope="module")
def kept(browser: Browser, _site: Site) -> Iterator[BrowserContext]:
    """A browser that has visited the lesson once, and kept what a second visit starts from."""
    _site.faults.set("ok")
    context = browser.new_context()
    page = context.new_page()
    keep_snapshot(page, _site)
    page.close()
    yield context
    context.close()


def second_page(context: BrowserContext, errors: list[str]) -> Page:
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    page.on("console", heard)
    return page


@pytest.fixture
def returning(kept: BrowserContext, site: Site) -> Iterator[Page]:
    """A page on the second visit, before it starts Python."""
    errors: list[str] = []
    page = second_page(kept, errors)
    yield page
    assert errors == []
    page.close()


def test_python_starts_quietly_from_the_snapshot(returning: Page, site: Site) -> None:
    with returning.expect_worker(lambda worker: worker.url.endswith("/worker/python.js")):
        returning.goto(site.lesson)
    expect(cell(returning)).to_have_attribute("data-state", "idle")
    write_code(cell(returning), "import json, math\nprint(math.sqrt(json.loads('16')))")
    assert run(cell(returning)) == "4.0\n"
    assert restored(returning)


def test_a_restored_interpreter_has_numpy_napkin_and_fresh_random_numbers(
    returning: Page, site: Site
) -> None:
    code = (
        "import random, numpy as np\nfrom napkin.flops import matmul_flops\n"
        "print(matmul_flops(2, 3, 4), float(np.ones(3) @ np.ones(3)))\nrandom.random()"
    )
    drawn = set()
    for _ in range(2):
        returning.goto(site.lesson)
        write_code(cell(returning), code)
        text = run(cell(returning))
        assert text.startswith("48 3.0\n")
        assert restored(returning)
        drawn.add(text)
    assert len(drawn) == 2


def test_a_damaged_snapshot_is_forgotten_and_the_reader_never_notices(
    visitor: Visitor, site: Site
) -> None:
    keep_snapshot(visitor.page, site)
    visitor.page.close()
    returning = second_page(visitor.context, visitor.errors)
    returning.goto(site.url + "changes/")
    returning.evaluate(
        """async () => {
          const cache = await caches.open('napkin-snapshots');
          const [request] = await cache.keys();
          const bytes = new Uint8Array(await (await cache.match(request)).arrayBuffer());
          bytes.fill(7, bytes.length / 2, bytes.length / 2 + 4096);
          await cache.put(request, new Response(bytes));
        }"""
    )
    returning.goto(site.lesson)
    write_code(cell(returning), "print('fine')")
    assert run(cell(returning)) == "fine\n"
    assert not restored(returning)
    expect(part(cell(returning), "status")).to_have_text(re.compile("^Done in"))


def test_snapshots_of_an_old_build_are_deleted(visitor: Visitor, site: Site) -> None:
    page = visitor.page
    page.goto(site.lesson)
    page.evaluate(
        """async (base) => {
          const cache = await caches.open('napkin-snapshots');
          await cache.put(base + 'assets/runtime/snapshot-0.1.0-old', new Response('old'));
          await cache.put('https://elsewhere.example/snapshot', new Response('not ours'));
        }""",
        site.url,
    )
    run(cell(page))
    wait_for(
        page,
        f"({KEPT})().then(urls => urls.some(u => u.includes('snapshot-314'))"
        " && !urls.some(u => u.endsWith('-old')))",
    )
    assert "https://elsewhere.example/snapshot" in page.evaluate(KEPT)


@pytest.mark.parametrize(
    "sparing",
    [
        "Object.defineProperty(navigator, 'connection', {value: {saveData: true}})",
        "Object.defineProperty(navigator, 'deviceMemory', {value: 2})",
        "Object.defineProperty(document, 'visibilityState', {value: 'hidden'})",
    ],
)
def test_readers_who_spare_data_or_memory_start_python_themselves(
    returning: Page, site: Site, sparing: str
) -> None:
    page = returning
    page.add_init_script(sparing)
    page.goto(site.lesson)
    for index in range(3):
        cell(page, index).scroll_into_view_if_needed()
        expect(cell(page, index).locator(".cm-content")).to_be_visible()
    assert not any(worker.url.endswith("/worker/python.js") for worker in page.workers)
    write_code(cell(page), "print('still works')")
    assert run(cell(page)) == "still works\n"


def test_stop_that_costs_the_interpreter_restores_it(returning: Page, site: Site) -> None:
    returning.goto(site.lesson)
    write_code(cell(returning), "import time\ntime.sleep(600)")
    button(cell(returning), "run").click()
    expect(cell(returning)).to_have_attribute("data-state", "running", timeout=30_000)
    button(cell(returning), "stop").click()
    expect(cell(returning)).to_have_attribute("data-state", "stopped", timeout=2_000)
    write_code(cell(returning), "print('again')")
    assert run(cell(returning)) == "again\n"
    assert restored(returning)
