"""Calculators in the browser: what they show is what the function says."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from napkin.fields import Amount, GpuInput, ModelInput, Options, Text
from napkin.forms import Field, Form, calculator
from tests.samples import TOOLS, references, sample_texts

from .conftest import Site, Visitor, part, wait_for
from .test_accessibility import violations

SAMPLES = 200
KV = "tools/kv-cache/"
# A configuration that no preset has.
CONFIG = {
    "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 7, "num_attention_heads": 16,
    "num_key_value_heads": 4, "intermediate_size": 4096, "vocab_size": 32000,
}  # fmt: skip


def calculator_of(page: Page, index: int = 0) -> Locator:
    """The page's calculator, once its script is there: its form stands in the page before."""
    element = page.locator("napkin-calculator").nth(index)
    expect(part(element, "toolbar")).to_be_attached()
    return element


def field(element: Locator, name: str) -> Locator:
    return element.locator(f"[name={name}]")


def headline(element: Locator) -> Locator:
    return element.locator("[data-part=headline] strong")


def python_fetched(site: Site) -> bool:
    return any("/runtime/pyodide/" in path for path in site.faults.requests)


def library_fetched(site: Site) -> bool:
    return any("/vendor/plot.js" in path for path in site.faults.requests)


def settled(element: Locator) -> None:
    """Wait until the answer belongs to what the fields say."""
    expect(element).to_have_attribute("data-state", "ready", timeout=60_000)
    expect(element).not_to_have_attribute("data-old", re.compile(""))
    expect(element.locator("[aria-busy]")).to_have_count(0)  # pictures follow the numbers


def shows(element: Locator, form: Form, texts: dict[str, str]) -> None:
    """The page shows CPython's answer to these texts, row by row."""
    expected = form.answer(texts)["answer"]
    assert expected is not None, texts
    rows = [expected["headline"]]
    for table in expected["tables"]:
        rows += table["rows"]
        rows += [table["total"]] if table["total"] and len(table["rows"]) > 1 else []
    wanted = [[row["key"], row["text"], row["working"]] for row in rows]
    end = time.monotonic() + 60
    while (shown := rows_of(element)) != wanted and time.monotonic() < end:
        element.page.wait_for_timeout(25)
    assert shown == wanted, texts


def rows_of(element: Locator) -> list[list[str]]:
    """Key, value and working of every row that the page shows."""
    rows: list[list[str]] = element.locator("[data-part=result] [data-row]").evaluate_all(
        """rows => rows.map(row => [
          row.dataset.row, row.querySelector('[data-value]').textContent,
          row.querySelector('[data-part=working]')?.textContent ?? ''])"""
    )
    return rows


def other_text(one: Field) -> str | None:
    """A text for the field that is not its default."""
    reader = one.reader
    if isinstance(reader, Options):
        return next((str(value) for value in reader.values if str(value) != one.default), None)
    if isinstance(reader, ModelInput):
        return "llama-3.2-1b" if one.default != "llama-3.2-1b" else "qwen3-8b"
    if isinstance(reader, GpuInput):
        return "RTX 4090" if one.default != "RTX 4090" else "H100 SXM"
    if isinstance(reader, (Amount, Text)):
        return next((text for text in reader.suggestions if text != one.default), None)
    return "no" if one.default == "yes" else "yes"


def nearly(left: Any, right: Any) -> bool:
    """Equal, but for the last bits: of two C libraries' logarithms, of integers beyond 2^53."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(nearly(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(nearly, left, right))
    numbers = (int, float)
    if isinstance(left, numbers) and isinstance(right, numbers) and not isinstance(left, bool):
        return math.isclose(left, right, rel_tol=1e-12)
    return bool(left == right)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda path: path.stem)
def test_a_tools_page_answers_as_its_function_does(
    open_window: Callable[..., Visitor], site: Site, tool: Path
) -> None:
    visitor = open_window(viewport={"width": 390, "height": 844})
    page = visitor.page
    url = f"{site.url}tools/{tool.stem}/"
    page.goto(url)
    calculators = references(tool)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert not python_fetched(site), "fetched unasked"
    assert not library_fetched(site), "fetched unasked"

    for index, reference in enumerate(calculators):
        element, form = calculator_of(page, index), calculator(reference)
        shows(element, form, {})
        texts: dict[str, str] = {}
        # One field after the other: by hand as a reader, and checked each time.
        for one in form.fields:
            text = other_text(one)
            if text is None or form.answer({**texts, one.name: text})["answer"] is None:
                continue
            enter(element, one, text)
            texts[one.name] = text
            shows(element, form, texts)
        settled(element)
        link = page.url
        bad_fields_keep_everything_else(element, form, texts)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        # The link gives the same again, in a window that has never been here.
        if index == 0 and texts:
            assert violations(page) == []
            page.goto("about:blank")
            page.goto(link)
            shows(element, form, texts)
            for one in form.fields:
                if one.name in texts and not isinstance(one.reader, Options):
                    expect(element.locator(f"[data-input={one.name}]")).to_contain_text(
                        texts[one.name]
                    )
        element.locator("button[data-action=reset]").click()
        shows(element, form, {})
        draws_what_the_build_drew(page, site, element, form)
        assert_samples(page, site, reference, form, -(-SAMPLES // len(TOOLS) // len(calculators)))


def enter(element: Locator, one: Field, text: str) -> None:
    control = field(element, one.name)
    if isinstance(one.reader, Options):
        control.select_option(text)
    elif control.get_attribute("type") == "checkbox":
        control.set_checked(text == "yes")
    elif isinstance(one.reader, (ModelInput, GpuInput)):
        # From the list, by its words, with the keyboard.
        control.press("ControlOrMeta+a")
        words = text.replace("-", " ")
        element.page.keyboard.insert_text(words)
        option = element.locator(f"[role=option][data-choice='{text}']")
        if words != text:  # which closes the list
            expect(option).to_be_visible()
        for _ in range(element.locator("[role=option]").count()):
            control.press("ArrowDown")
            if option.get_attribute("aria-selected") == "true":
                break
        control.press("Enter")
        expect(control).to_have_value(text)
    else:
        control.fill(text)


def bad_fields_keep_everything_else(element: Locator, form: Form, texts: dict[str, str]) -> None:
    """A bad text is told beside its field; the last answer stays, marked; nothing is lost."""
    typed = [one for one in form.fields if isinstance(one.reader, (Amount, ModelInput, GpuInput))]
    before = part(element, "result").inner_html()
    for one in typed:
        control = field(element, one.name)
        control.fill("lots of it")
        expect(control).to_have_attribute("aria-invalid", "true")
        expect(element).to_have_attribute("data-old", "")
        message = form.answer({**texts, one.name: "lots of it"})["problems"][one.name]
        described = (control.get_attribute("aria-describedby") or "").split()
        assert message in [element.page.locator(f"#{ident}").text_content() for ident in described]
        assert part(element, "result").inner_html() == before
        for other in form.fields:
            if other is not one and other.name in texts and not isinstance(other.reader, Options):
                assert element.locator(f"[data-input={other.name}]").text_content()
        control.fill(texts.get(one.name, one.default))
        expect(control).not_to_have_attribute("aria-invalid", "true")
        settled(element)


# Attributes in one order: the browser and the build write them in their own.
MARKUP = """element => {
  const said = ({ tagName, attributes, childNodes, textContent }) => tagName === undefined
    ? textContent
    : [tagName, Object.fromEntries([...attributes].map(({ name, value }) => [name, value]).sort()),
      [...childNodes].map(said)];
  return JSON.stringify([...element.childNodes].map(said));
}"""


def draws_what_the_build_drew(page: Page, site: Site, element: Locator, form: Form) -> None:
    """The page's own drawing of each default chart is the very picture that stands there."""
    for chart in form.answer({})["answer"]["charts"]:
        picture = element.locator(f"[data-chart={chart['key']}] [data-part=picture]")
        drawn = page.evaluate_handle(
            """async ([url, chart]) => {
              const { drawer } = await import(url);
              const box = document.createElement("div");
              box.append(...(await drawer())(chart));
              return box;
            }""",
            [f"{site.url}assets/js/lib/calculator/pictures.js", chart],
        )
        assert drawn.evaluate(MARKUP) == picture.evaluate(MARKUP), chart["key"]


def assert_samples(page: Page, site: Site, reference: str, form: Form, count: int) -> None:
    samples = [sample_texts(form, seed) for seed in range(count)]
    replies = page.evaluate(
        """async ([url, reference, samples]) => {
          const { runtime } = await import(url);
          const replies = [];
          for (const texts of samples) {
            const reply = await runtime.call("napkin.forms:answer", [reference, texts]);
            delete reply.html;
            replies.push(reply);
          }
          return JSON.stringify(replies);
        }""",
        [f"{site.url}assets/js/lib/runtime.js", reference, samples],
    )
    for texts, reply in zip(samples, json.loads(replies), strict=True):
        expected = json.loads(json.dumps({**form.answer(texts), "html": None}))
        del expected["html"]
        assert nearly(reply, expected), texts


@pytest.mark.parametrize("tool", TOOLS, ids=lambda path: path.stem)
def test_without_scripts_the_defaults_and_their_answer_are_there(
    open_window: Callable[..., Visitor], site: Site, tool: Path
) -> None:
    page = open_window(java_script_enabled=False, viewport={"width": 390, "height": 844}).page
    page.goto(f"{site.url}tools/{tool.stem}/")
    for index, reference in enumerate(references(tool)):
        element = page.locator("napkin-calculator").nth(index)
        form = calculator(reference)
        expect(part(element, "form")).to_be_hidden()
        for one in form.fields:
            expect(element.locator(f"[data-input={one.name}]")).to_be_visible()
        answer = form.answer({})["answer"]
        expect(headline(element)).to_have_text(answer["headline"]["text"])
        for table in answer["tables"]:
            for row in table["rows"]:
                expect(element.locator(f"[data-row={row['key']}]").last).to_be_visible()
        for chart in answer["charts"]:
            picture = element.locator(f"[data-chart={chart['key']}] svg.chart")
            expect(picture).to_be_visible()
            assert picture.evaluate("svg => svg.getBoundingClientRect().right <= innerWidth")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda path: path.stem)
def test_axe_finds_nothing_in_the_dark(
    open_window: Callable[..., Visitor], site: Site, tool: Path
) -> None:
    page = open_window(color_scheme="dark").page
    page.goto(f"{site.url}tools/{tool.stem}/")
    calculator_of(page)
    # With all that can be opened standing open.
    page.locator("napkin-calculator details").evaluate_all("all => all.map(one => one.open = true)")
    lists = page.locator("napkin-calculator [role=combobox]")
    if lists.count():
        lists.first.click()
    assert violations(page) == []


def test_while_python_starts_the_old_result_stays_and_says_so(page: Page, site: Site) -> None:
    page.goto(site.url + KV)
    element = calculator_of(page)
    field(element, "context").fill("8k")
    expect(element).to_have_attribute("data-old", "")
    expect(element).to_have_attribute("data-state", "booting")
    expect(headline(element)).to_have_text("4.19 GB")
    expect(part(element, "status")).not_to_be_empty()
    expect(headline(element)).to_have_text("1.05 GB", timeout=60_000)
    expect(part(element, "status")).to_be_empty()
    assert page.url.endswith("#kv-cache.context=8k")


def test_what_is_typed_before_the_script_comes_is_kept(page: Page, site: Site) -> None:
    held: list[Route] = []
    page.route("**/elements/napkin-calculator.js", lambda route: held.append(route))
    page.goto(site.url + KV)
    element = page.locator("napkin-calculator")
    control = field(element, "context")
    control.press("ControlOrMeta+a")
    page.keyboard.type("8")
    expect(control).to_have_value("8")
    held[0].continue_()
    expect(control).to_have_attribute("role", "combobox")
    page.keyboard.type("k")
    expect(control).to_have_value("8k")
    expect(headline(element)).to_have_text("1.05 GB", timeout=60_000)


def test_a_failed_start_keeps_the_page_and_can_be_tried_again(visitor: Visitor, site: Site) -> None:
    visitor.allow("Failed to load resource")
    page = visitor.page
    page.goto(site.url + KV)
    element = calculator_of(page)
    site.faults.set("missing", "pyodide")
    field(element, "context").fill("8k")
    expect(element).to_have_attribute("data-state", "error", timeout=60_000)
    expect(headline(element)).to_have_text("4.19 GB")
    expect(field(element, "context")).to_have_value("8k")
    site.faults.set("ok")
    element.locator("button[data-action=retry]").click()
    expect(headline(element)).to_have_text("1.05 GB", timeout=60_000)


def test_compare_copy_config_and_paper(open_window: Callable[..., Visitor], site: Site) -> None:
    visitor = open_window(permissions=["clipboard-read", "clipboard-write"])
    page = visitor.page
    page.goto(site.url + KV)
    element = calculator_of(page)
    form = calculator(references(next(t for t in TOOLS if t.stem == "kv-cache"))[0])

    def press(action: str) -> None:
        element.locator(f"button[data-action={action}]").click()

    def copied(action: str) -> str:
        press(action)
        expect(element.locator(f"button[data-action={action}]")).to_have_text("Copied")
        return str(page.evaluate("navigator.clipboard.readText()"))

    # The page's own answer can be copied before Python is there.
    assert "Context: 32k tokens" in copied("text")
    found = json.loads(copied("json"))
    assert found["inputs"]["context"] == "32k tokens"
    assert found["parts"][0]["rows"][0]["value"] == 4_194_304_000
    assert "| KV cache | 4.19 GB |" in copied("markdown")
    assert not python_fetched(site)

    # A pinned result stands beside the next.
    press("pin")
    field(element, "context").fill("64k")
    settled(element)
    row = part(element, "comparison").locator("tr", has_text="KV cache")
    expect(row.locator("td")).to_have_text(["4.19 GB", "8.39 GB", "× 2"])
    assert copied("share") == page.url

    # A config.json, pasted and then dropped, is read in the page alone.
    visitor.context.set_offline(True)
    page.evaluate("text => navigator.clipboard.writeText(text)", json.dumps(CONFIG, indent=2))
    field(element, "model").focus()
    field(element, "model").press("ControlOrMeta+v")
    shows(element, form, {"model": json.dumps(CONFIG), "context": "64k"})
    element.evaluate(
        """(element, text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "config.json", { type: "application/json" }));
          element.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }""",
        json.dumps({**CONFIG, "num_hidden_layers": 9}),
    )
    changed = {"model": json.dumps({**CONFIG, "num_hidden_layers": 9}), "context": "64k"}
    shows(element, form, changed)
    visitor.context.set_offline(False)

    # Its link carries it.
    link = copied("share")
    page.goto("about:blank")
    page.goto(link)
    shows(element, form, changed)

    page.emulate_media(media="print")
    expect(part(element, "form")).to_be_hidden()
    expect(part(element, "toolbar")).to_be_hidden()
    expect(element.locator("[data-input=context]")).to_have_text("64k tokens")
    expect(element.locator("[data-input=context]")).to_be_visible()


def test_the_answer_is_told_once_when_the_reader_pauses(page: Page, site: Site) -> None:
    page.goto(site.url + KV)
    element = calculator_of(page)
    field(element, "context").fill("9k")
    said = "document.querySelector('.napkin-announcer')?.textContent ?? ''"
    wait_for(page, f"({said}).includes('1.18 GB')")
    page.evaluate(
        """() => {
          window.told = [];
          const region = document.querySelector('.napkin-announcer');
          new MutationObserver(() => told.push(region.textContent)).observe(
            region, {childList: true, characterData: true, subtree: true});
        }"""
    )
    control = field(element, "context")
    control.press("ControlOrMeta+a")
    control.press_sequentially("64k", delay=60)
    wait_for(page, "told.some(text => text.includes('8.39 GB'))")
    spoken = page.evaluate("told.filter(text => text.startsWith('KV cache.'))")
    assert spoken == ["KV cache. KV cache: 8.39 GB"]


def test_a_link_on_the_page_asks_and_shows_the_answer(page: Page, site: Site) -> None:
    page.goto(site.url + "tools/roofline/")
    element = calculator_of(page)
    link = page.locator("article a[href*='#roofline.']").last
    before = headline(element).text_content()
    link.click()
    settled(element)
    expect(headline(element)).not_to_have_text(before or "")
    expect(headline(element)).to_be_in_viewport()


def test_a_charts_points_are_read_with_the_arrow_keys(page: Page, site: Site) -> None:
    page.goto(site.url + KV)
    element = calculator_of(page)
    figure = element.locator("[data-chart]").first
    picture = part(figure, "picture")
    reading = part(figure, "reading")
    expect(picture).to_have_attribute("tabindex", "0")  # its script is there
    titles = figure.locator("[data-point] title").all_text_contents()
    assert len(titles) > 5
    picture.focus()
    for key, index in (("ArrowRight", 0), ("ArrowRight", 1), ("End", -1), ("Home", 0)):
        picture.press(key)
        expect(reading).to_have_text(titles[index])
    picture.hover()
    expect(figure.locator("[data-current]")).to_have_count(1)
    # An answer that comes meanwhile leaves the reader at the same point of the new picture.
    picture.press("End")
    before = picture.evaluate(MARKUP)
    context = field(element, "context")
    default = context.input_value()
    context.evaluate(
        "field => { field.value = '8k'; field.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    settled(element)
    expect(reading).to_have_text("your context: 8k tokens, 1.05 GB")
    expect(picture).to_be_focused()
    expect(figure.locator("[data-current]")).to_have_count(1)
    expect(reading).to_have_count(1)
    picture.press("Home")
    expect(reading).to_have_text(titles[0])
    context.fill(default)
    settled(element)
    assert picture.evaluate(MARKUP) == before.replace('"data-current":"",', "")


def test_a_picture_stays_until_the_next_is_drawn(page: Page, site: Site) -> None:
    """No picture blinks, and nothing below it jumps."""
    page.goto(site.url + KV)
    element = calculator_of(page)
    page.evaluate(
        """() => {
          window.heights = new Set();
          const figure = () => document.querySelector("[data-chart]");
          const look = () => {
            const svg = figure()?.querySelector("svg.chart");
            heights.add(svg ? Math.round(svg.getBoundingClientRect().height) : 0);
            requestAnimationFrame(look);
          };
          look();
        }"""
    )
    field(element, "context").focus()
    wait_for(page, "performance.getEntriesByName(new URL('../../assets/vendor/plot.js',"
                   " location.href).href).length > 0")  # fmt: skip
    old = element.locator("svg.chart").inner_html()
    for text in ("8k", "16k", "3k"):
        field(element, "context").fill(text)
        settled(element)
    assert element.locator("svg.chart").inner_html() != old
    assert len(page.evaluate("[...heights]")) == 1


def answered_without_the_library(visitor: Visitor, site: Site, fault: str) -> Locator:
    """A calculator whose numbers have come, while what draws its picture fails in this way."""
    visitor.allow("Failed to load resource")
    site.faults.set(fault, "vendor/plot.js")
    visitor.page.goto(site.url + KV)
    element = calculator_of(visitor.page)
    field(element, "context").fill("8k")
    expect(headline(element)).to_have_text("1.05 GB", timeout=60_000)
    return element


def test_without_the_library_the_numbers_come_and_the_next_change_tries_again(
    visitor: Visitor, site: Site
) -> None:
    element = answered_without_the_library(visitor, site, "missing")
    picture = part(element, "picture")
    expect(picture).to_contain_text("The picture could not be loaded")
    element.locator("[data-chart] summary").click()
    expect(element.locator("[data-chart] table")).to_be_visible()
    site.faults.set("ok")
    field(element, "context").fill("16k")
    expect(picture.locator("svg.chart")).to_be_visible()
    expect(picture.locator("title", has_text="your context: 16k")).to_have_count(1)


def test_a_picture_that_does_not_come_says_so_and_reads_no_old_numbers(
    visitor: Visitor, site: Site
) -> None:
    element = answered_without_the_library(visitor, site, "hang")
    picture = part(element, "picture")
    picture.press("End")
    expect(picture).to_have_text("The picture is on its way. The numbers are below.")
    expect(part(element, "reading")).to_be_empty()
    site.faults.set("ok")
    site.faults.released.set()
    field(element, "context").fill("16k")
    expect(picture.locator("title", has_text="your context: 16k")).to_have_count(1)


def test_a_grid_sorts_and_filters_and_keeps_it_when_numbers_change(page: Page, site: Site) -> None:
    page.goto(site.url + "tools/will-it-fit/")
    element = calculator_of(page)
    grid = part(element, "grid")
    rows = grid.locator("tbody tr")
    total = rows.count()
    head = grid.locator("thead th.number").first
    head.locator("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    column = head.get_attribute("data-column")

    def values() -> list[float]:
        cells = grid.locator(f"tbody td[data-key={column}]")
        return [float(v) for v in cells.evaluate_all("c => c.map(c => c.dataset.value)") if v]

    assert values() == sorted(values(), reverse=True)
    head.locator("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert values() == sorted(values())
    element.locator("input[type=search]").fill("rtx 30")
    shown = rows.count()
    assert 0 < shown < total
    assert all("rtx 30" in text.lower() for text in rows.locator("th").all_text_contents())
    control = field(element, "context")
    control.fill("9k")
    settled(element)
    expect(element.locator("input[type=search]")).to_have_value("rtx 30")
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert rows.count() == shown
    assert values() == sorted(values())


def test_a_link_with_a_mistake_says_which(page: Page, site: Site) -> None:
    page.goto(site.url + KV + "#kv-cache.context=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    element = calculator_of(page)
    expect(field(element, "context")).to_have_attribute("aria-invalid", "true", timeout=60_000)
    expect(headline(element)).to_have_text("4.19 GB")
    expect(part(element, "status")).to_have_text("This is the result of the default values.")
    assert element.locator("img").count() == 0


def test_a_link_that_names_what_is_not_here_is_taken_as_far_as_it_goes(
    page: Page, site: Site
) -> None:
    page.goto(site.url + KV + "#kv-cache.contxt=8k&kv-cache.cache=int3&kv-cache.context=64k")
    element = calculator_of(page)
    expect(headline(element)).to_have_text("8.39 GB", timeout=60_000)
    expect(part(element, "missing")).to_have_text(
        "This link names a field “contxt” and “int3” for Cache format, which this calculator does "
        "not have. The rest of it was taken."
    )
    element.locator("button[data-action=reset]").click()
    expect(part(element, "missing")).to_have_count(0)


def test_instant_navigation_leaves_no_calculator_behind(page: Page, site: Site) -> None:
    page.goto(site.url + KV)
    element = calculator_of(page)
    field(element, "context").fill("8k")
    expect(headline(element)).to_have_text("1.05 GB", timeout=60_000)
    page.locator("nav.md-nav a", has_text="Changes").first.click()
    expect(page.locator("h1", has_text="Changes")).to_be_visible()
    page.go_back()
    # The address still says what was asked, and Python is still there.
    expect(headline(calculator_of(page))).to_have_text("1.05 GB")
    expect(field(calculator_of(page), "context")).to_have_value("8k")


def test_links_of_the_page_fill_the_calculator(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(viewport={"width": 1280, "height": 800}).page
    page.goto(f"{site.url}tools/scaling-law/")
    element, form = calculator_of(page), calculator("napkin.tools.scaling_law:scaling_law")
    for words, texts in (
        ("Chinchilla", {"parameters": "70B", "tokens": "1.4T"}),
        ("GPT-3", {"parameters": "175B", "tokens": "300B"}),
        ("A budget of 1e21 FLOP", {"budget": "1e21"}),
    ):
        page.locator("article a", has_text=words).first.click()
        shows(element, form, texts)
