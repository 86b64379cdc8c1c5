"""A strict content-security policy on every page and script: all of ours works under it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from sitekit.static_server import serving

from .conftest import (
    LESSON,
    Visitor,
    button,
    cell,
    part,
    run,
    wait_for,
    with_runtime_at,
    write_code,
)
from .server import serve
from .strict import StrictHandler


@pytest.fixture(params=["self-hosted", "cdn"])
def strict(request: pytest.FixtureRequest, built_site: Path, tmp_path: Path) -> Iterator[str]:
    if request.param == "self-hosted":
        with serving(built_site, StrictHandler) as url:
            yield url
        return
    with serve(built_site / "assets/runtime/pyodide") as (cdn, _):
        copy = with_runtime_at(cdn, built_site, tmp_path)
        with serving(copy, StrictHandler, cdn=cdn.removesuffix("/napkin/")) as url:
            yield url


def test_everything_works_under_a_strict_policy(
    visitor: Visitor, strict: str, request: pytest.FixtureRequest
) -> None:
    page = visitor.page
    violations: list[Any] = []
    page.expose_function("violated", lambda text: violations.append(text))
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation',"
        " e => violated(`${e.violatedDirective}: ${e.blockedURI} ${e.sourceFile}`))"
    )
    page.goto(strict + LESSON)
    element = cell(page)
    write_code(element, "import numpy as np\nprint(float(np.ones(3) @ np.ones(3)))")
    assert run(element) == "3.0\n"
    write_code(element, "while True: pass")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running")
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped", timeout=2_000)
    expect(part(element, "status")).to_contain_text("Variables are kept")
    if request.node.callspec.params["strict"] == "self-hosted":  # the rest is the same for both
        plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2], label='a')\nplt.legend();"
        write_code(element, plot)
        run(element, seconds=120)
        expect(part(element, "output").locator("figure svg path").first).to_be_attached()
        write_code(element, r"print('\x1b[38;2;0;90;0;48;5;230mgreen')")
        run(element)
        green = part(element, "output").get_by_text("green")
        assert green.evaluate("e => getComputedStyle(e).color") == "rgb(0, 90, 0)"
        share = "import('/napkin/assets/js/lib/share.js').then(m => m.shareLink(id, '1'))"
        link = page.evaluate(f"id => {share}", "cell-dot-product")
        page.goto("about:blank")
        page.goto(link)
        expect(part(element, "status")).to_contain_text("read it before you run it")
        wait_for(page, "navigator.serviceWorker.controller !== null")
        page.goto(strict + "tools/kv-cache/")
        page.locator("napkin-calculator [name=context]").fill("8k")
        mark = page.locator("[data-chart] [data-point] title", has_text="your context: 8k")
        expect(mark).to_be_attached(timeout=60_000)
    assert violations == []
