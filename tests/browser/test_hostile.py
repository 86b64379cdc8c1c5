"""Whatever code prints, is called or sends: the page shows it as text and goes on working."""

import pytest
from playwright.sync_api import Page, expect

from .conftest import Site, Visitor, button, cell, part, run, write_code


@pytest.fixture
def lesson(page: Page, site: Site) -> Page:
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(site.lesson)
    expect(cell(page).locator(".cm-content")).to_be_visible()
    return page


MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.mark.parametrize(
    "code",
    [
        f"raise ValueError({MARKUP!r})",
        f"exec(compile('1/0', {MARKUP!r}, 'exec'))",
        f"type({MARKUP!r}, (Exception,), {{}})()\nraise type({MARKUP!r}, (Exception,), {{}})()",
        f"import sys\nprint({MARKUP!r}, file=sys.stderr)\n1/0",
        f"{{}}[{MARKUP!r}]",
    ],
)
def test_markup_in_errors_is_shown_as_text(lesson: Page, code: str) -> None:
    write_code(cell(lesson), code)
    assert "<img src=x onerror=alert(1)>" in run(cell(lesson), "error")
    expect(cell(lesson).locator("img, script")).to_have_count(0)


def test_five_megabytes_and_lone_surrogates(lesson: Page) -> None:
    write_code(cell(lesson), "print('\\ud800 ' + 'x' * 5_000_000)")
    text = run(cell(lesson))
    assert text.startswith("\\ud800 xxx")
    assert len(text) < 260_000
    assert "output cut here" in text
    write_code(cell(lesson), "'\\udfff'")
    run(cell(lesson))
    # An error's text, its name and the help with it.
    code = "raise type('E' * 5_000_000, (ImportError,), {})('\\ud800' * 5_000_000)"
    write_code(cell(lesson), code)
    text = run(cell(lesson), "error")
    assert text.startswith("Traceback") and "characters left out" in text
    assert len(text) < 130_000
    assert len(part(cell(lesson), "status").inner_text()) < 300
    write_code(cell(lesson), "import sys\nprint('x\\n' * 2_500_000, file=sys.stderr)\n1/0")
    text = run(cell(lesson), "error")
    assert text.endswith("ZeroDivisionError: division by zero\n")
    assert len(text) < 260_000


SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)">
  <script>alert(2)</script>
  <foreignObject><img src="/napkin/stolen"/></foreignObject>
  <image href="/napkin/stolen"/>
  <a href="javascript:alert(3)"><text>t</text></a>
  <style>@import url(/napkin/stolen); .md-header { display: none }</style>
  <style>@\\69mport url(/napkin/stolen)</style>
  <rect style="position: fixed; inset: 0; fill: url(/napkin/stolen)"/>
  <rect fill="u\\72l(/napkin/stolen)" class="md-overlay"/>
  <rect mask="image-set('/napkin/stolen' 1x)" transform="translate(1, 2)"/>
</svg>"""

# The page does not rely on what Python makes of a drawing: send it by the worker's own channel.
FIGURE = f"""import json
from js import Object, self as worker
from pyodide.ffi import to_js
figure = json.dumps(dict(svg={SVG!r}, alt="<b>alt</b>"))
for run in range(1, 50):
    message = dict(type="output", id=run, pieces=[dict(stream="figure", text=figure)])
    worker.postMessage(to_js(message, dict_converter=Object.fromEntries))
"""


def test_a_hostile_figure_brings_no_script_and_fetches_nothing(lesson: Page, site: Site) -> None:
    write_code(cell(lesson), FIGURE)
    run(cell(lesson))
    figure = part(cell(lesson), "output").locator("figure").first
    expect(figure).to_be_attached()
    for hostile in ("script", "style", "foreignObject", "img", "a", "image[href]"):
        expect(figure.locator(hostile)).to_have_count(0)
    expect(figure.locator("[onload], [style], [class], [mask]")).to_have_count(0)
    expect(figure.locator("rect[transform]")).to_be_attached()
    expect(figure).to_have_attribute("aria-label", "<b>alt</b>")
    expect(lesson.locator(".md-header")).to_be_visible()
    assert not any("stolen" in path for path in site.faults.requests)


@pytest.mark.parametrize(
    "code",
    [
        "import builtins\ndel builtins.print, builtins.len\nbuiltins.__dict__.clear()",
        "import sys\nsys.stdout = sys.stderr = None",
        "import sys\nsys.modules.clear()",
        "import cellrunner.runner as r\nr.Runner.run = None",
        "import napkin.flops as f\nf.matmul_flops = lambda *a: 0",
        "from js import self as w\nw.postMessage('nonsense'); w.postMessage(None)",
        "from js import self as w\nw.onmessage = None",
        "import asyncio\nfor _ in range(100): asyncio.ensure_future(asyncio.sleep(600))",
        "import gc\ngc.disable()\nimport sys\nsys.setrecursionlimit(50)",
    ],
)
def test_whatever_a_cell_breaks_stop_or_reload_mends(
    visitor: Visitor, site: Site, code: str
) -> None:
    visitor.allow("")
    page = visitor.page
    page.goto(site.lesson)
    element = cell(page)
    write_code(element, code)
    button(element, "run").click()
    expect(element).not_to_have_attribute("data-state", "idle")
    expect(element).not_to_have_attribute("data-state", "booting", timeout=60_000)
    write_code(cell(page, 1), "print('alive')")
    for _ in range(2):  # a run that hangs is stopped, and the next one is whole again
        button(cell(page, 1), "run").click(force=True)
        page.wait_for_timeout(1_500)
        if part(cell(page, 1), "output").inner_text() == "alive":
            break
        for broken in (element, cell(page, 1)):
            button(broken, "stop").click(force=True)
        page.wait_for_timeout(2_000)
        write_code(element, "pass")
    assert run(cell(page, 1)) == "alive\n"


def test_a_worker_that_never_answers_is_told_within_ten_seconds(
    visitor: Visitor, site: Site
) -> None:
    visitor.allow("")
    page = visitor.page
    page.goto(site.lesson)
    expect(cell(page).locator(".cm-content")).to_be_visible()
    site.faults.set("hang", "worker/interpreter.js")
    button(cell(page), "run").click()
    expect(cell(page)).to_have_attribute("data-state", "error", timeout=10_000)
    expect(part(cell(page), "status")).to_contain_text("did not start")
    site.faults.set("ok")
    site.faults.released.set()
    cell(page).get_by_role("button", name="Retry").click()
    expect(cell(page)).to_have_attribute("data-state", "done", timeout=60_000)


def test_reload_while_running(lesson: Page) -> None:
    write_code(cell(lesson), "while True: pass")
    button(cell(lesson), "run").click()
    expect(cell(lesson)).to_have_attribute("data-state", "running", timeout=60_000)
    lesson.reload()
    expect(cell(lesson)).to_have_attribute("data-output", "recorded")
    write_code(cell(lesson), "print('fresh')")
    assert run(cell(lesson)) == "fresh\n"
