"""What a reader can do with a cell, by mouse and by keyboard."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import Site, button, cell, part, run, write_code


@pytest.fixture
def lesson(page: Page, site: Site) -> Page:
    page.goto(site.lesson)
    expect(cell(page).locator(".cm-content")).to_be_visible()
    return page


def test_variables_are_shared_down_the_page(lesson: Page) -> None:
    write_code(cell(lesson, 0), "shared = 20")
    assert run(cell(lesson, 0)) == ""
    expect(part(cell(lesson, 0), "status")).to_contain_text("nothing printed")
    write_code(cell(lesson, 1), "print(shared + 1)\nshared * 2")
    assert run(cell(lesson, 1)) == "21\n40\n"


def test_output_is_text_whatever_it_looks_like(lesson: Page) -> None:
    write_code(cell(lesson), "print('<b>bold</b> <script>x</script> <module> &amp; é 日本 🧮')")
    assert run(cell(lesson)) == "<b>bold</b> <script>x</script> <module> &amp; é 日本 🧮\n"
    expect(part(cell(lesson), "output").locator("b, script")).to_have_count(0)


def test_output_streams_while_the_cell_runs(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "print('first')\nprint('second', end='')\nsum(range(10**11))")
    button(element, "run").click()
    expect(part(element, "output")).to_have_text("first\nsecond", timeout=60_000)
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped")
    # What of a flood is gathered comes out, too, though nothing is written after it.
    write_code(element, "for i in range(3000): print(i)\nwhile True: pass")
    button(element, "run").click()
    expect(part(element, "output")).to_contain_text("2998\n2999", timeout=60_000)
    expect(element).to_have_attribute("data-state", "running")
    expect(element).to_have_attribute("data-output", "live")
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped")


SHOWN = [
    (r"10 %\r20 %\r100 %", "100 %"),
    (r"a\r\nb", "a\nb"),
    (r"ab\b\bX", "Xb"),
    (r"\rwhat is longer\r\x1b[Kdone", "done"),
    (r"what is longer\x1b[2K\rdone", "done"),
    (r"abc\r\x1b[C\x1b[1KX", " Xc"),
    (r"abc\x1b[2DX\x1b[5GY", "aXc Y"),
    (r"日本é🧮\b\b!", "日本!🧮"),
    (r"\x1b]0;title\x07\x1b]8;;https://a.b\x1b\\link\x1b]8;;\x1b\\", "link"),
    (r"\x1b(B\x1b[?25l\x1b[2J\x1b[1;1H\x1b[>4;2m\x1b=\x1bPq\x1b\\\a\0\x7f.", "."),
    (r"a\tb <b>c</b>", "a\tb <b>c</b>"),
]
STYLES = [
    (r"\x1b[1;31mred\x1b[0m", "red", "ansi-bold ansi-fg-1"),
    (r"\x1b[2;3;4;94mall\x1b[22;23;24m", "all", "ansi-dim ansi-fg-12 ansi-italic ansi-underline"),
    (r"\x1b[38;5;9mone of 256\x1b[m", "one of 256", "ansi-fg-9"),
    (r"\x1b[48:2::255:255:0mnew spelling\x1b[49m", "new spelling", "ansi-ground"),
    (r"\x1b[7mreverse\x1b[27m", "reverse", "ansi-reverse"),
]


def test_output_is_shown_as_a_terminal_would(lesson: Page) -> None:
    parts = [code for code, _ in SHOWN] + [f"{code} plain" for code, *_ in STYLES]
    code = "\n".join(f"print('{part}')" for part in parts)
    # A sequence may come in pieces, and text on stderr has its colours, too.
    code += "\nfor piece in ('\\x1b', '[3', '2mgreen', '\\x1b[', 'm\\n'): print(piece, end='')"
    code += "\nimport sys; print('\\x1b[38;2;255;255;0mlight\\x1b[0m', file=sys.stderr)"
    code += "\nprint('\\x1b[97;44mboth', end=''); 1 + 1"
    write_code(cell(lesson), code)
    shown = [text for _, text in SHOWN] + [f"{text} plain" for _, text, _ in STYLES]
    assert run(cell(lesson)) == "\n".join([*shown, "green", "light", "both", "2", ""])
    output = part(cell(lesson), "output")
    for _, text, names in [*STYLES, ("", "green", "ansi-fg-2"), ("", "light", "ansi-fg")]:
        classes = output.get_by_text(text, exact=True).get_attribute("class") or ""
        assert " ".join(sorted(set(classes.split()) - {"stdout", "stderr"})) == names, text
    # What is chosen for a dark ground can be read on this light one; the two together stay.
    (red, green, blue), _ = colours_of(output.get_by_text("light", exact=True))
    assert red > 80 and green > 80 and blue < 90 and (red + green + blue) / 3 < 128
    assert colours_of(output.get_by_text("both")) == ([255, 255, 255], [37, 99, 201])
    assert colours_of(output.get_by_text("new spelling")) == ([0, 0, 0], [255, 255, 0])
    ink, ground = colours_of(output.get_by_text("reverse", exact=True))
    assert sum(ink) > sum(ground) + 300
    expect(output.get_by_text("2", exact=True)).to_have_class("value")


def colours_of(text: Locator) -> tuple[list[int], list[int]]:
    """Red, green and blue of the text and of what lies behind it, from 0 to 255."""
    drawn = """e => {
      const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      const { color, backgroundColor } = getComputedStyle(e);
      return [color, backgroundColor].map((value) => {
        context.fillStyle = value;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
      });
    }"""
    ink, ground = text.evaluate(drawn)
    return ink, ground


def test_a_flood_is_cut_and_says_so(lesson: Page) -> None:
    write_code(cell(lesson), "for i in range(1_000_000): print(i)")
    text = run(cell(lesson), seconds=120)
    assert text.startswith("0\n1\n2\n")
    assert text.count("\n") == 10_001
    assert "output cut here: more than 10,000 lines" in text


def test_an_error_is_told_from_the_readers_line_on_and_marked(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "x = 1\n\nx / 0\n")
    text = run(element, "error")
    assert text.startswith("Traceback (most recent call last):\n")
    assert text.count("File ") == 1
    assert ", line 3, in <module>" in text
    assert text.endswith("ZeroDivisionError: division by zero\n")
    expect(element.locator(".cm-failing")).to_have_text("x / 0")
    expect(part(element, "status")).to_contain_text("ZeroDivisionError")
    write_code(element, "1 + 1")
    expect(element.locator(".cm-failing")).to_have_count(0)
    assert run(element) == "2\n"


def test_a_syntax_error_marks_its_line(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "a = 1\nb = = 2")
    assert "SyntaxError: invalid syntax" in run(element, "error")
    expect(element.locator(".cm-failing")).to_have_text("b = = 2")


def test_stop_gives_the_cell_back_and_says_what_was_lost(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "while True: pass")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running", timeout=60_000)
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped", timeout=2_000)
    expect(part(element, "status")).to_contain_text("ariables")
    write_code(element, "print('back')")
    assert run(element) == "back\n"


def test_stop_while_python_starts_keeps_the_recorded_output(lesson: Page) -> None:
    element = cell(lesson)
    recorded = part(element, "output").text_content()
    button(element, "run").click()
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped", timeout=2_000)
    expect(element).to_have_attribute("data-output", "recorded")
    assert part(element, "output").text_content() == recorded
    run(element)


def test_other_cells_wait_and_say_why(lesson: Page) -> None:
    first, second = cell(lesson, 0), cell(lesson, 1)
    write_code(first, "while True: pass")
    button(first, "run").click()
    expect(first).to_have_attribute("data-state", "running", timeout=60_000)
    expect(button(first, "run")).to_have_attribute("aria-disabled", "true")
    expect(button(second, "run")).to_have_attribute("aria-disabled", "true")
    button(second, "run").click(force=True)
    expect(part(second, "status")).to_contain_text("Another cell is running")
    expect(second).to_have_attribute("data-state", "idle")
    button(first, "stop").click()
    expect(button(second, "run")).to_have_attribute("aria-disabled", "false")


def test_run_pressed_ten_times_runs_once(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "count = globals().get('count', 0) + 1\nprint(count)")
    button(element, "run").evaluate("b => { for (let i = 0; i < 10; i++) b.click(); }")
    expect(element).to_have_attribute("data-state", "done", timeout=60_000)
    expect(part(element, "output")).to_have_text("1")


def test_reset_brings_back_code_and_recorded_output_and_undo_the_edit(lesson: Page) -> None:
    element = cell(lesson)
    code = element.locator(".cm-content").inner_text()
    recorded = part(element, "output").inner_text()
    write_code(element, "print('mine')")
    run(element)
    button(element, "reset").click()
    expect(element).to_have_attribute("data-state", "idle")
    expect(element).to_have_attribute("data-output", "recorded")
    assert element.locator(".cm-content").inner_text() == code
    assert part(element, "output").inner_text() == recorded
    element.locator(".cm-content").press("ControlOrMeta+z")
    expect(element.locator(".cm-content")).to_have_text("print('mine')")


def test_copy_takes_the_code_as_edited(lesson: Page) -> None:
    lesson.context.grant_permissions(["clipboard-read", "clipboard-write"])
    element = cell(lesson)
    write_code(element, "print('copied')\n# end")
    button(element, "copy").click()
    expect(button(element, "copy")).to_have_text("Copied")
    assert lesson.evaluate("navigator.clipboard.readText()") == "print('copied')\n# end"


@pytest.mark.parametrize("keys", ["Shift+Enter", "ControlOrMeta+Enter", "Control+Enter"])
def test_keys_run_the_cell_and_write_no_line(lesson: Page, keys: str) -> None:
    element = cell(lesson)
    write_code(element, "print(6 * 7)")
    element.locator(".cm-content").press(keys)
    expect(element).to_have_attribute("data-state", "done", timeout=60_000)
    expect(part(element, "output")).to_have_text("42")
    expect(element.locator(".cm-line")).to_have_count(1)


def test_the_whole_cell_works_by_keyboard(lesson: Page) -> None:
    element = cell(lesson)
    content = element.locator(".cm-content")
    write_code(element, "if True:")
    content.press("Enter")
    content.press("Tab")
    assert "    " in content.inner_text(), "Tab indents"
    content.press("Escape")
    content.press("Tab")
    expect(button(element, "run")).to_be_focused()
    lesson.keyboard.press("Tab")
    expect(button(element, "stop")).to_be_focused()
    lesson.keyboard.press("Tab")
    expect(button(element, "reset")).to_be_focused()
    lesson.keyboard.press("Enter")
    expect(element).to_have_attribute("data-state", "idle")


def test_typing_in_the_editor_is_no_shortcut_of_the_site(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "")
    element.locator(".cm-content").press_sequentially("sfnp/.,")
    expect(element.locator(".cm-content")).to_have_text("sfnp/.,")
    expect(lesson).to_have_url(re.compile("counting-operations"))


def test_a_screen_reader_hears_start_and_end_once_and_keeps_its_place(lesson: Page) -> None:
    # A region that comes along with its first sentence is not heard: readers tell of changes.
    expect(lesson.locator("[role=status].napkin-announcer")).to_have_text("")
    heard = lesson.evaluate_handle(
        """() => {
          const heard = [];
          const live = '[role=status], [role=alert], [role=log], [aria-live]';
          new MutationObserver((records) => {
            for (const { target, type, addedNodes } of records) {
              if (!(target.closest ? target : target.parentElement)?.closest(live)) continue;
              const said = type === 'characterData' ? [target] : [...addedNodes];
              heard.push(...said.map((node) => node.textContent));
            }
          }).observe(document.body, {childList: true, subtree: true, characterData: true});
          return heard;
        }"""
    )
    element = cell(lesson)
    write_code(element, "print(1)")
    button(element, "run").focus()
    lesson.keyboard.press("Enter")
    expect(element).to_have_attribute("data-state", "done", timeout=60_000)
    expect(button(element, "run")).to_be_focused()
    write_code(element, "print(1)\n1 / 0")
    run(element, "error")
    write_code(element, "while True: pass")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running")
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running")
    # Who leaves the page is told nothing of what was left there.
    lesson.get_by_role("link", name="Changes", exact=True).first.click()
    expect(lesson.locator("h1")).to_contain_text("Changes")
    assert [text.removeprefix("dot product: ") for text in heard.json_value()] == [
        *("running", "done"),
        *("running", "ZeroDivisionError in line 2"),
        *("running", "Stopped. Variables are kept."),
        "running",
    ]


def test_packages_are_loaded_when_a_cell_imports_them(lesson: Page) -> None:
    write_code(cell(lesson), "import numpy as np\nfloat(np.arange(3.0) @ np.arange(3.0))")
    assert run(cell(lesson)) == "5.0\n"


def test_await_works(lesson: Page) -> None:
    write_code(cell(lesson), "import asyncio\nawait asyncio.sleep(0.01, 'slept')")
    assert run(cell(lesson)) == "'slept'\n"


def test_python_that_goes_down_leaves_a_usable_cell(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "import os\nkept = 42\nos._exit(3)")
    assert "its variables are still here" in run(element, "error")
    write_code(element, "kept")
    assert run(element) == "42\n"
    write_code(element, "from js import self\nself.close()\nwhile True: pass")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running", timeout=60_000)
    button(element, "stop").click()
    write_code(element, "'alive'")
    assert run(element) == "'alive'\n"


def test_a_long_line_stays_one_line_and_can_be_selected_whole(page: Page, site: Site) -> None:
    """However the page divides it, so as to lay out only what is in sight."""
    page.goto(site.lesson)
    element = cell(page)
    write_code(
        element,
        "print('first')\nprint(*(f'\\x1b[3{i % 8}m{i}' for i in range(5_000)), sep='')\n"
        "for i in range(3_000): print(i)",
    )
    run(element)
    printed = "".join(map(str, range(5_000)))
    want = f"first\n{printed}\n" + "".join(f"{i}\n" for i in range(3_000))
    output = part(element, "output")
    selected = output.evaluate(
        "output => { getSelection().selectAllChildren(output); return `${getSelection()}`; }"
    )
    assert selected.rstrip("\n") == want.rstrip("\n")
    rows = output.evaluate(
        "output => { output.scrollTop = 0;"
        " const top = (text) => [...output.querySelectorAll('span > span')]"
        "   .find((span) => span.textContent.startsWith(text)).getBoundingClientRect().top;"
        " return [top('first'), top('1'), top('4990'), top('0\\n1\\n')]; }"
    )
    first, start, end, after = rows
    assert first < start == end < after
