"""A link that carries a cell's code, and files to take along."""

import ast
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sitekit.paths import ROOT

from .conftest import Site, Visitor, button, cell, part, run, wait_for, write_code

CODES = [
    "print('shared: é 日本 🧮')",
    "x = '<b>&amp;</b><script>alert(1)</script>'\nprint(x)",
    "# " + "long " * 1500,
]


def link_of(page: Page, code: str) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    write_code(cell(page), code)
    button(cell(page), "more").click()
    button(cell(page), "share").click()
    expect(button(cell(page), "share")).to_have_text("Copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


@pytest.mark.parametrize("code", CODES)
def test_a_link_carries_the_code_and_never_runs_it(
    visitor: Visitor, site: Site, code: str
) -> None:
    page = visitor.page
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(site.lesson)
    lesson = cell(page).locator(".cm-content").inner_text()
    link = link_of(page, code)
    button(cell(page), "reset").click()
    page.goto("about:blank")
    page.goto(link)
    element = cell(page)
    expect(part(element, "status")).to_contain_text("read it before you run it")
    expect(element).to_have_attribute("data-state", "idle")
    expect(element).to_have_attribute("data-output", "recorded")
    expect(element.locator(".cm-content")).to_contain_text(code[:20])
    assert element.evaluate("e => e.code") == code
    assert not any("python" in worker.url for worker in page.workers if "search" not in worker.url)
    button(element, "dismiss").click()
    assert element.locator(".cm-content").inner_text() == lesson
    assert page.url == site.lesson


def test_neither_link_nor_run_nor_reset_costs_the_reader_any_code(page: Page, site: Site) -> None:
    def shows(code: str) -> None:
        expect(cell(page).locator(".cm-content")).to_have_text(code)

    mine, theirs = "mine = 'before the link'", "print('from the link')"
    page.goto(site.lesson)
    link = link_of(page, theirs)
    write_code(cell(page), mine)
    page.goto(link)  # in the tab that shows the lesson: only the fragment changes
    expect(part(cell(page), "status")).to_contain_text("read it before you run it")
    shows(theirs)
    run(cell(page))
    button(cell(page), "dismiss").click()
    shows(mine)
    page.goto(link)
    shows(theirs)
    run(cell(page))
    button(cell(page), "reset").click()
    page.reload()
    button(cell(page), "my-version").click()
    shows(mine)
    page.goto(link)
    shows(theirs)
    cell(page).locator(".cm-content").press("ControlOrMeta+End")
    page.keyboard.insert_text("  # changed")
    run(cell(page))
    wait_for(page, "Object.values(localStorage).some(value => value.includes('# changed'))")
    page.reload()
    shows(theirs + "  # changed")
    button(cell(page), "my-version").click()
    shows(mine)
    page.reload()
    shows(mine)
    button(cell(page), "my-version").click()
    shows(theirs + "  # changed")


@pytest.mark.parametrize("data", ["!!!", "A" * 1_900_000], ids=len)
def test_a_damaged_link_is_told_and_changes_nothing(page: Page, site: Site, data: str) -> None:
    page.goto(site.lesson)
    name = cell(page).get_attribute("id")
    lesson = cell(page).locator(".cm-content").inner_text()
    page.goto("about:blank")
    page.goto(f"{site.lesson}#{name}={data}")
    expect(part(cell(page), "status")).to_contain_text("damaged")
    assert cell(page).locator(".cm-content").inner_text() == lesson


def test_a_link_that_cannot_be_copied_is_shown_and_one_too_long_is_told(
    page: Page, site: Site
) -> None:
    page.goto(site.lesson)
    element = cell(page)
    page.evaluate("() => { Clipboard.prototype.write = async () => { throw Error('no') } }")
    page.evaluate("() => { document.execCommand = () => false }")
    button(element, "more").click()
    button(element, "share").click()
    field = element.get_by_label("Copy this link by hand")
    expect(field).to_be_focused()
    assert f"#{element.get_attribute('id')}=" in field.input_value()
    write_code(element, "# " + "x" * 30_000)
    button(element, "share").click()
    expect(part(element, "status")).to_contain_text("too long for a link")
    expect(field).to_have_count(0)


def test_the_script_to_download_holds_all_cells_as_edited(
    page: Page, site: Site, tmp_path: Path
) -> None:
    page.goto(site.lesson)
    write_code(cell(page), "edited = 'é'")
    button(cell(page), "more").click()
    with page.expect_download() as download:
        button(cell(page), "script").click()
    assert download.value.suggested_filename == "counting-operations.py"
    download.value.save_as(tmp_path / "lesson.py")
    script = (tmp_path / "lesson.py").read_text("utf-8")
    ast.parse(script)
    assert "edited = 'é'" in script
    assert script.count("# %% ") == page.locator("napkin-cell").count()


def test_the_notebook_to_download_is_a_notebook(page: Page, site: Site, tmp_path: Path) -> None:
    page.goto(site.lesson)
    button(cell(page), "more").click()
    with page.expect_download() as download:
        button(cell(page), "notebook").click()
    download.value.save_as(tmp_path / "lesson.ipynb")
    notebook = json.loads((tmp_path / "lesson.ipynb").read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    code = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    install, *cells = ["".join(c["source"]) for c in code]
    assert install.startswith("%pip install")
    assert len(cells) == page.locator("napkin-cell").count()
    assert len({c["id"] for c in notebook["cells"]}) == len(notebook["cells"])
    ast.parse("\n".join(cells))


def test_colab_opens_the_lessons_notebook_of_the_repository(page: Page, site: Site) -> None:
    page.context.route("https://colab.research.google.com/**", lambda route: route.fulfill(body=""))
    page.goto(site.lesson)
    button(cell(page), "more").click()
    with page.context.expect_page() as opened:
        button(cell(page), "colab").click()
    address = opened.value.url
    repository, _, path = address.removeprefix("https://colab.research.google.com/github/").partition(
        "/blob/main/"
    )
    assert repository.count("/") == 1
    assert (ROOT / path).name == "counting_operations.ipynb"
    assert (ROOT / path).exists()


def test_run_all_above_and_run_all_go_in_order(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    for index, code in enumerate(["log = ['a']", "log.append('b')", "print(log)"]):
        write_code(cell(page, index), code)
    button(cell(page, 2), "more").click()
    button(cell(page, 2), "run-above").click()
    expect(cell(page, 1)).to_have_attribute("data-state", "done", timeout=60_000)
    expect(cell(page, 2)).to_have_attribute("data-state", "idle")
    assert run(cell(page, 2)) == "['a', 'b']\n"
    write_code(cell(page, 1), "log.append('c'); 1 / 0")
    button(cell(page, 0), "more").click()
    button(cell(page, 0), "run-all").click()
    expect(cell(page, 1)).to_have_attribute("data-state", "error")
    expect(part(cell(page, 2), "output")).to_have_text("['a', 'b']")


def test_a_name_from_a_cell_above_offers_to_run_that_first(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    write_code(cell(page, 0), "width = 6")
    write_code(cell(page, 1), "height = 7")
    write_code(cell(page, 2), "print(width * height)")
    assert "NameError" in run(cell(page, 2), "error")
    expect(part(cell(page, 2), "status")).to_contain_text("width is defined in a cell above")
    button(cell(page, 2), "run-above-first").click()
    expect(cell(page, 2)).to_have_attribute("data-state", "done", timeout=60_000)
    expect(part(cell(page, 2), "output")).to_have_text("42")
