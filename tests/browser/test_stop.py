"""Stop always gives the cell back within two seconds, and keeps the variables where it can."""

import re

import pytest
from playwright.sync_api import Locator, Page, Worker, expect

from tests.runaways import ENDS, FATAL, KEPT, LOST

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
from .test_navigation import go, pythons


@pytest.fixture
def lesson(page: Page, site: Site) -> Page:
    page.goto(site.lesson)
    write_code(cell(page, 1), "kept = 42")
    run(cell(page, 1))
    return page


def expect_back(element: Locator, state: str | re.Pattern[str] = "stopped") -> None:
    """Within two seconds the cell has ended in this state, and can be run again by then."""
    expect(element).to_have_attribute("data-state", state, timeout=2_000)
    assert button(element, "run").get_attribute("aria-disabled") == "false"


def stop(page: Page, code: str) -> str:
    """Run `code`, stop it; the status that tells how it ended."""
    element = cell(page)
    write_code(element, code)
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running", timeout=30_000)
    if "going" in code:  # which no recorded output says
        expect(part(element, "output")).to_contain_text("going", timeout=30_000)
    # Let it get into its stride: the first bytecodes are the easy ones to stop.
    page.evaluate("new Promise(resolve => setTimeout(resolve, 400))")
    button(element, "stop").click()
    expect_back(element)
    return part(element, "status").inner_text()


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT)
def test_what_python_can_stop_keeps_its_variables(lesson: Page, code: str) -> None:
    assert "Variables are kept" in stop(lesson, code)
    write_code(cell(lesson), "kept")
    assert run(cell(lesson)) == "42\n"


# Python waits twice at once, and the first wait that begins is the first to end.
NAPS = (
    "import asyncio, time\nasync def nap(seconds): time.sleep(seconds)\n"
    "await asyncio.gather(nap(0.01), nap(0.1))\n"
)


def test_code_that_hears_of_stop_may_say_its_last_words(lesson: Page) -> None:
    for code in ("while True: pass", "time.sleep(600)"):
        code = f"{NAPS}try:\n    {code}\nexcept KeyboardInterrupt:\n    print('saved')"
        assert "Variables are kept" in stop(lesson, code)
        expect(part(cell(lesson), "output")).to_have_text("saved\n")


@pytest.mark.parametrize("code", LOST.values(), ids=LOST)
def test_what_python_cannot_stop_is_ended_and_the_loss_told(lesson: Page, code: str) -> None:
    assert "Variables were lost" in stop(lesson, code)
    write_code(cell(lesson), "print('back'); kept")
    assert "NameError" in run(cell(lesson), "error")


def test_a_double_click_is_one_stop_and_a_second_press_does_not_wait(lesson: Page) -> None:
    element = cell(lesson)
    write_code(element, "while True: pass")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running", timeout=30_000)
    button(element, "stop").dblclick()
    expect(part(element, "status")).to_contain_text("Variables are kept")
    write_code(element, "sum(range(10**11))")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running", timeout=30_000)
    button(element, "stop").click()
    lesson.wait_for_timeout(600)  # a person who presses again
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped", timeout=400)


def test_stop_or_leaving_while_python_starts_does_not_start_it_anew(
    page: Page, site: Site
) -> None:
    started: list[Worker] = []
    page.on("worker", lambda worker: started.append(worker))
    page.goto(site.lesson)
    element = cell(page)
    button(element, "run").evaluate("b => b.click()")
    button(element, "stop").evaluate("b => b.click()")
    expect_back(element)
    expect(part(element, "status")).to_have_text("Stopped.")
    button(element, "run").evaluate("b => b.click()")
    go(page, "Changes")
    go(page, "Counting operations")
    write_code(cell(page), "6 * 7")
    assert run(cell(page)) == "42\n"
    assert pythons(started)[0] in page.workers, "the start was thrown away"


@pytest.mark.parametrize("gigabytes", [3, 5])
def test_more_memory_than_a_tab_has_ends_in_an_error_at_most(
    lesson: Page, gigabytes: int
) -> None:
    element = cell(lesson)
    write_code(element, f"blocks = [bytearray(10**9) for _ in range({gigabytes})]")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", re.compile("done|error"), timeout=30_000)
    if gigabytes > 4:
        expect(part(element, "output")).to_contain_text("MemoryError")
    write_code(element, "kept")
    assert run(element) == "42\n"


def test_ten_thousand_calls_deep(lesson: Page) -> None:
    element = cell(lesson)
    # Through what is built in, where the browser's stack is the one that ends first.
    write_code(element, "class A:\n    def __repr__(self): return f'A({self})'\nA()")
    assert "RecursionError" in run(element, "error")
    write_code(element, "kept")
    assert run(element) == "42\n"
    code = (
        "import sys\nsys.setrecursionlimit(20_000)\n"
        "def f(n):\n    return n and f(n - 1)\nf(10_000)"
    )
    write_code(element, code)
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", re.compile("done|error"), timeout=30_000)
    write_code(element, "1 + 1")
    assert run(element) == "2\n"


def test_an_interpreter_that_dies_is_replaced(visitor: Visitor, lesson: Page) -> None:
    visitor.allow("atal|memory access|RuntimeError|^$|stack|at ")
    element = cell(lesson)
    write_code(element, FATAL)
    button(element, "run").click()
    expect(part(element, "output")).to_contain_text("going", timeout=30_000)
    expect_back(element, "error")
    expect(part(element, "output")).to_contain_text("Python broke down")
    expect(part(element, "status")).to_contain_text("Variables were lost")
    write_code(element, "1 + 1")
    assert run(element) == "2\n"


def test_stop_while_a_package_loads(lesson: Page, site: Site) -> None:
    element = cell(lesson)
    site.faults.set("hang", "numpy")
    write_code(element, "import numpy")
    button(element, "run").click()
    expect(part(element, "status")).to_contain_text("Fetching numpy")
    button(element, "stop").click()
    expect_back(element)
    expect(part(element, "status")).to_have_text("Stopped. Variables are kept.")
    # Code that needs no package does not wait for one that hangs.
    write_code(element, "kept")
    assert run(element, seconds=5) == "42\n"
    site.faults.set("ok")
    site.faults.released.set()
    write_code(element, "import numpy\nprint(numpy.ones(2).sum(), kept)")
    assert run(element) == "2.0 42\n"


def test_python_that_breaks_down_by_itself_is_not_started_again_and_again(
    visitor: Visitor, site: Site
) -> None:
    def dying(script: str) -> str:
        return script.replace(
            "async function prepare() {",
            "async function prepare() {\n  return interpreter.pyodide._api.on_fatal('broken');",
        )

    replace_script(visitor, "worker/python.js", dying)
    started: list[Worker] = []
    visitor.page.on("worker", lambda worker: started.append(worker))
    visitor.page.goto(site.lesson)
    with visitor.page.expect_worker():
        button(cell(visitor.page), "copy").hover()
    module = f"import('{site.url}assets/js/lib/runtime.js')"
    wait_for(visitor.page, f"{module}.then(({{runtime}}) => runtime.state === 'off')")
    assert len(pythons(started)) == 1


def test_stop_pressed_in_code_that_ends_by_itself(lesson: Page) -> None:
    """Whichever comes first, the cell is back and Python is usable."""
    element = cell(lesson)
    for code in ENDS.values():
        write_code(element, code)
        button(element, "run").click()
        button(element, "stop").click()
        expect_back(element, re.compile("done|error|stopped"))
        write_code(element, "1 + 1")
        assert run(element) == "2\n"


def test_restart_brings_variables_modules_files_and_builtins_back(lesson: Page) -> None:
    element = cell(lesson)
    write_code(
        element,
        "import builtins, math\nmath.pi = 3\nbuiltins.oct = None\n"
        "open('left.txt', 'w').write('x')\nvariable = 1",
    )
    run(element)
    button(element, "more").click()
    button(element, "restart").click()
    expect(part(element, "status")).to_contain_text("as at the beginning")
    write_code(
        element,
        "import math, os\nprint(math.pi > 3, oct(8), os.path.exists('left.txt'))\nvariable",
    )
    text = run(element, "error")
    assert text.startswith("True 0o10 False\n")
    assert "NameError" in text
