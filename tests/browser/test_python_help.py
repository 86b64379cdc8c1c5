"""What Python gives back in the page: figures, hints, questions, completions, documentation."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Site, Visitor, button, cell, part, run, wait_for, write_code

PLOT = (
    "import matplotlib.pyplot as plt\n"
    "plt.plot([64, 128, 256], [2.1, 2.4, 2.5], label='float32')\n"
    "plt.title('Speed of <b>\"this\"</b> & tab')\nplt.xlabel('n')\nplt.ylabel('GFLOP/s')\n"
    "plt.legend()\nprint('drawn')"
)


@pytest.fixture
def lesson(page: Page, site: Site) -> Page:
    page.goto(site.lesson)
    expect(cell(page).locator(".cm-content")).to_be_visible()
    return page


def test_a_figure_is_shown_with_a_description_and_follows_light_and_dark(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(color_scheme="light").page
    page.goto(site.lesson)
    write_code(cell(page), PLOT)
    text = run(cell(page), seconds=120)
    assert text.startswith("drawn\n")
    figure = part(cell(page), "output").locator("figure[role=img]")
    expect(figure).to_have_count(1)
    description = figure.get_attribute("aria-label") or ""
    for word in ("Speed of", "n", "GFLOP/s", "float32"):
        assert word in description
    expect(figure.locator("svg")).to_be_visible()
    width = figure.locator("svg").evaluate("e => e.getBoundingClientRect().width")
    assert 200 < width <= 700
    title = figure.locator("svg text", has_text="Speed of").first
    assert title.text_content() == 'Speed of <b>"this"</b> & tab'
    legend = figure.locator("[fill*=figure-background]")
    for scheme in ("light", "dark"):  # toggled while it is shown
        page.emulate_media(color_scheme=scheme)
        slate = "document.body.dataset.mdColorScheme === 'slate'"
        wait_for(page, f"({slate}) === {str(scheme == 'dark').lower()}")
        assert (brightness_of(title) > 128) is (scheme == "dark")
        # What a legend says is read on its own ground, the page's.
        assert (brightness_of(legend) > 128) is (scheme == "light")


def brightness_of(shape: Locator) -> float:
    """From 0 to 255, of what a shape is filled with."""
    colour = shape.evaluate("e => getComputedStyle(e).fill")
    return sum(float(x) for x in re.findall(r"[\d.]+", colour)[:3]) / 3


def test_two_figures_and_a_later_cell(lesson: Page) -> None:
    code = "import matplotlib.pyplot as plt\nfor n in (1, 2):\n    plt.figure()\n    plt.plot([n])"
    write_code(cell(lesson), code)
    run(cell(lesson), seconds=120)
    figures = part(cell(lesson), "output").locator("figure")
    expect(figures).to_have_count(2)
    lesson.emulate_media(media="print", color_scheme="dark")
    expect(figures.locator("svg").first).to_be_visible()
    overflow = "all => all.filter(svg => svg.clientWidth > svg.parentNode.clientWidth).length"
    assert figures.locator("svg").evaluate_all(overflow) == 0
    ink = figures.locator("svg text").first.evaluate("e => getComputedStyle(e).fill")
    assert sum(float(x) for x in re.findall(r"[\d.]+", ink)[:3]) < 3 * 128, f"{ink} on white paper"
    lesson.emulate_media(media="screen")
    write_code(cell(lesson, 1), "print('no figure left')")
    run(cell(lesson, 1))
    expect(part(cell(lesson, 1), "output").locator("figure")).to_have_count(0)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import numpy as np\nnp.flot32(1)", "float32"),
        ("widht = 3\nprint(width)", "widht"),
        ("for i in range(3)\n    print(i)", "colon"),
        ("import tensorflow", "numpy"),
        ("print(“curly”)", "quote"),
    ],
)
def test_errors_teach(lesson: Page, code: str, told: str) -> None:
    write_code(cell(lesson), code)
    run(cell(lesson), "error")
    expect(part(cell(lesson), "output")).to_contain_text(told)


def test_input_asks_in_the_page_and_goes_on(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "name = input('Your name? ')\nprint(f'Hello {name}')")
    button(element, "run").click()
    field = element.get_by_label("Your name?")
    expect(field).to_be_focused(timeout=60_000)
    field.fill("Ada <b>")
    field.press("Enter")
    expect(element).to_have_attribute("data-state", "done")
    expect(part(element, "output")).to_have_text("Your name? Ada <b>\nHello Ada <b>\n")
    expect(field).to_have_count(0)
    assert element.evaluate("e => e.contains(document.activeElement)"), "the reader's place is lost"

    lesson.clock.install()
    # Three tasks ask at once: one after the other is heard.
    write_code(
        element,
        "import asyncio\nasync def ask(i): return input(f'Number {i}?')\n"
        "print(await asyncio.gather(*map(ask, range(3))))",
    )
    button(element, "run").click()
    for i in range(3):
        field = element.get_by_label(f"Number {i}?")
        expect(field).to_be_focused(timeout=60_000)
        assert field.evaluate(
            "f => [f.autocomplete, f.autocapitalize, f.spellcheck, f.getAttribute('autocorrect')]"
        ) == ["off", "none", False, "off"]
        lesson.clock.run_for(3_000)  # the cell's clock ticks each second
        expect(part(element, "status")).to_have_text("Python waits for your answer.")
        lesson.keyboard.type(str(i))
        lesson.keyboard.press("Enter")
    expect(element).to_have_attribute("data-state", "done")
    expect(part(element, "output")).to_contain_text("['0', '1', '2']")


def test_stop_while_a_question_waits(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "try: input('Well? ')\nexcept KeyboardInterrupt: print('saved')")
    button(element, "run").click()
    expect(element.get_by_label("Well?")).to_be_visible(timeout=60_000)
    lesson.emulate_media(media="print")
    expect(element.get_by_label("Well?")).to_be_hidden()
    lesson.emulate_media(media="screen")
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped", timeout=2_000)
    expect(element.get_by_label("Well?")).to_have_count(0)
    expect(part(element, "status")).to_contain_text("Variables are kept")
    expect(part(element, "output")).to_have_text("saved\n")


def test_names_are_completed_from_what_is_defined(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "wavelength = 500\nimport math")
    run(element)
    write_code(cell(lesson, 1), "")
    content = cell(lesson, 1).locator(".cm-content")
    content.press_sequentially("wavel")
    option = cell(lesson, 1).locator(".cm-tooltip-autocomplete li", has_text="wavelength")
    expect(option).to_be_visible()
    # The list ignores keys for a moment, so that a fast typist does not accept by accident.
    lesson.wait_for_timeout(150)
    content.press("Enter")
    expect(content).to_have_text("wavelength")
    content.press_sequentially(" * math.sq")
    expect(cell(lesson, 1).locator(".cm-tooltip-autocomplete li", has_text="sqrt")).to_be_visible()
    # Beside the list stands what the chosen name is.
    expect(cell(lesson, 1).locator(".cm-documentation")).to_contain_text("square root")


def test_a_key_explains_the_name_at_the_cursor(lesson: Page) -> None:
    element = cell(lesson)
    content = element.locator(".cm-content")
    write_code(element, "divmod")
    told = element.locator(".cm-documentation")
    content.press("Control+i")
    expect(told).to_contain_text("Run the cell that defines it")
    run(element)
    content.focus()
    content.press("Control+i")
    expect(told).to_contain_text("divmod(x, y, /)")
    expect(lesson.locator(".napkin-announcer")).to_contain_text("divmod(x, y, /)")
    content.press("Escape")
    expect(told).to_have_count(0)
    expect(content).to_have_text("divmod")


def test_documentation_shows_under_the_pointer(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "import math\nmath.sqrt(16)")
    run(element)
    box = element.locator(".cm-line", has_text="sqrt").bounding_box()
    assert box is not None
    # A hand moves to a word; it does not appear on it.
    lesson.mouse.move(box["x"] + 20, box["y"] + box["height"] / 2)
    lesson.mouse.move(box["x"] + 75, box["y"] + box["height"] / 2, steps=8)
    expect(element.locator(".cm-documentation")).to_contain_text("square root")
