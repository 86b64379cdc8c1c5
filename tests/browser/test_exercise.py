"""Exercises and estimates in the page: replies, hints, Stop, and a checker that is not fooled."""

import re
from collections.abc import Callable
from typing import Literal

from playwright.sync_api import Locator, Page, expect

from sitekit.exercises import load_exercise

from .conftest import Site, Visitor, button, cell, part, run, write_code
from .test_accessibility import violations

FIRST = load_exercise("counting-operations/batch-of-products")
SECOND = load_exercise("counting-operations/time-of-product")

# Breaks whatever a careless checker would use, and gets the answer right.
REDEFINED = f"""
import builtins, math
import napkin.flops
napkin.flops.matmul_flops = math.isfinite = None
print = sum = abs = close = isinstance = None
builtins.abs = builtins.isinstance = builtins.float = builtins.str = None
{FIRST.solution}
"""

CHEATS = """
import builtins, math
close = lambda *anything: True
math.isfinite = lambda x: True
builtins.float = lambda x: 1006.6
builtins.AssertionError = builtins.KeyError
def milliseconds(m, k, n, gflops):
    return 5.0
"""


def check(exercise: Locator, state: str, reply: str) -> None:
    """Press Check, and wait for the reply."""
    button(exercise, "check").click()
    expect(part(exercise, "feedback")).to_contain_text(reply, timeout=60_000)
    expect(exercise).to_have_attribute("data-state", state)


def opened(page: Page, name: str) -> Locator:
    exercise = page.locator(f"#exercise-{name}")
    exercise.scroll_into_view_if_needed()
    exercise.locator(".cm-content").wait_for()
    return exercise


def test_a_reader_works_through_an_exercise(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    run(cell(page))  # its variables must outlive the checks
    exercise = opened(page, FIRST.name)
    expect(exercise.locator("details")).to_have_count(3)
    assert not exercise.locator("details:visible").count(), "hints and solution are not given away"

    check(exercise, "failed", "Line 2 still has ...")
    button(exercise, "solution").click(force=True)
    expect(part(exercise, "status")).to_contain_text("after 3 more tries")
    for mistake in FIRST.mistakes:
        write_code(exercise, mistake.code)
        check(exercise, "failed", mistake.reply)
    expect(part(exercise, "feedback")).to_contain_text("You may look at the solution now.")

    button(exercise, "hint").click()
    expect(exercise.locator("details:visible")).to_have_text(re.compile(r"2·m·k·n"))
    button(exercise, "hint").click()
    button(exercise, "solution").click()
    expect(part(exercise, "answer")).to_have_text(re.compile(r"return batch \* one"))

    schemes: list[Literal["light", "dark"]] = ["light", "dark"]
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        assert violations(page, f"#exercise-{FIRST.name}") == []

    write_code(exercise, "def batch_flop(batch, m, k, n):\n    raise SystemExit('no')")
    check(exercise, "failed", "raises SystemExit")
    write_code(exercise, "def batch_flop(batch, m, k, n):\n    return 1 / 0")
    check(exercise, "failed", "raises ZeroDivisionError")
    expect(part(exercise, "output")).to_contain_text("line 2, in batch_flop")
    write_code(exercise, "while True: pass")
    button(exercise, "check").click()
    expect(part(exercise, "status")).to_have_text("Checking", timeout=60_000)
    button(exercise, "stop").click()
    expect(part(exercise, "status")).to_contain_text("Stopped before the check ended")

    write_code(exercise, REDEFINED)
    check(exercise, "passed", "That is right.")
    write_code(exercise, REDEFINED + "\n")
    expect(part(exercise, "feedback")).to_have_text("")  # it was said of other code
    check(exercise, "passed", "That is right.")

    cheated = opened(page, SECOND.name)
    write_code(cheated, CHEATS)
    check(cheated, "failed", "gives 5.0, not about 1,007")

    write_code(cell(page), "print(multiplies, abs(-3), isinstance(total, float))")
    assert run(cell(page)) == "4 3 True\n", "the page's variables and builtins are as they were"

    page.reload()
    exercise = opened(page, FIRST.name)
    expect(exercise).to_have_attribute("data-state", "passed")
    expect(exercise.locator(".cm-content")).to_contain_text("builtins.abs")
    button(exercise, "reset").click()
    expect(exercise).to_have_attribute("data-state", "todo")
    expect(exercise.locator(".cm-content")).to_contain_text("...")
    page.reload()
    exercise = opened(page, FIRST.name)
    expect(exercise.locator(".cm-content")).to_contain_text("...")
    button(exercise, "my-version").click()
    expect(exercise.locator(".cm-content")).to_contain_text("builtins.abs")


def test_an_estimate_is_kept_and_judged_only_at_the_end(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    box = page.locator("#estimate-gap")
    answer = page.locator("#answer-gap")
    expect(part(answer, "said")).to_have_text("You gave no estimate.")
    box.get_by_role("textbox").fill("lots")
    button(box, "keep").click()
    expect(part(box, "said")).to_contain_text("Write one number")
    box.get_by_role("textbox").fill("3·10^5")
    box.get_by_role("textbox").press("Enter")
    expect(part(box, "said")).to_have_text("Your estimate: 300,000 times. It is kept for you.")
    page.reload()
    expect(part(box, "said")).to_contain_text("300,000 times")
    expect(part(answer, "answer")).to_have_text("412,000 times")
    expect(part(answer, "said")).to_have_text(
        "Your estimate was 300,000 times: within a factor of 2."
    )
    inside = page.locator("#estimate-layer-in-tab")
    inside.get_by_role("textbox").fill("10")
    button(inside, "keep").click()
    expect(part(inside, "said")).to_have_text("Your estimate was 10 s: 11 times too low.")
    expect(part(inside, "answer")).to_have_text("115 s")
    assert violations(page, "#estimate-layer-in-tab") == []


def test_without_scripts_all_of_it_can_be_read(
    open_window: Callable[..., Visitor], site: Site
) -> None:
    page = open_window(java_script_enabled=False).page
    page.goto(site.lesson)
    exercise = page.locator(f"#exercise-{FIRST.name}")
    expected = "Expected: batch_flop(8, 64, 32, 64) = 2_097_152"
    expect(part(exercise, "task")).to_contain_text(expected)
    expect(part(exercise, "code")).to_contain_text("one = ...  # the work of one product")
    exercise.get_by_text("Hint 2 of 2").click()
    exercise.get_by_text("Solution", exact=True).click()
    expect(part(exercise, "answer")).to_be_visible()
    box = page.locator("#estimate-side-1024")
    box.get_by_text("Answer", exact=True).click()
    expect(part(box, "answer")).to_be_visible()
    expect(part(page.locator("#answer-gap"), "answer")).to_have_text("412,000 times")
