"""Starting Python: nothing before intent, progress, and every failure told with a way on."""

import os
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import (
    LESSON,
    Site,
    Visitor,
    button,
    cell,
    part,
    replace_script,
    run,
    write_code,
)
from .server import serve

# Browser and interpreter complain in their own words when a file cannot be had.
ANYTHING = ""


def runtime_requests(site: Site) -> list[str]:
    requests = [*site.faults.requests, *site.cdn.requests]
    return [path for path in requests if re.search(r"\.(wasm|whl|zip|mjs)|pyodide-lock", path)]


def test_nothing_of_the_runtime_is_fetched_by_loading_and_scrolling(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    for index in range(page.locator("napkin-cell").count()):
        cell(page, index).scroll_into_view_if_needed()
        expect(cell(page, index).locator(".cm-content")).to_be_visible()
    assert runtime_requests(site) == []
    assert not any("python" in worker.url for worker in page.workers)


@pytest.mark.parametrize("intent", ["pointer", "focus"])
def test_coming_near_a_button_starts_python(page: Page, site: Site, intent: str) -> None:
    page.goto(site.lesson)
    with page.expect_worker():
        if intent == "pointer":
            button(cell(page), "copy").hover()
        else:
            button(cell(page), "copy").focus()
    expect(cell(page)).to_have_attribute("data-state", "idle")


def test_a_worker_that_never_answers_is_given_up(visitor: Visitor, site: Site) -> None:
    page = visitor.page
    page.clock.install()
    silent = "postMessage({ type: 'hello' }); onmessage = () => {};"
    replace_script(visitor, "worker/python.js", lambda _: silent)
    page.goto(site.lesson)
    element = cell(page)
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "booting")
    page.clock.fast_forward("01:05")
    expect(element).to_have_attribute("data-state", "error")
    expect(part(element, "status")).to_contain_text("nothing heard for")
    expect(element.get_by_role("button", name="Retry")).to_be_visible()


def test_a_set_up_that_fails_is_told_and_the_cell_waits_for_it(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    element = cell(page)
    element.evaluate(
        """cell => {
          const template = document.createElement("template");
          template.innerHTML = "import time\\nready = time.time() > broken\\n";
          cell.append(template);
        }"""
    )
    write_code(element, "print('ran')")
    text = run(element, "error")
    assert "NameError" in text and "broken" in text and "ran" not in text
    expect(element.locator(".cm-failing")).to_have_count(0)
    write_code(cell(page, 1), "broken = 0")
    run(cell(page, 1))
    write_code(element, "print('ran', ready)")
    assert run(element) == "ran True\n"


def test_coming_near_a_cell_fetches_its_packages_for_python_that_runs(
    visitor: Visitor, site: Site
) -> None:
    page = visitor.page
    # So that nothing is fetched in quiet moments.
    page.add_init_script(
        "Object.defineProperty(navigator, 'connection', {value: {saveData: true}})"
    )
    page.goto(site.lesson)
    run(cell(page))
    assert not any("numpy" in path for path in site.faults.requests)
    with page.expect_request(re.compile("numpy")):
        button(page.locator("napkin-cell[data-packages=numpy]"), "copy").hover()


def test_progress_says_what_is_fetched_and_how_much(visitor: Visitor, cdn_site: Site) -> None:
    visitor.allow(ANYTHING)  # of the start that waits when the server goes
    page = visitor.page
    page.goto(cdn_site.lesson)
    cdn_site.cdn.set("hang", "pyodide.asm.wasm")
    element = cell(page)
    button(element, "run").click()
    status = part(element, "status")
    expect(status).to_have_text(re.compile(r"Fetching Python.*: \d+\.\d of \d+\.\d MB"))
    expect(element.locator("progress")).to_be_visible()
    button(element, "stop").click()


@pytest.mark.parametrize(
    ("fault", "only", "told"),
    [
        ("hang", "", "nothing arrived for 7 seconds"),
        ("hang", "pyodide.asm.wasm", "nothing arrived for 7 seconds"),
        ("missing", "", "the server answered 404"),
        ("missing", "pyodide.asm.wasm", "the server answered 404"),
        ("html", "", "bytes arrived instead of"),
        ("html", "pyodide-lock.json", "bytes arrived instead of"),
        ("corrupt", "pyodide.asm.wasm", "not the published file"),
        ("corrupt", "pyodide.asm.mjs", "not the published file"),
        ("cut", "pyodide.asm.mjs", "bytes arrived instead of"),
    ],
)
def test_a_cdn_that_fails_is_told_within_ten_seconds_and_retry_recovers(
    visitor: Visitor, cdn_site: Site, fault: str, only: str, told: str
) -> None:
    visitor.allow(ANYTHING)
    page = visitor.page
    page.goto(cdn_site.lesson)
    element = cell(page)
    recorded = part(element, "output").text_content()
    cdn_site.cdn.set(fault, only)
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "error", timeout=10_000)
    expect(part(element, "status")).to_contain_text(told)
    if only:
        expect(part(element, "status")).to_contain_text(only)
    expect(element).to_have_attribute("data-output", "recorded")
    assert part(element, "output").text_content() == recorded

    cdn_site.cdn.set("ok")
    cdn_site.cdn.released.set()
    element.get_by_role("button", name="Retry").click()
    expect(element).to_have_attribute("data-state", "done", timeout=60_000)
    expect(element).to_have_attribute("data-output", "live")


@pytest.mark.parametrize("fault", ["hang", "missing", "html", "corrupt"])
@pytest.mark.parametrize("only", ["stdlib-", "napkin-", "config.js"])
def test_files_of_the_site_itself_that_fail(
    visitor: Visitor, site: Site, fault: str, only: str
) -> None:
    visitor.allow(ANYTHING)
    page = visitor.page
    if only == "config.js":
        # Read with the page: without it there are no live cells, and the page still reads well.
        site.faults.set("missing" if fault == "hang" else fault, only)
        page.goto(site.lesson)
        expect(part(cell(page), "code")).to_be_visible()
        expect(part(cell(page), "output")).to_be_visible()
        return
    page.goto(site.lesson)
    site.faults.set(fault, only)
    button(cell(page), "run").click()
    expect(cell(page)).to_have_attribute("data-state", "error", timeout=10_000)
    expect(part(cell(page), "status")).to_contain_text(only)
    site.faults.set("ok")
    site.faults.released.set()
    cell(page).get_by_role("button", name="Retry").click()
    expect(cell(page)).to_have_attribute("data-state", "done", timeout=60_000)


def publish_anew(site: Path) -> None:
    """Name the site's own files of the runtime as another version of the course does."""
    config = site / "assets/runtime/config.js"
    text = config.read_text("utf-8")
    for file, stem, kind in re.findall(r'"file": "((.+)-[0-9a-f]+\.(zip|pack))"', text):
        renamed = f"{stem}-00000000.{kind}"
        (config.parent / file).rename(config.parent / renamed)
        text = text.replace(f'"{file}"', f'"{renamed}"')
    config.unlink()  # a hard link to the built one
    config.write_text(text, "utf-8")


def test_a_page_left_open_while_the_course_changes_says_so(
    visitor: Visitor, built_site: Path, tmp_path: Path
) -> None:
    visitor.allow("404")
    page = visitor.page
    shutil.copytree(built_site, tmp_path / "site", copy_function=os.link)
    with serve(tmp_path / "site") as (url, _):
        page.goto(url + LESSON)
        write_code(cell(page), "print('mine')")
        publish_anew(tmp_path / "site")
        button(cell(page), "run").click()
        status = part(cell(page), "status")
        expect(status).to_contain_text("The course has a new version")
        expect(status).to_contain_text("Your edits are kept.")
        expect(button(cell(page), "retry")).to_have_count(0)
        exercise = page.locator("napkin-exercise").first
        button(exercise, "check").click()
        expect(part(exercise, "status")).to_contain_text("The course has a new version")
        button(cell(page), "reload").click()
        expect(status).to_contain_text("Your version")
        assert run(cell(page)) == "mine\n"


def test_a_cdn_that_cannot_be_reached(visitor: Visitor, cdn_site: Site) -> None:
    visitor.allow(ANYTHING)
    page = visitor.page
    page.goto(cdn_site.lesson)
    element = cell(page)
    # Offline for real: no request of the page or its worker leaves the browser.
    visitor.context.set_offline(True)
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "error", timeout=10_000)
    visitor.context.set_offline(False)
    element.get_by_role("button", name="Retry").click()
    expect(element).to_have_attribute("data-state", "done", timeout=60_000)


def test_a_package_that_fails_fails_the_cell_that_needs_it_only(
    visitor: Visitor, site: Site
) -> None:
    visitor.allow(ANYTHING)
    page = visitor.page
    page.goto(site.lesson)
    site.faults.set("missing", "numpy")
    element = page.locator("napkin-cell[data-packages=numpy]")  # for which Python starts
    write_code(element, "print('no package needed')")
    run(element)
    write_code(element, "import numpy\nprint(numpy.ones(3).sum())")
    run(element, "error")
    expect(part(element, "status")).to_contain_text("numpy")
    expect(part(element, "status")).to_contain_text("the server answered 404. Check the connection")
    expect(part(element, "output")).to_have_text("no package needed")
    site.faults.set("ok")
    button(element, "retry").click()
    expect(part(element, "output")).to_have_text("3.0")


def test_the_rest_of_the_library_is_waited_for_only_where_it_is_needed(
    visitor: Visitor, site: Site
) -> None:
    visitor.allow(ANYTHING)
    page = visitor.page
    page.goto(site.lesson)
    element = cell(page)
    site.faults.set("missing", "stdlib-rest")
    write_code(element, "print('no need')")
    run(element)
    # An import that the page does not see in the code.
    write_code(element, "wave = __import__('wa' + 've')")
    assert "wave is fetched when it is first imported, and that failed" in run(element, "error")
    # One that it sees.
    write_code(element, "import wave\nprint(wave.__name__)")
    run(element, "error")
    expect(part(element, "status")).to_contain_text("stdlib-rest")
    site.faults.set("hang", "stdlib-rest")
    button(element, "retry").click()
    expect(part(element, "status")).to_contain_text("Fetching Python")
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped")
    site.faults.set("ok")
    site.faults.released.set()
    assert run(element) == "wave\n"
    write_code(element, "__import__('xml.dom').dom.__name__")
    assert run(element) == "'xml.dom'\n"


def test_the_runtime_comes_from_the_other_origin_only(page: Page, cdn_site: Site) -> None:
    page.goto(cdn_site.lesson)
    run(cell(page))
    assert [path for path in cdn_site.faults.requests if "pyodide" in path] == []
    assert any("pyodide.asm.wasm" in path for path in cdn_site.cdn.requests)
