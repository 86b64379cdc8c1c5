"""Calls of the shipped Python's functions: what calculators and exercises stand on."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import Site, Visitor, button, cell, part, run, write_code

CALL = """async ([base, target, args, options]) => {
  const { runtime } = await import(`${base}assets/js/lib/runtime.js`);
  try {
    return { value: await runtime.call(target, args, options) };
  } catch ({ name, message }) {
    return { name, message };
  }
}"""


def call(page: Page, site: Site, target: str, *args: object, **options: object) -> Any:
    return page.evaluate(CALL, [site.url, target, list(args), options])


def test_values_errors_and_packages(page: Page, site: Site) -> None:
    page.goto(site.url + "changes/")  # a page without cells: the call starts Python
    assert call(page, site, "napkin.flops:matmul_flops", 2, 3, 4) == {"value": 48}
    assert call(page, site, "json:loads", '{"é": [1.5, null, true]}') == {
        "value": {"é": [1.5, None, True]}
    }
    assert call(page, site, "asyncio:sleep", 0, "awaited") == {"value": "awaited"}
    negative = call(page, site, "math:sqrt", -1)
    assert negative["name"] == "ValueError" and negative["message"]
    missing = call(page, site, "operator:getitem", {"a": 1}, "b")
    assert missing == {"name": "KeyError", "message": "b"}
    assert call(page, site, "math:no_such")["name"] == "AttributeError"
    assert call(page, site, "no_such:f")["name"] == "ModuleNotFoundError"
    assert call(page, site, "builtins:float", "inf")["name"] == "ValueError"
    assert call(page, site, "builtins:object")["name"] == "TypeError"
    given = call(page, site, "numpy:version.short_version")
    assert given["name"] == "ModuleNotFoundError"
    assert call(page, site, "numpy:prod", [2, 3], packages=["numpy"])["name"] == "TypeError"
    assert call(page, site, "numpy:trapezoid", [1, 2], packages=["numpy"]) == {"value": 1.5}
    # A hundred at once come back in order and each with its own.
    assert page.evaluate(
        """async (base) => {
          const { runtime } = await import(`${base}assets/js/lib/runtime.js`);
          const calls = Array.from({ length: 100 }, (_, n) => runtime.call("math:factorial", [n]));
          return (await Promise.all(calls)).slice(0, 5);
        }""",
        site.url,
    ) == [1, 1, 2, 6, 24]


def test_a_call_waits_for_a_cell_and_is_sent_anew_after_a_stop_that_cost_python(
    page: Page, site: Site
) -> None:
    page.goto(site.lesson)
    element = cell(page)
    write_code(element, "gcd = 'mine'\nprint('up')\nsum(range(10**11))")
    button(element, "run").click()
    expect(part(element, "output")).to_contain_text("up", timeout=60_000)
    page.evaluate(
        """(base) => {
          window.given = import(`${base}assets/js/lib/runtime.js`).then(({ runtime }) =>
            runtime.call("math:gcd", [12, 18]));
        }""",
        site.url,
    )
    button(element, "stop").click()
    expect(part(element, "status")).to_contain_text("Variables were lost")
    assert page.evaluate("window.given") == 6
    # Calls are not the reader's: they leave no variables, and are none to be lost.
    write_code(element, "sorted(name for name in globals() if not name.startswith('_'))")
    assert run(element) == "[]\n"


def test_a_run_waits_for_a_call(page: Page, site: Site) -> None:
    page.goto(site.lesson)
    element = cell(page)
    write_code(element, "print('ran')")
    assert call(page, site, "math:gcd", 4, 6) == {"value": 2}
    page.evaluate(
        """(base) => import(`${base}assets/js/lib/runtime.js`).then(({ runtime }) => {
          window.order = [];
          const slept = runtime.call("asyncio:sleep", [1, "slept"]);
          slept.then((value) => window.order.push(value));
        })""",
        site.url,
    )
    page.evaluate(
        "document.querySelector('napkin-cell').run().then(() => { window.order.push('ran'); })"
    )
    expect(element).to_have_attribute("data-state", "done")
    assert page.evaluate("window.order") == ["slept", "ran"]


@pytest.mark.parametrize("busy", ["time:sleep", "builtins:exec"])
def test_a_call_can_be_given_up_however_busy_python_is(page: Page, site: Site, busy: str) -> None:
    page.goto(site.url + "changes/")
    assert call(page, site, "math:gcd", 4, 6) == {"value": 2}
    given = page.evaluate(
        """async ([base, target, arg]) => {
          const { runtime } = await import(`${base}assets/js/lib/runtime.js`);
          const control = new AbortController();
          const call = runtime.call(target, [arg], { signal: control.signal });
          setTimeout(() => control.abort(), 300);
          const name = await call.catch(({ name }) => name);
          return [name, await runtime.call("math:gcd", [12, 18])];
        }""",
        [site.url, busy, 600 if busy == "time:sleep" else "while True: pass"],
    )
    assert given == ["AbortError", 6]


def test_a_call_that_cannot_have_python_says_so(visitor: Visitor, site: Site) -> None:
    visitor.allow("")
    page = visitor.page
    page.goto(site.url + "changes/")
    site.faults.set("missing", "stdlib-")
    failed = call(page, site, "math:gcd", 4, 6)
    assert failed["name"] == "Unavailable" and "404" in failed["message"]
    site.faults.set("ok")
    assert call(page, site, "math:gcd", 4, 6) == {"value": 2}
