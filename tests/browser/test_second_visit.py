"""The second visit starts from what the first one kept, and never suffers from it."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Worker, expect

from .conftest import (
    Site,
    Visitor,
    button,
    cell,
    part,
    replace_script,
    run,
    wait_for,
    write_code,
)

KEPT = """async () => {
  const cache = await caches.open('napkin-snapshots');
  return (await cache.keys()).map(({url}) => url);
}"""
KEPT_FILES = "caches.open('napkin-runtime').then(c => c.keys()).then(keys => keys.length)"


def keep_snapshot(page: Page, url: str, files: int = 8) -> str:
    """A first visit, until the runtime's files and its snapshot are kept; the latter's address."""
    page.goto(url)
    write_code(cell(page), "print('first')")
    run(cell(page))
    wait_for(page, f"{KEPT_FILES}.then(length => length >= {files})")
    wait_for(page, f"({KEPT})().then(urls => urls.length === 1)")
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
    keep_snapshot(page, _site.lesson)
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


DAMAGED = """async () => {
  const cache = await caches.open('napkin-snapshots');
  const [request] = await cache.keys();
  const bytes = new Uint8Array(await (await cache.match(request)).arrayBuffer());
  bytes.fill(7, bytes.length / 2, bytes.length / 2 + 4096);
  await cache.put(request, new Response(bytes));
}"""
# Whole, with a good checksum, and nothing that an interpreter could start from.
NONSENSE = """async () => {
  const cache = await caches.open('napkin-snapshots');
  const [request] = await cache.keys();
  const { saveSnapshot } = await import(new URL('../js/worker/snapshots.js', request.url));
  await saveSnapshot(request.url, new Uint8Array(4096).fill(7));
}"""


def test_a_snapshot_that_fails_is_forgotten_and_the_reader_never_notices(
    visitor: Visitor, site: Site
) -> None:
    key = keep_snapshot(visitor.page, site.lesson)
    visitor.page.close()
    for broken in (DAMAGED, NONSENSE):
        page = second_page(visitor.context, visitor.errors)
        page.goto(site.url + "changes/")
        page.evaluate(broken)
        page.goto(site.lesson)
        write_code(cell(page), "print('fine')")
        assert run(cell(page)) == "fine\n"
        assert not restored(page)
        expect(part(cell(page), "status")).to_have_text(re.compile("^Done in"))
        # The next one is made as after a first visit.
        wait_for(page, f"({KEPT})().then(urls => urls.includes('{key}'))")
        page.close()


def test_a_snapshot_that_is_late_or_cannot_be_made_is_done_without(
    visitor: Visitor, site: Site
) -> None:
    page = visitor.page
    replace_script(
        visitor,
        "worker/snapshots.js",
        lambda text: text.replace("pyodide.makeMemorySnapshot()", "pyodide.noSuchFunction()"),
    )
    page.goto(site.lesson)
    run(cell(page))
    with page.expect_worker(lambda worker: worker.url.endswith("python.js")) as second:
        write_code(cell(page), "print('still here')")
        assert run(cell(page)) == "still here\n"
    for _ in range(600):  # until the one that was to make it has ended
        if second.value not in page.workers:
            break
        page.wait_for_timeout(100)
    assert second.value not in page.workers
    assert page.evaluate(KEPT) == []
    assert page.evaluate(KEPT_FILES) == 8

    visitor.context.unroute_all()
    keep_snapshot(page, site.lesson)
    replace_script(
        visitor,
        "worker/interpreter.js",
        lambda text: text.replace("RESTORE_MS = 10_000", "RESTORE_MS = 1"),
    )
    page.goto(site.lesson)
    write_code(cell(page), "print('in the end')")
    assert run(cell(page)) == "in the end\n"
    assert not restored(page)


def test_a_cdn_that_hangs_on_the_second_visit_is_told_and_costs_no_snapshot(
    visitor: Visitor, cdn_site: Site
) -> None:
    visitor.allow("")
    page = visitor.page
    # No service worker to help, and with a route the browser's own cache is off.
    visitor.context.add_init_script("delete Object.getPrototypeOf(navigator).serviceWorker")
    visitor.context.route("**/no-such-file", lambda route: route.abort())
    key = keep_snapshot(page, cdn_site.lesson)
    page.goto(cdn_site.url + "changes/")
    cdn_site.cdn.set("hang")
    page.goto(cdn_site.lesson)
    element = cell(page)
    write_code(element, "print('here')")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "error", timeout=15_000)
    expect(part(element, "status")).to_contain_text("nothing arrived for 7 seconds")
    assert page.evaluate(KEPT) == [key]
    cdn_site.cdn.set("ok")
    cdn_site.cdn.released.set()
    button(element, "retry").click()
    expect(element).to_have_attribute("data-state", "done", timeout=60_000)
    assert restored(page)


def test_full_or_failing_storage_costs_the_next_visit_its_start_and_nothing_else(
    visitor: Visitor, site: Site
) -> None:
    page = visitor.page
    replace_script(
        visitor,
        "worker/snapshots.js",
        lambda text: (
            "const caches = { open: async () => { throw new DOMException('full'); } };" + text
        ),
    )
    page.goto(site.lesson)
    page.evaluate(
        """() => {
          window.tried = new Promise((resolve) => {
            Cache.prototype.put = async () => {
              resolve();
              throw new DOMException('full', 'QuotaExceededError');
            };
          });
        }"""
    )
    write_code(cell(page), "import numpy\nprint('full')")
    assert run(cell(page)) == "full\n"
    page.evaluate("window.tried")
    page.reload()
    write_code(cell(page), "print('again')")
    assert run(cell(page)) == "again\n"
    assert page.evaluate(KEPT) == []


def test_a_phone_that_does_not_tell_its_memory_keeps_files_but_runs_no_second_python(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(has_touch=True, is_mobile=True).page
    page.add_init_script("Object.defineProperty(navigator, 'deviceMemory', {value: undefined})")
    started: list[Worker] = []
    page.on("worker", lambda worker: started.append(worker))
    page.goto(site.lesson)
    write_code(cell(page), "print('small')")
    run(cell(page))
    wait_for(page, f"{KEPT_FILES}.then(length => length === 8)")
    write_code(cell(page), "print('again')")
    assert run(cell(page)) == "again\n"
    assert len([worker for worker in started if worker.url.endswith("python.js")]) == 1


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
        "Object.defineProperty(navigator, 'deviceMemory', {value: undefined});"
        "const ask = matchMedia;"
        "matchMedia = query => query === '(pointer: coarse)' ? {matches: true} : ask(query)",
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


def test_a_page_opened_behind_others_starts_when_it_is_looked_at(
    returning: Page, site: Site
) -> None:
    page = returning
    page.add_init_script(
        "window.seen = 'hidden';"
        "Object.defineProperty(document, 'visibilityState', {get: () => window.seen})"
    )
    page.goto(site.lesson)
    expect(cell(page).locator(".cm-content")).to_be_visible()
    assert not any(worker.url.endswith("/worker/python.js") for worker in page.workers)
    with page.expect_worker(lambda worker: worker.url.endswith("/worker/python.js")):
        page.evaluate(
            "window.seen = 'visible'; document.dispatchEvent(new Event('visibilitychange'))"
        )


def test_stop_that_costs_the_interpreter_restores_it(returning: Page, site: Site) -> None:
    returning.goto(site.lesson)
    write_code(cell(returning), "sum(range(10**11))")
    button(cell(returning), "run").click()
    expect(cell(returning)).to_have_attribute("data-state", "running", timeout=30_000)
    button(cell(returning), "stop").click()
    expect(cell(returning)).to_have_attribute("data-state", "stopped", timeout=2_000)
    write_code(cell(returning), "print('again')")
    assert run(cell(returning)) == "again\n"
    assert restored(returning)
