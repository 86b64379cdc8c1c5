"""A strict content-security policy on every page and script: all of ours works under it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from sitekit.static_server import serving

from .conftest import LESSON, Visitor, button, cell, part, run, with_runtime_at, write_code
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


def test_everything_works_under_a_strict_policy(visitor: Visitor, strict: str) -> None:
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
    assert violations == []
