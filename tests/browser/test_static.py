"""What a reader gets without scripts, on a phone, in the dark, on paper."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from sitekit.record import read_record
from sitekit.sections import load_sections

from .conftest import LESSON, Site, Visitor, button, cell, part, write_code

SLUG = "counting-operations"
PAGES = ["", LESSON, "practice/quiz/", "changes/"]


def test_without_scripts_code_and_recorded_output_are_readable(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(java_script_enabled=False).page
    page.goto(site.lesson)
    records = read_record(SLUG)
    for index, section in enumerate(s for s in load_sections(SLUG) if not s.hidden):
        element = cell(page, index)
        expect(part(element, "code")).to_be_visible()
        assert part(element, "code").text_content() == section.code + "\n"
        expect(part(element, "output")).to_be_visible()
        assert part(element, "output").text_content() == records[section.name].text
    expect(page.locator("napkin-cell button")).to_have_count(0)
    assert not any("/runtime/" in path for path in site.faults.requests)


def test_without_scripts_hidden_answers_can_be_opened(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(java_script_enabled=False).page
    page.goto(site.lesson)
    answer = page.locator("article details").first
    answer.locator("summary").click()
    expect(answer.locator("> :nth-child(2)")).to_be_visible()


@pytest.mark.parametrize("width", [390, 320])
@pytest.mark.parametrize("path", PAGES)
def test_a_phone_never_scrolls_sideways(
    open_window: Callable[..., Visitor], site: Site, path: str, width: int
) -> None:
    page = open_window(viewport={"width": width, "height": 844}).page
    page.goto(site.url + path)
    expect(page.locator("h1").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_on_a_phone_all_buttons_are_there_and_big_enough_to_tap(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(viewport={"width": 390, "height": 844}, has_touch=True).page
    page.goto(site.lesson)
    for action in ("run", "stop", "reset", "copy"):
        box = button(cell(page), action).bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        assert box["height"] >= 24 and box["width"] >= 24


def test_at_twice_the_size_nothing_is_cut_off_or_out_of_reach(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    # What a browser at 200% makes of a window that is 1280 px wide.
    page = open_window(viewport={"width": 640, "height": 400}, device_scale_factor=2).page
    for path in (*PAGES, "tools/will-it-fit/"):
        page.goto(site.url + path)
        expect(page.locator("h1").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 640, path
    page.goto(site.lesson)
    for action in ("run", "reset", "copy"):
        control = button(cell(page), action)
        control.focus()
        box = control.bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= 640, action
        # Nothing that stays in place, such as the header, lies over what has the focus.
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        on_top = "(b, [x, y]) => b.contains(document.elementFromPoint(x, y))"
        assert control.evaluate(on_top, middle), action


def test_the_editor_takes_the_codes_place_without_moving_the_page(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    element = cell(page)
    element.scroll_into_view_if_needed()
    static = page.evaluate(
        """async (url) => {
          const text = await (await fetch(url)).text();
          return new DOMParser().parseFromString(text, 'text/html')
            .querySelector('napkin-cell [data-part=code]').textContent.split('\\n').length - 1;
        }""",
        site.lesson,
    )
    expect(element.locator(".cm-content")).to_be_visible()
    lines = element.locator(".cm-line")
    assert lines.count() == static
    sizes = element.evaluate(
        """(element, lines) => {
          const editor = element.querySelector('[data-part=editor]');
          const clone = document.createElement('pre');
          clone.dataset.part = 'code';
          clone.textContent = 'x\\n'.repeat(lines);
          const before = editor.getBoundingClientRect().height;
          editor.before(clone);
          const after = clone.getBoundingClientRect().height;
          clone.remove();
          return [before, after];
        }""",
        static,
    )
    assert abs(sizes[0] - sizes[1]) < 1, "the editor is not as high as the code it replaces"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_code_and_output_follow_the_readers_colours(
    open_window: Callable[..., Visitor], site: Site, scheme: str
) -> None:
    page = open_window(color_scheme=scheme).page
    page.goto(site.lesson)
    element = cell(page)
    element.scroll_into_view_if_needed()
    expect(element.locator(".cm-content")).to_be_visible()
    dark = scheme == "dark"
    for selector in (".cm-line span", "[data-part=output]"):
        colour = element.locator(selector).first.evaluate("e => getComputedStyle(e).color")
        assert _light(colour) is dark, f"{selector} is {colour} in {scheme}"


def test_a_dark_page_prints_as_a_light_one(open_window: Callable[..., Visitor], site: Site) -> None:
    printed = []
    for scheme in ("light", "dark"):
        page = open_window(color_scheme=scheme).page
        # Editors come in idle moments, to cells in sight: here to none, so that both are alike.
        page.add_init_script("IntersectionObserver.prototype.observe = () => {}")
        page.goto(site.lesson)
        page.emulate_media(media="print", color_scheme=scheme)
        printed.append(
            page.locator("article").evaluate(
                """async article => {
                  await Promise.allSettled(document.getAnimations().map(fade => fade.finished));
                  return [...article.querySelectorAll('pre span, a, p, td, figcaption, img')]
                    .filter(e => e.checkVisibility())
                    .map(e => [e.tagName, getComputedStyle(e).color, e.getAttribute('src')]);
                }"""
            )
        )
    light, dark = printed
    assert len(light) > 100
    assert dark == light


def test_on_paper_there_is_code_and_output_but_no_button(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    element = cell(page)
    # As wide as no paper is, and longer than the screen; printed while it runs.
    write_code(element, "print('x' * 500)  # " + "wide " * 100 + "\n" * 99 + "while True: pass")
    button(element, "run").click()
    expect(part(element, "output")).to_contain_text("x" * 500, timeout=60_000)
    page.emulate_media(media="print")
    expect(part(element, "output")).to_be_visible()
    expect(button(element, "run")).to_be_hidden()
    expect(element.locator(".cm-line")).to_have_count(100)
    cut = "e => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]"
    assert element.locator(".cm-scroller").evaluate(cut) == [0, 0]
    clipped = page.locator("[data-part=output]").evaluate_all(
        """all => all.filter(e => e.scrollHeight > e.clientHeight + 1
             || e.scrollWidth > e.clientWidth).length"""
    )
    assert clipped == 0
    page.emulate_media(media="screen")
    button(element, "stop").click()


def _light(colour: str) -> bool:
    red, green, blue = (float(x) for x in colour[colour.index("(") + 1 : -1].split(",")[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 128
